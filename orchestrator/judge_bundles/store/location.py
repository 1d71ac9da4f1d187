"""Find out where the store is: from the command line, the environment, or the default file.

A URL may carry a password; only `shown` of it ever reaches a message.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from judge_bundles.errors import StoreUsageError

VARIABLE: Final = "JUDGE_BUNDLES_STORE"
DEFAULT_FOLDER: Final = ".judge-bundles"
DEFAULT_FILE: Final = "store.db"
_SQLITE_OPTIONS: Final = frozenset({"timeout"})
_EXAMPLES: Final = (
    "sqlite:///results.db, sqlite:////var/lib/results.db or postgresql://user@host/name"
)
_DRIVERS: Final = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


@dataclass(frozen=True, slots=True)
class Location:
    """Where a store is. `file` is the absolute path of an SQLite database, else None."""

    url: URL
    shown: str
    file: Path | None


def find(url: str | None) -> Location:
    """Return the place `url` names, or else the variable, or else the default file.

    Raises StoreError for text that is no database URL and for databases that keep nothing.
    """
    given = url or os.environ.get(VARIABLE)
    if not given:
        return _sqlite(URL.create("sqlite", database=f"{DEFAULT_FOLDER}/{DEFAULT_FILE}"))
    parsed = _parse(given)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed)
    return Location(parsed, _shown(parsed), None)


def prepare(location: Location, *, create: bool) -> None:
    """Make sure that an SQLite file is there, readable by its owner only when it is new.

    With `create=False` a file that is not there is a StoreError.
    """
    file = location.file
    if file is None or file.exists():
        return
    if not create:
        raise StoreUsageError(
            f"There is no store at {location.shown}. Judging makes one; --store names another."
        )
    try:
        if file.parent == Path.cwd() / DEFAULT_FOLDER:
            _make_default_folder(file.parent)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreUsageError(
            f"The store {location.shown} could not be created: {error.strerror}. "
            f"Create its folder, or choose another place with --store or {VARIABLE}."
        ) from error


def _make_default_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")


def _parse(given: str) -> URL:
    try:
        parsed = make_url(given)
    except (ArgumentError, ValueError):
        # Not even the text is repeated: what cannot be parsed may still hold a password.
        raise StoreUsageError(
            f"The store's address is no database URL. Write for example {_EXAMPLES} "
            f"(--store or {VARIABLE})."
        ) from None
    return parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))


def _sqlite(url: URL) -> Location:
    database = url.database
    if not database or database == ":memory:" or database.startswith("file:"):
        raise StoreUsageError(
            "The store must be a file that outlives the process: sqlite:///FILE (--store or "
            f"{VARIABLE})."
        )
    if unknown := sorted(set(url.query) - _SQLITE_OPTIONS):
        raise StoreUsageError(
            f"The store's address has the option {unknown[0]}, which is not known for SQLite. "
            f"Known: {', '.join(sorted(_SQLITE_OPTIONS))}."
        )
    file = Path(database).absolute()
    if file.exists() and not file.is_file():
        raise StoreUsageError(f"The store {file} is no regular file. Name one with --store.")
    return Location(url.set(database=str(file)), str(file), file)


def _shown(url: URL) -> str:
    """Return the URL without password and without options, which may hold one too."""
    return url.set(query={}).render_as_string(hide_password=True)
