"""Paths as an agent wrote them, on whatever system it ran: compared by components, never opened."""

import posixpath
import re
from typing import Final

_DRIVE: Final = re.compile(r"[A-Za-z]:/")


def normalized(path: str) -> str:
    """Return a path with `/` between components, without `.`, `..` and doubled separators."""
    plain = posixpath.normpath(path.replace("\\", "/"))
    return plain[1:] if plain.startswith("//") else plain


def is_absolute(path: str) -> bool:
    """Whether a path in any notation does not depend on a working directory."""
    plain = path.replace("\\", "/")
    return plain.startswith(("/", "~")) or _DRIVE.match(plain) is not None


def relative_to(path: str, folder: str) -> str | None:
    """Return the path below a folder, or None when it is not there."""
    plain, above = normalized(path), normalized(folder).rstrip("/") + "/"
    return plain.removeprefix(above) if plain.startswith(above) else None


def joined(folder: str, path: str) -> str:
    """Return where a path leads from a folder, normalized."""
    return normalized(path if is_absolute(path) or not folder else f"{folder}/{path}")
