"""A container engine of one's own, which may be stopped in the middle and knows more runtimes.

It has its own data, and a network namespace of its own, without which it would take the bridge away
from the engine of the machine. Only root can start one.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker

from judge_bundles.sandbox.image import LOCAL_BASE

READY_SECONDS = 30.0
_POLL_SECONDS = 0.05
_COMMAND = (
    "unshare --net -- dockerd --data-root {0}/data --exec-root {0}/exec --pidfile {0}/d.pid "
    "--host unix://{0}/d.sock --config-file {0}/daemon.json "
    "--bridge=none --iptables=false --ip6tables=false"
)


@dataclass(frozen=True, slots=True)
class PrivateEngine:
    """A running engine at `address`; `pid` is its daemon's."""

    address: str
    pid: int

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it hang: connections are taken by the system, and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)


def missing() -> str | None:
    """Return why no private engine can be started here, or None."""
    if os.geteuid() != 0:
        return "only root can start an engine"
    absent = [name for name in ("dockerd", "unshare") if shutil.which(name) is None]
    return f"{', '.join(absent)} not found" if absent else None


@contextmanager
def private_engine(runtimes: Mapping[str, Any]) -> Iterator[PrivateEngine]:
    """Start one with these runtimes beside its own, and with the base of the sandbox image."""
    place = Path(tempfile.mkdtemp(prefix="jb-engine-"))
    (place / "daemon.json").write_text(json.dumps({"runtimes": dict(runtimes)}))
    address = f"unix://{place}/d.sock"
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            _COMMAND.format(place).split(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_ready(process, address, place)
        _copy_base(address)
        yield PrivateEngine(address, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=READY_SECONDS)
        _wait_until_gone(place)
        shutil.rmtree(place)


def _wait_until_ready(process: "subprocess.Popen[bytes]", address: str, place: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect(address.removeprefix("unix://"))
            return
        time.sleep(_POLL_SECONDS)
    raise AssertionError((place / "log").read_text(errors="replace")[-2000:])


def _copy_base(address: str) -> None:
    """Bring the base image over from the engine of the machine."""
    with _client(None) as source, _client(address) as target:
        target.load_image(b"".join(source.get_image(LOCAL_BASE)))  # type: ignore[no-untyped-call]  # not in the stubs


@contextmanager
def _client(address: str | None) -> Iterator[docker.APIClient]:
    client = docker.APIClient(base_url=address, version="auto", timeout=int(READY_SECONDS))
    try:
        yield client
    finally:
        client.close()


def _wait_until_gone(place: Path) -> None:
    """Wait for its containerd, and unmount what is left."""
    pid_file = place / "exec/containerd/containerd.pid"
    deadline = time.monotonic() + READY_SECONDS
    while pid_file.exists() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in sorted((one for one in mounts if one.startswith(str(place))), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=False)
