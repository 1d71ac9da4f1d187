"""Select from one parsed file, and say in different words what is missing, null or of a wrong type."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from judge_prechecks.outcome import JSON, UnmetError
from judge_prechecks.present import counted, cut, describe, printable, quote
from judge_prechecks.selecting import Selector, Step, path_text, walk

_KEYS_COMPARED: Final = 50
_KEYS_SHOWN: Final = 8
_KEY_CHARACTERS: Final = 60


@dataclass(slots=True)
class Document:
    """The value of the file `name` (in printable form)."""

    name: str
    value: JSON

    def find(self, selector: Selector) -> Sequence[JSON]:
        """Return everything the selector selects; a JSONPath that cannot be evaluated is unmet."""
        try:
            return selector.find(self.value)
        except ValueError as error:
            message = f"{self.at(selector)} cannot be evaluated on this document ({error})"
            raise self.unmet(selector, message) from None

    def one(self, selector: Selector, expected: str) -> JSON:
        """Return the one selected value, which may be null; `expected` names what is needed."""
        values = self.find(selector)
        if not values:
            raise self._missing(selector, expected)
        if len(values) > 1:
            message = f"{self.at(selector)} selects {len(values):,} values where one is needed"
            raise self.unmet(selector, message, observed=list(values[:10]), expected=expected)
        return values[0]

    def array(self, selector: Selector) -> Sequence[JSON]:
        """Return the items of the selected array, or all values of a path that selects many."""
        if selector.multiple:
            return self.find(selector) or self._none_of(selector)
        value = self.one(selector, "an array")
        if isinstance(value, list):
            return value
        raise self.wrong_type(selector, value, "an array")

    def object(self, selector: Selector) -> dict[str, Any]:
        """Return the selected object."""
        value = self.one(selector, "an object")
        if isinstance(value, dict):
            return value
        raise self.wrong_type(selector, value, "an object")

    def at(self, selector: Selector) -> str:
        """Return `findings.json: findings`."""
        return f"{self.name}: {selector.shown}"

    def unmet(
        self,
        selector: Selector,
        message: str,
        *,
        observed: JSON = None,
        expected: JSON = None,
        details: tuple[str, ...] = (),
    ) -> UnmetError:
        """Return the failure of a precheck at this place of the document."""
        return UnmetError(
            message,
            file=self.name,
            path=selector.text,
            observed=observed,
            expected=expected,
            details=details,
        )

    def wrong_type(self, selector: Selector, value: JSON, expected: str) -> UnmetError:
        """Return the failure for a value of another type; null has a sentence of its own."""
        where = self.at(selector)
        message = (
            f"{where} is null; {expected} is needed"
            if value is None
            else f"{where} is {describe(value)}, not {expected}"
        )
        return self.unmet(selector, message, observed=value, expected=expected)

    def _missing(self, selector: Selector, expected: str) -> UnmetError:
        message = f"{self.at(selector)} is missing"
        details = _where_it_ends(self.value, selector)
        return self.unmet(selector, message, expected=expected, details=details)

    def _none_of(self, selector: Selector) -> Sequence[JSON]:
        """Return no values, if there was something to select from."""
        chosen_from = selector.containers(self.value)
        if chosen_from is None:
            return ()
        path, containers = chosen_from
        if not containers:
            message = f"{self.at(selector)} selects nothing: {printable(cut(path))} is missing"
            raise self.unmet(selector, message, expected="an array or object")
        for value in containers:
            if not isinstance(value, list | dict):
                message = (
                    f"{self.at(selector)} selects nothing: "
                    f"{printable(cut(path))} is {describe(value)}, not an array or object"
                )
                raise self.unmet(selector, message, observed=value, expected="an array or object")
        return ()


def _where_it_ends(document: JSON, selector: Selector) -> tuple[str, ...]:
    """Describe the last place on a walk that does exist, and what may have been meant."""
    steps = selector.steps or ()
    for number in range(len(steps)):
        if not walk(document, steps[: number + 1]):
            return (_last_place(steps[:number], walk(document, steps[:number]), steps[number]),)
    return ()


def _last_place(before: Sequence[Step], values: Sequence[JSON], step: Step) -> str:
    if len(values) > 1:
        return f"none of {counted(len(values), 'value')} at {path_text(before)} has what follows"
    return f"{path_text(before)} is {describe(values[0])}{_hint(values[0], step)}"


def _hint(value: JSON, step: object) -> str:
    if isinstance(value, dict) and value and isinstance(step, str):
        keys = [key for key in islice(value, _KEYS_COMPARED) if len(key) <= _KEY_CHARACTERS]
        close = difflib.get_close_matches(step, keys, n=1)
        if close:
            return f" (did you mean {quote(close[0])}?)"
        return f", among them {', '.join(map(quote, keys[:_KEYS_SHOWN]))}" if keys else ""
    if isinstance(value, list) and isinstance(step, str):
        return "; its items are [0], [1], … or [*]"
    return ""
