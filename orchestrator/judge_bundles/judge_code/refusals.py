"""What went wrong in a rule's own code, in one printable line that says where."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from judge_bundles import escape, limits
from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_CODE_ERROR_CHARACTERS
from judge_prechecks import names

_MAX_NAME_CHARACTERS: Final = 100
_INSTALLED: Final = "/site-packages/"
_OURS: Final = tuple(
    f"{Path(file).parent}/" for file in (os.__file__, limits.__file__, names.__file__)
)
"""The folders of Python's library and of our own packages, wherever a project root may be."""


@dataclass(frozen=True, slots=True)
class Places:
    """Which files are the author's: by the name their code was compiled under, or below a folder."""

    named: Mapping[str, str] = field(default_factory=dict)
    """How each is called in a message."""
    root: str | None = None

    def label(self, filename: str) -> str | None:
        """Return how a message calls a file, None when it is not the author's."""
        if filename in self.named:
            return self.named[filename]
        if self.root is None or _INSTALLED in filename or filename.startswith(_OURS):
            return None
        relative = filename.removeprefix(self.root.rstrip("/") + "/")
        return relative if relative != filename else None


def refused(what: str) -> JudgementError:
    """Return the error for code of a rule that did what it must not, or did not do what it must."""
    return JudgementError("judge_code", escape.show_keeping_backslashes(what))


def raised(error: BaseException, places: Places) -> JudgementError:
    """Return the error for code of a rule that raised: `KeyError: 'x' (line 3 of check c)`.

    Asking for the text of `error` runs code of the author once more, so that may fail as well.
    """
    name = type(error).__name__[:_MAX_NAME_CHARACTERS]
    text = _text(error)
    return refused(f"{name}{': ' if text else ''}{text}{_where(error, places)}")


def quoted(text: str) -> str:
    """Return the beginning of a text as one printable line between quotes."""
    return f'"{escape.line(text[:MAX_CODE_ERROR_CHARACTERS], limit=MAX_CODE_ERROR_CHARACTERS)}"'


def _text(error: BaseException) -> str:
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 - the author's own __str__ may do anything
        return "its message cannot be shown"
    return escape.line(text[:MAX_CODE_ERROR_CHARACTERS], limit=MAX_CODE_ERROR_CHARACTERS)


def _where(error: BaseException, places: Places) -> str:
    """Return the last line of the author's own that was running."""
    where = ""
    if isinstance(error, SyntaxError) and error.filename is not None:
        label = places.label(error.filename)
        where = f" (line {error.lineno} of {label})" if label else ""
    frame = error.__traceback__
    while frame is not None and not isinstance(error, SyntaxError):
        label = places.label(frame.tb_frame.f_code.co_filename)
        where = f" (line {frame.tb_lineno} of {label})" if label else where
        frame = frame.tb_next
    return where
