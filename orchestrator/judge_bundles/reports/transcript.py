"""A conversation with a judge for people: each message once, media named instead of printed."""

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from judge_bundles.reports.style import block, plain
from judge_bundles.store.records import Transcript

_INDENT = 3
_BASE64_CHARACTERS = 4
_BASE64_BYTES = 3  # in each group of so many characters


def print_transcript(console: Console, transcript: Transcript) -> None:
    """Print a conversation in full, but for images and documents: those are named."""
    console.print(
        Text.assemble(
            ("\ntranscript ", "bold"),
            plain(transcript.judge),
            f", sample {transcript.sample}, model ",
            plain(transcript.model or "none"),
        )
    )
    _print_message(console, "system", transcript.system)
    for message in transcript.messages:
        _print_message(console, str(message.get("role")), message.get("content"))


def _print_message(console: Console, role: str, content: object) -> None:
    console.print(Text.assemble("── ", plain(role), style="bold"))
    for part in content if isinstance(content, (list, tuple)) else [content]:
        console.print(Padding(_shown(part), (0, 0, 0, _INDENT)))


def _shown(part: object) -> Text:
    """Return one content block as text: what was said, called or answered, without the JSON."""
    if isinstance(part, str):
        return block(part)
    shown = _block(part) if isinstance(part, Mapping) else None
    return block(_json(part)) if shown is None else shown


def _block(part: Mapping[str, Any]) -> Text | None:
    match part.get("type"):
        case "text":
            return block(str(part.get("text")))
        case "thinking":
            return Text.assemble(("thinks ", "dim"), block(str(part.get("thinking"))))
        case "tool_use":
            name = plain(str(part.get("name")), style="cyan")
            return Text.assemble(("calls ", "dim"), name, " ", block(_json(part.get("input"))))
        case "tool_result":
            return _result(part)
    return None


def _result(part: Mapping[str, Any]) -> Text:
    answer = Text("is told it failed" if part.get("is_error") else "is answered", "dim")
    content = part.get("content")
    for one in content if isinstance(content, (list, tuple)) else [content]:
        answer.append("\n").append_text(_shown(one))
    return answer


def _json(value: object) -> str:
    return json.dumps(without_media(value), indent=2, ensure_ascii=False, default=str)


def without_media(value: Any) -> Any:
    """Return a JSON value with a note of type and size in the place of every base64 payload."""
    if isinstance(value, Mapping):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return dict(value) | {"data": _note(value["data"], value.get("media_type"))}
        return {key: without_media(item) for key, item in value.items()}
    return [without_media(item) for item in value] if isinstance(value, (list, tuple)) else value


def _note(data: str, media_type: object) -> str:
    size = len(data) * _BASE64_BYTES // _BASE64_CHARACTERS - data[-2:].count("=")
    return f"[{size:,} bytes of {media_type or 'unnamed media'}, not shown]"
