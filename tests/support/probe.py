"""Run a small Python program inside a sandbox, in place of the tool server, and read what it prints.

Nothing is executed in a running container: the program is what the container is started with.
"""

import json
import socket
import time
from pathlib import Path
from typing import Any

from judge_bundles.sandbox import launch
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.owner import Owner
from judge_bundles.sandbox.stream import STDOUT, Frames

SECONDS = 60.0


def python(code: str) -> tuple[str, ...]:
    """The program that runs `code`, with the tool server's own modules importable."""
    start = "import sys; sys.path.append('/opt/judge-bundles')\n"
    return ("python3", "-I", "-S", "-B", "-X", "utf8", "-c", start + code)


def run(engine: Engine, root: Path, code: str, options: SandboxOptions | None = None) -> Any:
    """Return the JSON that `code` prints in a container that shows `root`."""
    image = engine.image
    assert image is not None
    labels = Owner.this_process().labels("probe", "probe")
    plan = launch.Plan(image.id, root, labels, options or SandboxOptions(), program=python(code))
    container = launch.create(engine.api, plan)
    try:
        with launch.start(engine.api, container, plan) as stream:
            stdout, stderr = _read_all(stream)
    finally:
        engine.api.remove_container(container, force=True, v=True)
    assert stdout, stderr.decode()
    return json.loads(stdout)


def _read_all(stream: socket.socket) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + SECONDS
    frames = Frames()
    said = {True: b"", False: b""}
    while True:
        stream.settimeout(max(0.1, deadline - time.monotonic()))
        data = stream.recv(64 * 1024)
        if not data:
            return said[True], said[False]
        for kind, content in frames.feed(data):
            said[kind == STDOUT] += content
