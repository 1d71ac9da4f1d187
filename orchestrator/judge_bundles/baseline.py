"""The run that this one is compared with, as its verdicts in the store tell of it.

Its bundles are taken in again, from where they lay then; one that has changed since is refused.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Literal, Self

from judge_bundles.bundles import snapshot as snapshots
from judge_bundles.bundles.discover import Entry
from judge_bundles.errors import JudgementError
from judge_bundles.intake.intake import Intake
from judge_bundles.judges.baseline import EarlierBundle
from judge_bundles.judges.bundle import Bundle
from judge_bundles.store.storable import stored_id
from judge_bundles.store.store import Store

_KINDS: Final[dict[str, Literal["folder", "archive"]]] = {"folder": "folder", "archive": "archive"}


class StoredBaseline:
    """The bundles of one run of the store, by rule and entry."""

    def __init__(self, bundles: dict[tuple[str, str], EarlierBundle], intake: Intake) -> None:
        self._bundles = bundles
        self._intake = intake

    @classmethod
    def read(cls, store: Store, run_id: str, intake: Intake) -> Self:
        """Return the run as it is in the store now. Raises `StoreError`."""
        entries = {entry.entry_id: entry for entry in store.entries(run_id)}
        bundles = {
            (verdict.rule, verdict.entry_id): EarlierBundle(
                entry_id=verdict.entry_id,
                rule=verdict.rule,
                source=entries[verdict.entry_id].source,
                kind=entries[verdict.entry_id].kind,
                digest=verdict.bundle_digest,
            )
            for verdict in store.verdicts(run_id)
            if verdict.entry_id in entries
        }
        return cls(bundles, intake)

    def find(self, rule: str, entry_id: str) -> EarlierBundle | None:
        """Return the bundle of that entry under the rule of that name; None when it has none."""
        return self._bundles.get((stored_id(rule), stored_id(entry_id)))

    @asynccontextmanager
    async def take(self, earlier: EarlierBundle) -> AsyncIterator[Bundle]:
        """Give a copy of the bundle for as long as it is needed.

        Raises `JudgementError` when it is gone, is refused, or is not what was judged then.
        """
        if earlier.digest is None:
            raise JudgementError("not_judged", "the baseline's bundle was refused at intake")
        kind = _KINDS.get(earlier.kind, "folder")
        try:
            snapshot = await self._intake.copy(Entry(earlier.entry_id, earlier.source, kind))
        except JudgementError as error:
            message = f"the baseline's bundle cannot be taken in: {error.message}"
            raise JudgementError(error.kind, message, retryable=error.retryable) from error
        try:
            if snapshot.digest != earlier.digest:
                raise JudgementError(
                    "not_judged", "the baseline's bundle has changed since it was judged"
                )
            yield Bundle(earlier.entry_id, snapshot.digest, snapshot.tree, earlier.rule)
        finally:
            await asyncio.shield(asyncio.to_thread(snapshots.remove, snapshot))
