"""The record as text for prompts, each within its budget and saying what it leaves out.

Deterministic: the same bundle gives the same text. Nothing here renders templates; `variables` gives
a template what it can name, as texts and as mappings that read as text.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final

from judge_bundles.limits import TextBudgets
from judge_bundles.record.record import Record
from judge_bundles.record.texts.cutting import middle_cut
from judge_bundles.record.texts.evidence import evidence
from judge_bundles.record.texts.fields import bold_fields, bullets
from judge_bundles.record.texts.outputs import outputs
from judge_bundles.record.texts.shown import Shown
from judge_bundles.record.texts.trace import tool_trace

__all__ = ["VARIABLES", "Shown", "Texts"]

VARIABLES: Final = ("outputs", "conversation", "tool_trace", "inputs", "evidence", "annotations")
"""What a template can name."""

_NOT_IN_OUTPUTS: Final = frozenset({"conversation"})


class Texts:
    """The texts of one record; each is made when it is first asked for, and kept."""

    def __init__(self, record: Record, budgets: TextBudgets | None = None) -> None:
        self._record = record
        self._budgets = budgets or TextBudgets()

    @cached_property
    def outputs(self) -> str:
        """The files as markdown, the main one first; see `texts.outputs`."""
        return outputs(self._record, self._budgets)

    @cached_property
    def conversation(self) -> str:
        """What the root agent said; the middle is left out of what is too long."""
        return middle_cut(self._record["conversation"], self._budgets.conversation)

    @cached_property
    def tool_trace(self) -> str:
        """The tool calls in their order, one line each."""
        return tool_trace(self._record, self._budgets)

    @cached_property
    def evidence(self) -> str:
        """What the agent did, counted: turns, cost, tools, files read and written, errors."""
        return evidence(self._record, self._budgets)

    @cached_property
    def inputs(self) -> str:
        """The task's input, `**key**: value` for each field."""
        return bold_fields(self._record["inputs"], self._budgets.inputs, self._budgets.one_field)

    @cached_property
    def annotations(self) -> str:
        """The annotations as bullets."""
        budgets = self._budgets
        return bullets(self._record["annotations"], budgets.annotations, budgets.one_field)

    def variables(self, names: Iterable[str] = VARIABLES) -> dict[str, Any]:
        """Return the template variables of these names; nothing is worked out for any other.

        `outputs`, `inputs` and `annotations` are mappings that read as their text. `outputs` has no
        `conversation`: the variable of that name is the way to it.
        Raises `KeyError` for a name that is none of `VARIABLES`.
        """
        known: dict[str, Callable[[], Any]] = {
            "outputs": lambda: Shown(self._record, lambda: self.outputs, _NOT_IN_OUTPUTS),
            "conversation": lambda: self.conversation,
            "tool_trace": lambda: self.tool_trace,
            "inputs": lambda: Shown(self._record["inputs"], lambda: self.inputs),
            "evidence": lambda: self.evidence,
            "annotations": lambda: Shown(self._record["annotations"], lambda: self.annotations),
        }
        return {name: known[name]() for name in names}
