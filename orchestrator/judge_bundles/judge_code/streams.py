"""Listen to what code writes while it runs: standard output is no way to answer, so it is an error.

What reaches descriptor 1 is heard, whoever wrote it: `print`, a library in C, a program that was
started. Of what Python code writes to standard error the beginning is kept.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from judge_bundles.limits import MAX_CODE_ERROR_CHARACTERS

_OUTPUT: Final = 1


class Heard:
    """What was written, once the code has ended: at least the beginning of it."""

    stdout: str = ""
    stderr: str = ""


class Streams:
    """The streams of a process while it runs code of a rule; one for a process."""

    def __init__(self) -> None:
        self._written = os.memfd_create("stdout")
        # Bytes past the largest file a process may write are an OSError of whoever writes them.
        self._stdout = _text_stream()

    @contextmanager
    def heard(self) -> Iterator[Heard]:
        """Listen until the code ends, however it ends."""
        heard = Heard()
        ours = sys.stdout, sys.stderr
        stderr = _Beginning()
        self._rewind()
        sys.stdout, sys.stderr = self._fresh_stdout(), stderr
        try:
            yield heard
        finally:
            sys.stdout, sys.stderr = ours
            heard.stdout = self._read()
            heard.stderr = stderr.text

    def _rewind(self) -> None:
        os.ftruncate(self._written, 0)
        os.lseek(self._written, 0, os.SEEK_SET)
        os.dup2(self._written, _OUTPUT)

    def _fresh_stdout(self) -> io.TextIOWrapper:
        """Return the same stream every time: code may have kept it from an earlier call."""
        if self._stdout.closed:
            self._stdout = _text_stream()
        return self._stdout

    def _read(self) -> str:
        with suppress(OSError, ValueError):  # closed by the code that ran
            self._stdout.flush()
        return os.pread(self._written, MAX_CODE_ERROR_CHARACTERS, 0).decode("utf-8", "replace")


def _text_stream() -> io.TextIOWrapper:
    raw = open(_OUTPUT, "wb", buffering=0, closefd=False)  # noqa: SIM115 - lives as long as we
    return io.TextIOWrapper(
        raw,
        encoding="utf-8",
        errors="backslashreplace",
        write_through=True,
    )


class _Beginning(io.TextIOBase):
    """Keeps the beginning of what is written, and takes everything."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text[: MAX_CODE_ERROR_CHARACTERS - len(self.text)]
        return len(text)
