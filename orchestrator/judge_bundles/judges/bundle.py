"""One bundle as a judge sees it."""

from dataclasses import dataclass

from judge_prechecks.tree import Tree


@dataclass(frozen=True, slots=True)
class Bundle:
    """One bundle under one rule: its snapshot, and where it belongs."""

    entry_id: str
    digest: str
    tree: Tree
    rule: str
