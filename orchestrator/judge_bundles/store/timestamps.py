"""The one form of time in the store."""

from datetime import UTC, datetime


def now() -> str:
    """Return the time as ISO 8601 in UTC with microseconds, whose text order is time order."""
    return _form(datetime.now(UTC))


def at(epoch_s: float) -> str:
    """Return that time in the same form."""
    return _form(datetime.fromtimestamp(epoch_s, UTC))


def _form(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
