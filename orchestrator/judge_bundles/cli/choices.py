"""Values that options choose from."""

from enum import StrEnum
from typing import Final

NEWEST: Final = "newest"
"""What `--resume` means without a run id."""


class Format(StrEnum):
    """What stdout carries."""

    table = "table"
    json = "json"
    jsonl = "jsonl"


class FailOn(StrEnum):
    """Which failures end in exit code 1."""

    any = "any"
    new = "new"


class RecordFormat(StrEnum):
    """What `show` and `runs` print."""

    text = "text"
    json = "json"


class LogFormat(StrEnum):
    """How events on stderr look."""

    console = "console"
    json = "json"
