"""The one form of time in the store."""

from datetime import UTC, datetime


def now() -> str:
    """Return the time as ISO 8601 in UTC with microseconds, whose text order is time order."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
