"""What a judge knows of the run that this one is compared with: its bundles, one at a time."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from judge_bundles.judges.bundle import Bundle


@dataclass(frozen=True, slots=True)
class EarlierBundle:
    """A bundle of the baseline run under one rule: where it lay, and the digest it had.

    `digest` is None when it was refused at intake.
    """

    entry_id: str
    rule: str
    source: str
    kind: str
    digest: str | None


class Baseline(Protocol):
    """An earlier run."""

    def find(self, rule: str, entry_id: str) -> EarlierBundle | None:
        """Return the bundle of that entry under the rule of that name; None when it has none."""

    def take(self, earlier: EarlierBundle) -> AbstractAsyncContextManager[Bundle]:
        """Give a copy of the bundle for as long as it is needed.

        Raises `JudgementError` when it is gone, is refused, or is not what was judged then.
        """
