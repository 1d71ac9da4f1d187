"""A private PostgreSQL server for tests: in a temporary folder, on a socket nobody else sees."""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

ACCOUNT = "postgres"  # the server refuses to run as root


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; its superuser is `postgres` and needs no password."""

    folder: Path

    def url(self) -> str:
        """Return the SQLAlchemy URL of its one database."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def new_schema(self) -> str:
        """Create an empty schema, far cheaper than a database, and return the URL that uses it."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(f"host={self.folder} user=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url()}&options=-csearch_path={name}"


def binaries() -> Path | None:
    """Return the folder of the newest server found, Debian's places included."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(on_path).parent if on_path else None


def require_binaries() -> Path:
    """Return the folder of the server, skip where there is none, or fail when CI has none."""
    found = binaries()
    if found is not None:
        return found
    reason = "no PostgreSQL server here (apt-get install postgresql)"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    print(f"skipped: {reason}")
    pytest.skip(reason)


@contextmanager
def running_server() -> Iterator[Server]:
    """Start a server of one's own, and stop and remove it at the end."""
    programs = require_binaries()
    # A socket's path is short: pytest's own temporary folders are too deep for it.
    folder = Path(tempfile.mkdtemp(prefix="jb-postgres-"))
    if os.geteuid() == 0:
        os.chown(folder, *_account())
    data = folder / "data"
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    try:
        _run(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--no-sync", "--locale=C.UTF-8")  # fmt: skip
        _run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield Server(folder)
        finally:
            _run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _account() -> tuple[int, int]:
    entry = pwd.getpwnam(ACCOUNT)
    return entry.pw_uid, entry.pw_gid


def _run(program: Path, *arguments: str | Path) -> None:
    user, group = _account() if os.geteuid() == 0 else (None, None)
    done = subprocess.run(
        [program, *arguments],
        user=user,
        group=group,
        extra_groups=[] if user is not None else None,
        cwd="/",
        stdin=subprocess.DEVNULL,
        # Not a pipe: the server would inherit it and keep it open.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, f"{program.name} failed with {done.returncode}"
