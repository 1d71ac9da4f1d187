"""The product as a user without privileges has it: an environment that such a user can read.

The interpreter and the checkout of whoever runs the tests may lie where nobody else may look, so the
packages are put together anew, laid out as a wheel lays them out.
"""

import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
USER = 61234
"""Nobody's id: no files, no privileges."""
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class OrdinaryInstall:
    """`home` belongs to the user; `run` runs the program there, as the user."""

    home: Path
    python: Path
    groups: tuple[int, ...]

    def run(
        self, *arguments: str, environment: dict[str, str] | None = None, timeout: float = 300
    ) -> subprocess.CompletedProcess[bytes]:
        return self.python_run(
            "-m", "judge_bundles", *arguments, environment=environment, timeout=timeout
        )

    def python_run(
        self, *arguments: str, environment: dict[str, str] | None = None, timeout: float = 300
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=self.home,
            env={"PATH": os.defpath, "HOME": str(self.home)} | (environment or {}),
            capture_output=True,
            timeout=timeout,
            check=False,
            user=USER,
            group=USER,
            extra_groups=self.groups,
        )


@contextmanager
def ordinary_install(*, groups: tuple[int, ...] = ()) -> Iterator[OrdinaryInstall]:
    """Make the environment, owned by root and readable by all, and a home for the user."""
    place = Path(tempfile.mkdtemp(prefix="ordinary-"))
    try:
        place.chmod(0o755)
        python = _environment(place / "environment")
        home = place / "home"
        home.mkdir(mode=0o700)
        os.chown(home, USER, USER)
        install = OrdinaryInstall(home, python, groups)
        started = install.python_run("-I", "-c", "import judge_bundles.cli.app")
        assert started.returncode == 0, started.stderr.decode()
        yield install
    finally:
        shutil.rmtree(place)


def _environment(folder: Path) -> Path:
    """Return the interpreter of a new environment that holds everything installed here."""
    command = [SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    (packages,) = folder.glob("lib/python*/site-packages")
    assert packages.parent.name == f"python{sysconfig.get_python_version()}", (
        f"{SYSTEM_PYTHON} is not the version that runs the tests, so compiled packages do not fit"
    )
    installed = Path(sysconfig.get_path("purelib"))
    _copy(installed, packages, ignore=("*.pth", "__pycache__", "judge_bundles*"))
    _copy(CHECKOUT / "orchestrator" / "judge_bundles", packages / "judge_bundles")
    _copy(CHECKOUT / "prechecks" / "judge_prechecks", packages / "judge_prechecks")
    for data in ("rubrics", "sandbox_image"):
        _copy(CHECKOUT / data, packages / "judge_bundles" / data)
    return folder / "bin" / "python3"


def _copy(source: Path, target: Path, ignore: tuple[str, ...] = ("__pycache__",)) -> None:
    shutil.copytree(
        source,
        target,
        dirs_exist_ok=True,
        copy_function=_link_or_copy,
        ignore=shutil.ignore_patterns(*ignore),
    )


def _link_or_copy(source: str, target: str) -> None:
    """A hard link where that is as good as a copy: readable by all, and on the same disk."""
    if Path(source).stat().st_mode & 0o004:
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
    else:
        shutil.copyfile(source, target)
        Path(target).chmod(0o644)
