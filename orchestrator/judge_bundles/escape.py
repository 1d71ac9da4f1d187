"""Make text that came from a bundle or a model harmless, one function per sink.

Names of files have their own reversible form in `judge_prechecks.names`; the functions here are for
text that is only shown.
"""

import re
from typing import Any, Final

from judge_prechecks.names import show

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CI_COMMAND: Final = re.compile(r"^(\s*)(::|##\[|##vso\[)", re.MULTILINE)


def line(text: str, *, limit: int = 0) -> str:
    """For one line of a terminal or a log: printable, no line breaks, no CI commands.

    A `limit` above 0 cuts to that many characters, the ellipsis included.
    """
    shown = defuse_commands(show_keeping_backslashes(text))
    return shown if not limit or len(shown) <= limit else shown[: limit - 1] + "…"


def block(text: str) -> str:
    """For several lines of a terminal: like `line`, but line breaks and tabs stay."""
    normal = text.replace("\r\n", "\n").replace("\t", "    ")
    return defuse_commands("\n".join(show_keeping_backslashes(part) for part in normal.split("\n")))


def show_keeping_backslashes(text: str) -> str:
    r"""Escape what could act or mislead; a backslash stays one, since nobody parses this back."""
    return "\\".join(show(part) for part in text.split("\\"))


def defuse_commands(text: str) -> str:
    """Put a zero-effect mark before what a CI system would read as a command at a line's start."""
    return _CI_COMMAND.sub(r"\1· \2", text)


def json_value(value: Any) -> Any:
    """Return `value` with lone surrogates in every string and key written out as escapes."""
    if isinstance(value, str):
        return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
    if isinstance(value, dict):
        return {json_value(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    return value


def xml(text: str) -> str:
    """Return `text` without the code points that XML 1.0 cannot hold; each becomes its escape."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
