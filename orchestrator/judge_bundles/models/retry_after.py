"""Read how long a server asks to be left alone, in each of the forms in use."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Return the seconds asked for, never negative, or None when nothing usable is said.

    `headers` must look names up without regard to case. Known forms are `retry-after-ms`, and
    `retry-after` in seconds or as an HTTP date.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, now or datetime.now(UTC))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(text: str | None, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000": UTC of unknown origin
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
