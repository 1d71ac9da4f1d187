"""What a tool gives back: an answer, or a typed refusal for the model to read."""

from __future__ import annotations

from typing import Any, NamedTuple

from sandbox_image.names import show


class Shown(NamedTuple):
    """Bytes `start` (included) to `end` (excluded) of `file`, by its exact name."""

    file: str
    start: int
    end: int


class Media(NamedTuple):
    """An image or PDF: `kind` is "image" or "document", `data` base64, `pages` None if unknown."""

    kind: str
    media_type: str
    data: str
    pages: int | None


class Answer(NamedTuple):
    """`cut`: less is shown than was asked for, because of a bound; the text says so too.

    `stated` are the parts of the text that are values of the file, without what the request said.
    """

    text: str
    shown: tuple[Shown, ...] = ()
    media: tuple[Media, ...] = ()
    cut: bool = False
    stated: tuple[str, ...] = ()


class ToolError(Exception):
    """A refusal. `kind` is one of the host's `ToolErrorKind`, `text` says what to do instead."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def refuse_arguments(text: str) -> ToolError:
    """Return the refusal of arguments that do not fit the tool."""
    return ToolError("bad_input", text)


def to_json(answer: Answer) -> dict[str, Any]:
    """Return the answer's part of a reply line, in which names are printable."""
    return {
        "text": answer.text,
        "shown": [{**shown._asdict(), "file": show(shown.file)} for shown in answer.shown],
        "media": [media._asdict() for media in answer.media],
        "cut": answer.cut,
        "stated": list(answer.stated),
        "error_kind": None,
    }


def refusal_to_json(error: ToolError) -> dict[str, Any]:
    """Return a refusal's part of a reply line."""
    return {**to_json(Answer(error.text)), "error_kind": error.kind}
