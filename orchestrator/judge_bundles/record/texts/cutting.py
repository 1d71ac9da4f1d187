"""Cut text to a budget of characters so that the cut shows and says how much is gone."""

from collections.abc import Iterable, Sequence

from judge_bundles import escape
from judge_bundles.limits import RECORD_MAX_LISTED

MAX_PATH_CHARACTERS = 300
"""Of one path in a text."""


def middle_cut(text: str, limit: int) -> str:
    """Return at most `limit` characters: the beginning and the end, and between them what is gone."""
    if len(text) <= limit:
        return text
    kept = max(0, limit - len(_gap(len(text))))
    mark = _gap(len(text) - kept)
    end = text[len(text) - kept // 2 :] if kept > 1 else ""
    return f"{text[: kept - kept // 2]}{mark}{end}"[:limit]


def end_cut(text: str, limit: int, total: int | None = None) -> str:
    """Return at most `limit` characters: the beginning, and how many characters there are in all."""
    total = len(text) if total is None else total
    if total <= limit:
        return text
    mark = f"\n[… cut, {total:,} characters in all]"
    return f"{text[: max(0, limit - len(mark))]}{mark}"[:limit]


def line(text: str, limit: int) -> str:
    """Return text as one printable line of at most `limit` characters."""
    shown = escape.show_keeping_backslashes(text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def listed(names: Sequence[str], limit: int) -> list[str]:
    """Return names as bullets within `limit` characters; the last one counts those left out."""
    shown: list[str] = []
    left = limit - 40
    for name in names[:RECORD_MAX_LISTED]:
        left -= len(name) + 3
        if left < 0:
            break
        shown.append(f"- {name}")
    if len(shown) < len(names):
        shown.append(f"- and {len(names) - len(shown):,} more")
    return shown


def paragraphs(parts: Iterable[str]) -> str:
    """Return the parts that are not empty, with a blank line between."""
    return "\n\n".join(part for part in parts if part)


def _gap(characters: int) -> str:
    return f"\n\n[… {characters:,} characters left out …]\n\n"
