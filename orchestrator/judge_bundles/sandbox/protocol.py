"""What a judge knows of a sandbox: named tools that look into one bundle, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self

ToolErrorKind = Literal[
    "not_found",  # no such file or folder in the bundle
    "not_text",  # the tool reads text and the file is something else
    "bad_input",  # the arguments do not fit the tool
    "bad_pattern",  # not a regular expression
    "too_large",  # over what the tool returns
    "timed_out",  # a bounded search was ended
    "bad_json",  # json_query on a file that is not JSON
    "unreadable",  # the operating system refused
]


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `start` (included) to `end` (excluded) of `file` whose content was shown.

    `file` is the printable form of its name (`judge_prechecks.names.show`).
    """

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Media:
    """An image or PDF read whole: `media_type` as in the Messages API, `data` in base64.

    `pages` is 1 for an image; of a PDF about as many as it has, or None where they cannot be counted.
    """

    kind: Literal["image", "document"]
    media_type: str
    data: str
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool answered.

    `text` is for the model: it states its window and says plainly when it was `cut`. `shown` are the
    bytes whose content stands in `text` (or in `media`), `stated` the parts of `text` that are values
    of the file without being its bytes; what only repeats the request is neither. An answer with
    `error_kind` is a typed refusal for the model to read, not a failure of the sandbox.
    """

    text: str
    shown: tuple[ByteRange, ...] = ()
    media: tuple[Media, ...] = ()
    cut: bool = False
    error_kind: ToolErrorKind | None = None
    stated: tuple[str, ...] = ()


class Sandbox(Protocol):
    """One fresh sandbox for one judgement, used as an async context manager and always removed.

    Failures of the sandbox itself are raised as `JudgementError` with a `sandbox_*` or `engine`
    kind; after one the sandbox is of no further use.
    """

    @property
    def image_id(self) -> str | None:
        """The engine's id of the image the tools run in; None for a plain process."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Run one tool on the bundle."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
