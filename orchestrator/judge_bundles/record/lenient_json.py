"""Read JSON that a program wrote while it ran: one document, or one to a line.

More forgiving than the gate, which is there to refuse: equal keys (the last counts), NaN (no number,
so null) and halves of characters (replaced) are what real trajectories hold. Size, depth and the
number of values stay bounded, and whatever cannot be read raises `BrokenJsonError`, nothing else.
"""

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

from judge_bundles.limits import RECORD_MAX_BROKEN_LINES, RECORD_MAX_JSON_NODES
from judge_prechecks.json_shape import measure
from judge_prechecks.limits import MAX_INTEGER_DIGITS, MAX_JSON_DEPTH
from judge_prechecks.outcome import JSON

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REPLACEMENT: Final = "\ufffd"
_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = re.compile(rb"[ \t\r\n]*")


class BrokenJsonError(ValueError):
    """The text is no JSON, or more of it than is read; the message says which."""


class TooManyValuesError(BrokenJsonError):
    """It may well be JSON, but building it would take more memory than a record may have."""


@dataclass(slots=True)
class Allowance:
    """How many values may still be built; shared by everything that is kept in memory at once."""

    nodes: int = RECORD_MAX_JSON_NODES

    def take(self, nodes: int) -> bool:
        """Return whether so many fit, and take them if they do."""
        if nodes > self.nodes:
            return False
        self.nodes -= nodes
        return True

    def give_back(self, nodes: int) -> None:
        """Take back what was not built after all."""
        self.nodes += nodes


@dataclass(slots=True)
class Lines:
    """The values of a file of lines, in order, and what of it could not be used."""

    values: list[JSON] = field(default_factory=list)
    broken: int = 0
    left_out: int = 0
    """Lines past the allowance, or past too many broken ones."""


def parse(data: bytes, allowance: Allowance) -> JSON:
    """Return the value of one document."""
    data = data.removeprefix(_BOM)
    shape = measure(data)
    if shape.depth > MAX_JSON_DEPTH:
        raise BrokenJsonError(f"nested more than {MAX_JSON_DEPTH} levels deep")
    nodes = shape.nodes + 1
    if not allowance.take(nodes):
        raise TooManyValuesError("it holds too many values")
    try:
        value: JSON = _DECODER.decode(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        allowance.give_back(nodes)
        reason = "nested too deep" if isinstance(error, RecursionError) else f"{error}"
        raise BrokenJsonError(f"not valid JSON ({reason})") from None
    return _sound(value) if b"\\ud" in data or b"\\uD" in data else value


def parse_lines(data: bytes, allowance: Allowance) -> Lines:
    """Return the values of all lines that are JSON; blank lines count as nothing."""
    lines = Lines()
    start = _past_blanks(data, 0)
    while start < len(data):
        if not allowance.nodes or lines.broken == RECORD_MAX_BROKEN_LINES:
            lines.left_out += data.count(b"\n", start, -1) + 1
            break
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        try:
            lines.values.append(parse(data[start:end], allowance))
        except TooManyValuesError:
            lines.left_out += 1
        except BrokenJsonError:
            lines.broken += 1
        start = _past_blanks(data, end)
    return lines


def _past_blanks(data: bytes, start: int) -> int:
    blanks = _BLANKS.match(data, start)
    return start if blanks is None else blanks.end()


def _whole(text: str) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise BrokenJsonError(f"a number has more than {MAX_INTEGER_DIGITS:,} digits")
    return int(text)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _no_number(_name: str) -> None:
    return None


_DECODER: Final = json.JSONDecoder(parse_int=_whole, parse_float=_finite, parse_constant=_no_number)


def _sound(value: Any) -> Any:
    """Return `value` with every half of a character replaced; the depth was measured before."""
    if isinstance(value, str):
        return _SURROGATE.sub(_REPLACEMENT, value)
    if isinstance(value, list):
        return [_sound(item) for item in value]
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return value
