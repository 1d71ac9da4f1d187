"""The same tool server as a plain process: for fast tests, without any isolation.

It can do whatever the user can who runs it. Nothing in the product judges with it.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from judge_bundles import resources
from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_SANDBOX_STDERR_BYTES, SANDBOX_START_TIMEOUT_S, TOOL_TIMEOUT_S
from judge_bundles.sandbox.failure import classify_end
from judge_bundles.sandbox.protocol import ToolReply
from judge_bundles.sandbox.session import ToolSession
from judge_bundles.sandbox.stream import READ_BYTES, LineStream, StreamEnded

_FLAGS: Final = ("-I", "-S", "-B", "-X", "utf8")


class ProcessSandbox:
    """Tools on the folder `root`, run by `python` in a process of their own."""

    def __init__(
        self,
        root: Path,
        *,
        python: str = sys.executable,
        tool_timeout_s: float = TOOL_TIMEOUT_S,
    ) -> None:
        self._root = root
        self._python = python
        self._tool_timeout_s = tool_timeout_s
        self._stderr: BinaryIO | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._session: ToolSession | None = None

    @property
    def image_id(self) -> None:
        """A plain process has no image."""
        return

    @property
    def stderr(self) -> str:
        """The beginning of what the server said on stderr, until it is stopped."""
        if self._stderr is None:
            return ""
        return os.pread(self._stderr.fileno(), MAX_SANDBOX_STDERR_BYTES, 0).decode(errors="replace")

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolReply:
        """Run one tool on the folder."""
        assert self._session is not None, "a sandbox is used inside `async with`"
        try:
            return await self._session.call(tool, arguments)
        except StreamEnded:
            raise await self._explain_end() from None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException as error:
            await self._stop()
            if isinstance(error, StreamEnded | TimeoutError):
                raise JudgementError("sandbox_start", "The tool server did not start.") from error
            raise
        return self

    async def _start(self) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by _stop
        self._process = process = await asyncio.create_subprocess_exec(
            self._python,
            *_FLAGS,
            str(resources.folder("sandbox_image") / "__main__.py"),
            "--root",
            str(self._root),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._stderr,
            env={},
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stdin is not None
        self._session = ToolSession(
            LineStream(process.stdout, process.stdin, framed=False), timeout_s=self._tool_timeout_s
        )
        async with asyncio.timeout(SANDBOX_START_TIMEOUT_S):
            await self._session.hello()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    async def _explain_end(self) -> JudgementError:
        assert self._process is not None
        code = await self._process.wait()
        return classify_end({"ExitCode": code if code >= 0 else 128 - code}, self.stderr)

    async def _stop(self) -> None:
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            # The whole group: a search in progress has a process of its own. It may have ended
            # already without the loop having heard of it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        # A process counts as ended only once its output is read to the end.
        while process.stdout is not None and await process.stdout.read(READ_BYTES):
            pass
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()
