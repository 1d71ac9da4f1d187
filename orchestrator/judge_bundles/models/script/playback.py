"""A script being played: which answer, or which fault first, comes next for a judgement.

Only the faults already served are remembered, for each judgement and turn; everything else follows
from the request. Knows nothing of how answers travel.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judge_bundles.models.base import CallContext
from judge_bundles.models.script.answer import answer, turn_for, turn_index
from judge_bundles.models.script.format import Fault, Turn
from judge_bundles.models.script.load import Script


@dataclass(frozen=True, slots=True)
class Answer:
    """A response body, to be given after `delay_s` seconds."""

    message: Mapping[str, Any]
    delay_s: float


@dataclass(frozen=True, slots=True)
class NoConversation:
    """The script says nothing about this judgement."""

    message: str


class Playback:
    """One script and the faults it has served."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._served: Counter[tuple[CallContext, int]] = Counter()

    def next(
        self, context: CallContext, body: Mapping[str, Any]
    ) -> Answer | Fault | NoConversation:
        """Return what the judgement `context` gets for `body`."""
        conversation = self._script.content.conversation_for(context)
        if conversation is None:
            return NoConversation(
                f"script {self._script.file_name} has no conversation for entry {context.entry_id} "
                f"(rule {context.rule}, judge {context.judge}, sample {context.sample})"
            )
        turn = turn_for(conversation, body)
        fault = self._next_fault(turn, (context, turn_index(body)))
        return fault or Answer(answer(conversation, body), turn.delay_s)

    def _next_fault(self, turn: Turn, place: tuple[CallContext, int]) -> Fault | None:
        served = self._served[place]
        for fault in turn.fail:
            if served < fault.times:
                self._served[place] += 1
                return fault
            served -= fault.times
        return None
