"""A mapping that reads as text: what `{{ outputs }}` and `{{ outputs.files }}` in a template mean."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Shown(Mapping[str, Any]):
    """Members of a mapping, less those hidden; `str()` gives a text that is made only then."""

    def __init__(
        self,
        members: Mapping[str, Any],
        text: Callable[[], str],
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self._members = members
        self._text = text
        self._hidden = hidden

    def __getitem__(self, key: str) -> Any:
        if key in self._hidden:
            raise KeyError(key)
        return self._members[key]

    def __contains__(self, key: object) -> bool:
        return key not in self._hidden and key in self._members

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._members if key not in self._hidden)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __str__(self) -> str:
        return self._text()
