"""Match what lies below RUNS against `--glob`, as prechecks match: whole components, `**` any depth.

Unlike in a precheck the pattern is the whole path from RUNS, so that `*` alone means what lies
directly in it. A name that starts with a dot is only matched by a component that does, too.
"""

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from judge_bundles.errors import UserError
from judge_prechecks.names import show
from judge_prechecks.patterns import Component, fits, fits_below


@dataclass(frozen=True, slots=True)
class BundlePattern:
    """One `--glob`: what each component of a path must fit (None is `**`), and the dotted ones."""

    components: tuple[Component | None, ...]
    dotted: tuple[Component, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pattern relative to RUNS; raises `UserError` for one that could match nothing."""
        parts = [part for part in text.split("/") if part not in ("", ".")]
        if text.startswith("/") or ".." in parts or not parts or "\0" in text:
            raise UserError(
                f"--glob '{show(text)}': give a pattern below RUNS, such as 'jobs/*/*', without a"
                " leading '/' and without '..'"
            )
        if parts[-1] == "**":  # what lies below, not the folder itself
            parts.append("*")
        components = tuple(None if part == "**" else _component(part) for part in parts)
        return cls(components, tuple(_component(part) for part in parts if part.startswith(".")))

    def fits(self, names: Sequence[str]) -> bool:
        """Say whether a path below RUNS, given as its names, is what the pattern means."""
        return self._sees(names) and fits(self.components, names)

    def fits_below(self, names: Sequence[str]) -> bool:
        """Say whether something below that path could be."""
        return self._sees(names) and fits_below(self.components, names)

    def _sees(self, names: Sequence[str]) -> bool:
        return all(
            not name.startswith(".") or any(component(name) for component in self.dotted)
            for name in names
        )


def _component(part: str) -> Component:
    return re.compile(fnmatch.translate(part)).match
