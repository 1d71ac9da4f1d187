import signal
import subprocess
import sys
from pathlib import Path

from judge_bundles.bundles.workspace import PREFIX, Workspace, sweep

HOLD = """
import sys, time
from pathlib import Path
from judge_bundles.bundles.workspace import Workspace
workspace = Workspace.create(Path(sys.argv[1]))
folder = workspace.path / "copy"
folder.mkdir()
(folder / "secret.txt").write_text("confidential")
folder.chmod(0o555)
print(workspace.path, flush=True)
time.sleep(60)
"""


def test_what_a_killed_process_left_is_removed_and_what_lives_is_not(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        assert path.name.startswith(PREFIX)
        assert sweep(tmp_path) == 0
        assert (path / "copy" / "secret.txt").exists()
        process.send_signal(signal.SIGKILL)
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_process_was_killed_before_it_could_lock_it_is_removed(
    tmp_path: Path,
) -> None:
    (tmp_path / f"{PREFIX}{'c' * 16}").mkdir(mode=0o700)
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_sweeps_that_go_on_all_the_time_take_no_workspace_from_a_living_process(
    tmp_path: Path,
) -> None:
    program = """if True:
        import sys
        from pathlib import Path
        from judge_bundles.bundles.workspace import sweep
        print("ready", flush=True)
        while True:
            sweep(Path(sys.argv[1]))
    """
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as sweeper:
        assert sweeper.stdout is not None
        assert sweeper.stdout.readline() == "ready\n"
        try:
            for _ in range(1_000):
                with Workspace.create(tmp_path) as workspace:
                    (workspace.path / "copy").mkdir()
        finally:
            sweeper.kill()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_with_such_a_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}notes").mkdir(mode=0o700)
    (tmp_path / f"{PREFIX}{'a' * 16}").mkdir(mode=0o755)
    (tmp_path / f"{PREFIX}{'b' * 16}").symlink_to("/")
    assert sweep(tmp_path) == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_a_workspace_belongs_to_its_owner_alone_and_goes_with_it(tmp_path: Path) -> None:
    with Workspace.create(tmp_path) as workspace:
        assert workspace.path.stat().st_mode & 0o777 == 0o700
        assert sweep(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []
