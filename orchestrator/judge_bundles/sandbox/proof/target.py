"""The sandbox under attack: start containers exactly as for a judge, and read what they say.

Blocking throughout: attacks are made one after another.
"""

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

import docker
from requests import exceptions as requests_errors

from judge_bundles.limits import (
    PROOF_OUTPUT_BYTES,
    PROOF_PROGRAM_TIMEOUT_S,
    SANDBOX_OPEN_FILES,
    SANDBOX_TMP_BYTES,
    SANDBOX_TMP_INODES,
    SANDBOX_USER,
)
from judge_bundles.sandbox import launch
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.failure import MAX_REASON_CHARACTERS, classify_end
from judge_bundles.sandbox.lifecycle import remove_container
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.proof import shipping
from judge_bundles.sandbox.proof.decoy import Decoy
from judge_bundles.sandbox.proof.trial import Inside, Trial
from judge_bundles.sandbox.stream import READ_BYTES, STDOUT, Frames

RUN_ID: Final = "proof"
_END_S: Final = 10


class Launch(Protocol):
    """Creates and starts a container, and returns its id and its attached stream."""

    def __call__(self, api: docker.APIClient, plan: launch.Plan) -> tuple[str, socket.socket]: ...


def as_a_judges(api: docker.APIClient, plan: launch.Plan) -> tuple[str, socket.socket]:
    """Create and start a container as for a judge; nothing is left of one that did not start."""
    identity = launch.create(api, plan)
    try:
        return identity, launch.start(api, identity, plan)
    except BaseException:
        remove_container(api, identity)
        raise


@dataclass(frozen=True, slots=True)
class Running:
    """A container with its attached stream."""

    id: str
    stream: socket.socket


@dataclass(frozen=True, slots=True)
class Ended:
    """What a program said until its container ended, and the engine's record of that container.

    Of stdout the beginning is kept, of stderr the end; `printed` counts the bytes of both.
    """

    stdout: bytes
    stderr: bytes
    printed: int
    container: Mapping[str, Any]

    @property
    def end(self) -> str:
        """How it ended, for a detail."""
        stderr = self.stderr.decode("utf-8", "replace")
        error = classify_end(self.container["State"], stderr)
        return f"{error.kind}: {error.message}"

    @property
    def report(self) -> dict[str, Any] | None:
        """What an attack inside reported, or None when its container did not live to report."""
        try:
            found: dict[str, Any] = json.loads(self.stdout)
        except ValueError:
            return None
        return found


class Target:
    """An engine with the image prepared, and a decoy to show. `launched` is replaced in tests only."""

    def __init__(
        self,
        engine: Engine,
        decoy: Decoy,
        *,
        options: SandboxOptions | None = None,
        launched: Launch = as_a_judges,
    ) -> None:
        self.engine = engine
        self.decoy = decoy
        self.options = options or SandboxOptions()
        self._launched = launched

    def given(self, **more: Any) -> dict[str, Any]:
        """Return the values that an attack inside is started with."""
        plan = self._plan(())
        return {
            "engine_kernel": plan.engine_kernel,
            "user": SANDBOX_USER,
            "memory_bytes": plan.options.memory_bytes,
            "pids": plan.options.pids,
            "open_files": SANDBOX_OPEN_FILES,
            "tmp_bytes": SANDBOX_TMP_BYTES,
            "tmp_inodes": SANDBOX_TMP_INODES,
            **more,
        }

    def image_environment(self) -> frozenset[str]:
        """Return the variables that the image itself sets, as NAME=value."""
        assert self.engine.image is not None
        image = self.engine.api.inspect_image(self.engine.image.id)  # type: ignore[no-untyped-call]  # not in the stubs
        return frozenset(image["Config"].get("Env") or ())

    def trial(self) -> Trial:
        """Return the record of an attack that begins; on the host no kernel is the runtime's own."""
        return Trial({})

    def send(self, attack: Inside, trial: Trial, **given: Any) -> None:
        """Make an attack in a fresh container and take its report; without one it was not tried."""
        ended = self.run(shipping.program(attack, self.given(**given)))
        if ended.report is None:
            trial.impossible(f"there was no report: {ended.end}")
        else:
            trial.take(ended.report)

    def run(self, program: tuple[str, ...], *, timeout_s: float = PROOF_PROGRAM_TIMEOUT_S) -> Ended:
        """Run a program to its end, or to the deadline; beyond a bound its output is passed over."""
        with self.started(program) as running:
            said = _read(running.stream, time.monotonic() + timeout_s)
            with suppress(requests_errors.ReadTimeout, requests_errors.ConnectionError):
                self.engine.api.wait(running.id, timeout=_END_S)
            return Ended(*said, self.engine.api.inspect_container(running.id))

    @contextmanager
    def started(
        self, program: tuple[str, ...], *, options: SandboxOptions | None = None
    ) -> Iterator[Running]:
        """Give a container that runs a program; it is removed afterwards."""
        api = self.engine.api
        identity, stream = self._launched(api, self._plan(program, options))
        try:
            with stream:
                yield Running(identity, stream)
        finally:
            remove_container(api, identity)

    def sandbox(
        self, program: tuple[str, ...] | None = None, *, tool_timeout_s: float
    ) -> DockerSandbox:
        """Return a sandbox as a judge has it."""
        return self.engine.sandbox(
            self.decoy.root,
            run_id=RUN_ID,
            entry_id=RUN_ID,
            options=self.options,
            program=program,
            tool_timeout_s=tool_timeout_s,
        )

    def is_gone(self, container: str | None) -> bool:
        """Tell whether the engine no longer has a container."""
        return not self.engine.api.containers(all=True, filters={"id": container or "none"})

    def _plan(self, program: tuple[str, ...], options: SandboxOptions | None = None) -> launch.Plan:
        return self.engine.plan(
            self.decoy.root,
            run_id=RUN_ID,
            entry_id=RUN_ID,
            options=options or self.options,
            program=program,
        )


def _read(stream: socket.socket, deadline: float) -> tuple[bytes, bytes, int]:
    """Read to the end or the deadline; return what `Ended` keeps of it."""
    frames = Frames()
    stdout, stderr, printed = bytearray(), bytearray(), 0
    while (left := deadline - time.monotonic()) > 0:
        stream.settimeout(left)
        try:
            data = stream.recv(READ_BYTES)
        except (TimeoutError, ConnectionError):
            break
        if not data:
            break
        for kind, content in frames.feed(data):
            printed += len(content)
            if kind == STDOUT:
                stdout += content[: PROOF_OUTPUT_BYTES - len(stdout)]
            else:
                stderr = (stderr + content)[-MAX_REASON_CHARACTERS:]
    return bytes(stdout), bytes(stderr), printed
