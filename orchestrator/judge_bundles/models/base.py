"""What a judge knows of a model: one request in, one reply out.

Messages are JSON in the form of the Messages API, kept and recorded exactly as they are sent; the
SDK itself is imported only by the modules beside this one. A model never decides anything: it does
not interpret replies, run tools or hold a conversation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.errors import JudgementError
from judge_bundles.verdict import Usage

Message = Mapping[str, Any]
"""`{"role": "user"|"assistant", "content": [block, …]}` in the form of the Messages API."""

Block = Mapping[str, Any]
"""One content block in the form of the Messages API."""

StopReason = Literal[
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]
Effort = Literal["low", "medium", "high", "xhigh", "max"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to the model; `strict` asks the server to enforce the schema."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `tool_choice`: "auto", "any", or the name of the tool that must be called."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    max_tokens: int
    tool_choice: str = "auto"
    effort: Effort | None = None
    thinking: Mapping[str, Any] | None = None
    repeated: bool = True
    """The messages will be sent again. Those that are not would only cost more in a cache."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """For whom a call is made. Only the scripted model and the logs look at it."""

    entry_id: str
    rule: str
    judge: str
    sample: int = 1


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A `tool_use` block of a reply; `input` is the object the model wrote, not yet validated."""

    id: str
    name: str
    input: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `content` is the assistant message's blocks, to be sent back unchanged."""

    content: tuple[Block, ...]
    stop_reason: StopReason | None
    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model: str
    request_id: str | None = None
    attempts: int = 1
    """HTTP requests it took, the successful one included."""
    unaccounted_attempts: int = 0
    """Of these, requests without a readable answer that may have been charged all the same."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The response body as JSON, for the transcript."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens.

    Some models charge all tokens of a call more once its prompt is long: `above` lists such prices
    as (tokens the prompt must exceed, price), ascending. Costs are therefore added up call by call,
    in dollars; the summed tokens of several calls say nothing about their price.
    """

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal
    above: "tuple[tuple[int, Price], ...]" = ()

    def cost(self, usage: Usage) -> Decimal:
        """Dollars that one call with `usage` costs."""
        rate = self._rate(usage.total_tokens - usage.output_tokens)
        return (
            rate.input * usage.input_tokens
            + rate.output * usage.output_tokens
            + rate.cache_read * usage.cache_read_tokens
            + rate.cache_write * usage.cache_write_tokens
        ) / 1_000_000

    @property
    def dearest(self) -> "Price":
        """The price of the longest prompts: what a reservation has to reckon with."""
        return self.above[-1][1] if self.above else self

    def _rate(self, prompt_tokens: int) -> "Price":
        passed = [price for threshold, price in self.above if prompt_tokens > threshold]
        return passed[-1] if passed else self


class ModelCallError(JudgementError):
    """A call that ended without an answer, with the number of HTTP requests it took."""

    def __init__(
        self, kind: ErrorKind, message: str, *, attempts: int, unaccounted_attempts: int
    ) -> None:
        super().__init__(kind, message)
        self.attempts = attempts
        self.unaccounted_attempts = unaccounted_attempts


class Model(Protocol):
    """A named model. Failures are raised as `JudgementError` with a `model_*` or `timeout` kind."""

    @property
    def name(self) -> str:
        """As the user wrote it: `claude-…`, `bedrock/…`, `script:demo.yaml`."""

    @property
    def identity(self) -> str:
        """What decides whether two verdicts came from the same model; a script's is its content."""

    @property
    def scripted(self) -> bool:
        """True when no model judges."""

    @property
    def price(self) -> Price | None:
        """What tokens cost, or None when it is not known."""

    async def create(self, request: Request, context: CallContext, *, timeout_s: float) -> Reply:
        """Send one request, retrying what may be retried, all within `timeout_s` seconds."""

    def wire_body(self, request: Request) -> Mapping[str, Any]:
        """Return the JSON body `create` would send, for the transcript."""

    async def close(self) -> None:
        """Give back connections."""
