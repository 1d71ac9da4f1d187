"""The script file, as data. `docs/script-model.md` describes it for those who write one.

A tool input is an object, as the API has it, with any JSON in it on purpose: a script must be able
to say what a careless model says.
"""

from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from judge_bundles.limits import MAX_SCRIPT_DELAY_S, MAX_SCRIPT_REPEATS
from judge_bundles.models.base import CallContext, Price, StopReason

SHORTS: Final = {
    "submit": "submit_verdict",
    "score": "submit_score",
    "compare": "submit_comparison",
}
"""Keys of a turn that stand for a call of the tool by which a judge answers."""

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=MAX_SCRIPT_DELAY_S, allow_inf_nan=False)]
Tokens = Annotated[int, Field(ge=0, le=10**12)]
Repeats = Annotated[int, Field(ge=1, le=MAX_SCRIPT_REPEATS)]
Text = Annotated[str, StringConstraints(min_length=1)]
Call = Annotated[dict[Text, dict[str, Any]], Field(min_length=1, max_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Prices(_Part):
    """US dollars for a million tokens. Cached input costs what input costs unless said otherwise."""

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None

    def price(self) -> Price:
        """Return the same as exact decimals."""
        paid = self.input
        return Price(
            input=_exact(paid),
            output=_exact(self.output),
            cache_read=_exact(paid if self.cache_read is None else self.cache_read),
            cache_write=_exact(paid if self.cache_write is None else self.cache_write),
        )


def _exact(dollars: float) -> Decimal:
    return Decimal(str(dollars))


class TurnUsage(_Part):
    """What a turn says it used."""

    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0


class Fault(_Part):
    """Something that goes wrong `times` times before a turn is answered: one of the three."""

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    disconnect: Literal[True] | None = None
    body: str | None = None
    retry_after: Seconds | None = None
    message: Text | None = None
    times: Repeats = 1

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if sum(value is not None for value in (self.status, self.disconnect, self.body)) != 1:
            raise ValueError("a fault is exactly one of status, disconnect or body")
        if self.status is None and (self.retry_after is not None or self.message is not None):
            raise ValueError("retry_after and message belong to a status")
        return self


class Turn(_Part):
    """One answer of the assistant."""

    thinking: Text | None = None
    say: Text | None = None
    calls: list[Call] = []
    submit: dict[str, Any] | None = None
    score: dict[str, Any] | None = None
    compare: dict[str, Any] | None = None
    stop_reason: StopReason | None = None
    usage: TurnUsage | None = None
    delay_s: Seconds = 0.0
    fail: list[Fault] = []
    repeat: Repeats | Literal["forever"] = 1

    @property
    def tool_calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls as (tool, input), the answer last."""
        calls = [(name, value) for call in self.calls for name, value in call.items()]
        answers = ((tool, getattr(self, key)) for key, tool in SHORTS.items())
        return [*calls, *((tool, value) for tool, value in answers if value is not None)]

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not (self.thinking or self.say or self.tool_calls or self.stop_reason):
            raise ValueError(
                "a turn needs say, calls, submit, score, compare, thinking or stop_reason"
            )
        return self


class Conversation(_Part):
    """The turns for the judgements it matches; every pattern left out matches all."""

    entry: Text = "*"
    rule: Text = "*"
    judge: Text = "*"
    sample: Annotated[int, Field(ge=1)] | None = None
    turns: Annotated[list[Turn], Field(min_length=1)]

    @model_validator(mode="after")
    def _is_all_reachable(self) -> Self:
        if any(turn.repeat == "forever" for turn in self.turns[:-1]):
            raise ValueError("only the last turn can have repeat: forever")
        return self

    def matches(self, context: CallContext) -> bool:
        """Return whether this is the conversation for such a judgement."""
        return (
            fnmatchcase(context.entry_id, self.entry)
            and fnmatchcase(context.rule, self.rule)
            and fnmatchcase(context.judge, self.judge)
            and self.sample in {None, context.sample}
        )

    def turn_at(self, index: int) -> Turn | None:
        """Return the turn of the assistant's message `index` (from 0); None past the end."""
        for turn in self.turns:
            if turn.repeat == "forever" or index < turn.repeat:
                return turn
            index -= turn.repeat
        return None


class ScriptFile(_Part):
    """A whole file."""

    prices: Prices | None = None
    conversations: Annotated[list[Conversation], Field(min_length=1)]

    def conversation_for(self, context: CallContext) -> Conversation | None:
        """Return the first conversation that matches."""
        return next((c for c in self.conversations if c.matches(context)), None)
