"""What counts as a bundle, and what it is called."""

import os
import pickle
import socket
import tempfile
from pathlib import Path

import pytest

from judge_bundles.bundles.discover import Discovery, Entry, discover
from judge_bundles.errors import EXIT_NO_BUNDLES, EXIT_USAGE, NoBundlesError, UserError
from tests.orchestrator.bundles.intake import write_tree
from tests.orchestrator.bundles.ordinary_user import as_ordinary_user


def ids(discovery: Discovery) -> list[str]:
    return [entry.entry_id for entry in discovery.entries]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "runs", {})


def test_each_subfolder_and_each_archive_of_a_collection_is_a_bundle(runs: Path) -> None:
    write_tree(runs / "run-2", {"report.md": b"x"})
    for name in ("run-10.zip", "run-3.tar.gz", "run-4.tgz", "run-5.tar", "RUN-6.ZIP"):
        (runs / name).write_bytes(b"")
    found = discover([runs])
    assert ids(found) == ["RUN-6", "run-10", "run-2", "run-3", "run-4", "run-5"]
    assert found.warnings == ()
    assert [entry.kind for entry in found.entries].count("folder") == 1
    assert all(entry.refused is None for entry in found.entries)
    assert found.entries[2].source == str(runs / "run-2")


def test_other_loose_files_are_skipped_with_one_warning_that_counts_and_names_them(
    runs: Path,
) -> None:
    write_tree(runs / "run-1", {"a": b""})
    for number in range(7):
        (runs / f"note-{number}.md").write_bytes(b"")
    (runs / "letter.docx").write_bytes(b"PK\3\4")
    found = discover([runs])
    assert ids(found) == ["run-1"]
    (warning,) = found.warnings
    assert "8 loose files" in warning
    assert "letter.docx, note-0.md" in warning
    assert "and 3 more" in warning
    assert "--single" in warning


def test_only_loose_files_are_no_bundle_and_the_message_says_what_to_do(runs: Path) -> None:
    (runs / "report.md").write_bytes(b"")
    with pytest.raises(NoBundlesError, match=r"report\.md.*--single") as caught:
        discover([runs])
    assert caught.value.exit_code == EXIT_NO_BUNDLES


def test_an_empty_folder_holds_no_bundle(runs: Path) -> None:
    with pytest.raises(NoBundlesError, match="no bundle in"):
        discover([runs])


@pytest.mark.parametrize("name", ["missing", "", "a\0b", "report.md/below"])
def test_runs_that_cannot_be_read_are_a_usage_error(runs: Path, name: str) -> None:
    (runs / "report.md").write_bytes(b"")
    with pytest.raises(UserError, match="RUNS") as caught:
        discover([f"{runs}/{name}" if name else ""])
    assert caught.value.exit_code == EXIT_USAGE


def test_no_runs_at_all_are_a_usage_error() -> None:
    with pytest.raises(UserError, match="RUNS is missing"):
        discover([])


def test_hidden_names_and_clutter_are_neither_bundles_nor_loose_files(runs: Path) -> None:
    for name in (".git", "__MACOSX", "._run-1", "run-1"):
        write_tree(runs / name, {"a": b""})
    for name in (".DS_Store", "Thumbs.db", "._run-1.zip", ".hidden.zip", ".zip"):
        (runs / name).write_bytes(b"")
    found = discover([runs])
    assert ids(found) == ["run-1"]
    assert found.warnings == ()


def test_a_collection_may_be_reached_through_a_link(runs: Path, tmp_path: Path) -> None:
    write_tree(runs / "run-1", {"a": b""})
    (tmp_path / "latest").symlink_to(runs)
    found = discover([tmp_path / "latest"])
    assert found.entries == (Entry("run-1", str(tmp_path / "latest" / "run-1"), "folder"),)


def test_a_bundle_that_is_itself_a_link_is_refused_and_still_an_entry(
    runs: Path, tmp_path: Path
) -> None:
    write_tree(tmp_path / "outside", {"secret": b""})
    (runs / "folder").symlink_to(tmp_path / "outside")
    (runs / "dangling.zip").symlink_to(tmp_path / "nowhere")
    (runs / "dangling.md").symlink_to(tmp_path / "nowhere")
    found = discover([runs])
    assert ids(found) == ["dangling", "folder"]
    assert all("link" in str(entry.refused) for entry in found.entries)
    assert "1 loose file (dangling.md)" in found.warnings[0]


def test_an_archive_name_on_something_that_is_no_file_is_refused(runs: Path) -> None:
    os.mkfifo(runs / "pipe.zip")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{os.open(runs, os.O_PATH)}/plug.tar")
    refused = {entry.entry_id: entry.refused for entry in discover([runs]).entries}
    assert "of kind fifo" in str(refused["pipe"])
    assert "of kind socket" in str(refused["plug"])


def test_single_takes_the_folder_itself_as_one_bundle(runs: Path) -> None:
    write_tree(runs / "pocs", {"poc.sh": b""})
    (runs / "report.md").write_bytes(b"")
    found = discover([runs], single=True)
    assert found == Discovery((Entry("runs", str(runs), "folder"),))


def test_single_calls_the_current_folder_by_its_name(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(runs / "below", {"a": b""})
    monkeypatch.chdir(runs)
    assert ids(discover(["."], single=True)) == ["runs"]
    monkeypatch.chdir(runs / "below")
    assert ids(discover([".."], single=True)) == ["runs"]
    assert ids(discover([".."])) == ["below"]


@pytest.mark.parametrize("ending", ["", "/"])
def test_single_refuses_a_folder_given_as_a_link(runs: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / "latest").symlink_to(runs)
    (entry,) = discover([f"{tmp_path}/latest{ending}"], single=True).entries
    assert "link" in str(entry.refused)


@pytest.mark.parametrize("single", [False, True])
def test_an_archive_given_directly_is_one_bundle(runs: Path, *, single: bool) -> None:
    archive = runs / "run-1.tar.gz"
    archive.write_bytes(b"")
    found = discover([archive], single=single)
    assert found.entries == (Entry("run-1", str(archive), "archive"),)


def test_a_loose_file_given_directly_is_no_bundle(runs: Path) -> None:
    (runs / "letter.docx").write_bytes(b"PK\3\4")
    with pytest.raises(NoBundlesError, match=r"letter\.docx"):
        discover([runs / "letter.docx"])


def test_several_runs_prefix_the_ids_as_they_were_typed(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(runs / "a" / "run-1", {})
    write_tree(runs / "b" / "run-1", {})
    (runs / "b" / "run-2.zip").write_bytes(b"")
    monkeypatch.chdir(runs)
    assert ids(discover(["./a/", "b"])) == ["a/run-1", "b/run-1", "b/run-2"]
    assert ids(discover(["b/run-2.zip", "a"])) == ["b/run-2", "a/run-1"]
    assert ids(discover(["a", "b"], single=True)) == ["a", "b"]


def test_the_same_bundle_given_twice_is_judged_once_and_said_so(runs: Path, tmp_path: Path) -> None:
    write_tree(runs / "run-1", {})
    (tmp_path / "other").symlink_to(runs)
    found = discover([runs, tmp_path / "other", runs / "."])
    assert len(found.entries) == 1
    assert len(found.warnings) == 2
    assert "twice" in found.warnings[0]


def test_sources_are_absolute_so_that_another_process_finds_them(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(runs / "run-1", {})
    monkeypatch.chdir(runs.parent)
    (entry,) = discover(["runs"]).entries
    assert entry.source == str(runs / "run-1")
    assert pickle.loads(pickle.dumps(entry)) == entry


def test_a_folder_and_archives_of_one_name_get_different_ids(runs: Path) -> None:
    write_tree(runs / "run-1", {})
    (runs / "run-1.zip").write_bytes(b"")
    (runs / "run-1.tgz").write_bytes(b"")
    assert ids(discover([runs])) == ["run-1", "run-1.tgz", "run-1.zip"]


def test_ids_of_any_names_are_printable_and_sources_keep_the_bytes(runs: Path) -> None:
    names = [b"\xff\xfe", b"-rf", b"a:b", b"new\nline", "証拠".encode(), b"\x1b[31m"]
    for name in names:
        (runs / os.fsdecode(name)).mkdir()
    found = discover([runs])
    assert all(entry_id.isprintable() for entry_id in ids(found))
    assert {os.fsencode(Path(entry.source).name) for entry in found.entries} == set(names)


def test_glob_picks_bundles_at_other_depths(runs: Path) -> None:
    write_tree(runs / "jobs" / "j1" / "trial-1", {"deeper/x": b""})
    (runs / "jobs" / "j1" / "trial-2.zip").write_bytes(b"")
    (runs / "jobs" / "j1" / "config.json").write_bytes(b"")
    write_tree(runs / "other" / "j1" / "trial-3", {})
    found = discover([runs], patterns=["jobs/*/*"])
    assert ids(found) == ["jobs/j1/trial-1", "jobs/j1/trial-2"]
    assert "1 loose file (jobs/j1/config.json)" in found.warnings[0]


def test_glob_with_any_depth_takes_the_outermost_folder_that_fits(runs: Path) -> None:
    write_tree(runs / "x" / "run-1" / "run-2", {})
    write_tree(runs / "run-3", {})
    assert ids(discover([runs], patterns=["**/run-*"])) == ["run-3", "x/run-1"]


def test_glob_does_not_follow_links_on_its_way(runs: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "outside" / "run-1", {})
    write_tree(runs / "real" / "run-2", {})
    (runs / "link").symlink_to(tmp_path / "outside")
    assert ids(discover([runs], patterns=["*/*"])) == ["real/run-2"]


def test_several_globs_take_what_any_of_them_means(runs: Path) -> None:
    write_tree(runs / "a" / "x", {})
    write_tree(runs / "b", {})
    assert ids(discover([runs], patterns=["a/*", "b"])) == ["a/x", "b"]


def test_a_glob_that_fits_nothing_is_named(runs: Path) -> None:
    write_tree(runs / "run-1", {})
    with pytest.raises(NoBundlesError, match=r"--glob 'jobs/\*'"):
        discover([runs], patterns=["jobs/*"])


def test_single_and_glob_exclude_each_other(runs: Path) -> None:
    with pytest.raises(UserError, match="--single and --glob"):
        discover([runs], single=True, patterns=["*"])


def test_a_folder_that_may_not_be_searched_is_a_usage_error_or_a_warning() -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        write_tree(top / "open" / "run-1", {})
        closed = write_tree(top / "closed" / "run-2", {}).parent
        closed.chmod(0)

        def look() -> tuple[list[str], str, str]:
            found = discover([top], patterns=["*/*"])
            with pytest.raises(UserError) as caught:
                discover([closed])
            return ids(found), found.warnings[0], str(caught.value)

        found, warning, problem = as_ordinary_user(look)
        closed.chmod(0o755)
    assert found == ["open/run-1"]
    assert warning == problem == f"'{closed}' cannot be searched for bundles: Permission denied"
