"""JSONPath beyond plain dotted names, through `jsonpath_ng.ext` (filters, slices, `..`, `len`, …).

The library is imported only when a rule needs it. A text is parsed when the rule loads, so that a
mistake is an error of the rule; evaluating it on a hostile document raises nothing but `ValueError`.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_prechecks.outcome import JSON

_MULTIPLE: Final = frozenset(
    {"Descendants", "Filter", "Slice", "Union", "Where", "WhereNot", "Wildcard", "_Union"}
)
_FROM_LEFT: Final = frozenset({"Child", "Descendants"})


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed JSONPath. `multiple`: it can select any number of values."""

    expression: Any
    multiple: bool

    @classmethod
    def compile(cls, text: str) -> "Query":
        """Return the parsed path; a `ValueError` says why `text` is none."""
        from jsonpath_ng.ext.parser import parse  # noqa: PLC0415  # 35 ms most rules need not pay

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # old operators still work
            try:
                expression = parse(text)
            except Exception as error:  # noqa: BLE001  # its parser raises bare Exceptions
                raise ValueError(f"is not a JSONPath: {error}{_hint(text)}") from None
        return cls(expression, _is_multiple(expression))

    def find(self, document: JSON) -> Sequence[JSON]:
        """Return the selected values."""
        return _find(self.expression, document)

    def containers(self, document: JSON) -> tuple[str, Sequence[JSON]] | None:
        """Return text and values of the part before the first step that selects several."""
        node = self.expression
        while type(node).__name__ in _FROM_LEFT and _is_multiple(node.left):
            node = node.left
        if type(node).__name__ in _FROM_LEFT:
            return str(node.left), _find(node.left, document)
        return None


def _find(expression: Any, document: JSON) -> Sequence[JSON]:
    try:
        found = expression.find(document)
        return [match.value for match in (found if isinstance(found, list) else [found])]
    except MemoryError:  # says nothing about the document
        raise
    except Exception as error:  # operators meet values of any type  # noqa: BLE001
        raise ValueError(f"{type(error).__name__}: {error}".rstrip(": ")) from None


def _is_multiple(node: Any) -> bool:
    kind = type(node).__name__
    if kind in _MULTIPLE:
        return True
    if kind == "Child":
        return _is_multiple(node.left) or _is_multiple(node.right)
    return len(getattr(node, "fields", ())) > 1 or len(getattr(node, "indices", ())) > 1


def _hint(text: str) -> str:
    return (
        ""
        if "'" in text or '"' in text
        else "; a key with other characters is written ['like this']"
    )
