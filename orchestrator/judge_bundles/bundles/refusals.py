"""Word the refusal of a bundle: which member, why, and which limit to raise.

The only place where this package makes a `JudgementError` of kind `intake`. Names of members come
from an attacker: they appear in their printable form and bounded.
"""

import os

from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_SHOWN_NAME_CHARACTERS
from judge_prechecks.names import show


def shown(path: bytes) -> str:
    """Return the printable form of a member's path, cut to a bounded number of characters."""
    text = show(os.fsdecode(path[: 4 * MAX_SHOWN_NAME_CHARACTERS]))
    if len(text) <= MAX_SHOWN_NAME_CHARACTERS and len(path) <= 4 * MAX_SHOWN_NAME_CHARACTERS:
        return text
    return text[: MAX_SHOWN_NAME_CHARACTERS - 1] + "…"


def refusal(why: str, member: bytes | None = None) -> JudgementError:
    """Return the error for a bundle that is not taken because of `member`, or as a whole."""
    return JudgementError("intake", f"{_subject(member)}{why}")


def over_limit(what: str, limit: int, option: str, member: bytes | None = None) -> JudgementError:
    """Return the error for a bundle past one of its limits; `option` raises it."""
    return refusal(f"{what} (limit {limit:,}; raise it with {option})", member)


def changed(member: bytes) -> JudgementError:
    """Return the error for a source that changed under the copy; trying again may well help."""
    why = f"{_subject(member)}it changed while the bundle was copied"
    return JudgementError("intake", why, retryable=True)


def system_failure(error: OSError, member: bytes | None = None) -> JudgementError:
    """Return the error for an operating system that would not read the source or write the copy."""
    reason = error.strerror or str(error)
    why = f"{_subject(member)}the operating system refused: {reason}"
    return JudgementError("intake", why, retryable=True)


def _subject(member: bytes | None) -> str:
    return "" if member is None else f"member '{shown(member)}': "
