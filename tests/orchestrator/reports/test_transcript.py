import base64
import io
import json
from typing import Any

import pytest

from judge_bundles.reports.style import console
from judge_bundles.reports.transcript import print_transcript, without_media
from judge_bundles.store.records import Transcript
from tests.support.reports import HOSTILE, ci_commands


def shown(*messages: dict[str, Any], system: Any = None) -> str:
    stream = io.StringIO()
    print_transcript(console(stream), Transcript("rubric", 1, "m", system, messages))
    return stream.getvalue()


def media(data: bytes, kind: str = "image", media_type: str = "image/png") -> dict[str, Any]:
    encoded = base64.b64encode(data).decode()
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": encoded}}


def test_everything_said_is_shown_and_harmless() -> None:
    text = shown(
        {"role": "user", "content": HOSTILE},
        {"role": "user", "content": [{"type": "text", "text": HOSTILE}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": f"hm {HOSTILE}", "signature": "s"},
                {"type": "tool_use", "name": f"read_file{HOSTILE}", "input": {"path": HOSTILE}},
                {"type": "new_kind", "text": HOSTILE},
            ],
        },
        {
            "role": f"user{HOSTILE}",
            "content": [
                {"type": "tool_result", "content": [{"type": "text", "text": f"ans\n{HOSTILE}"}]},
                {"type": "tool_result", "is_error": True, "content": "no such file"},
                None,
            ],
        },
        system=[{"type": "text", "text": "be exact"}],
    )
    for expected in ("be exact", "thinks hm", "calls read_file", '"path"', "is answered", "ans"):
        assert expected in text
    assert "is told it failed\n   no such file" in text
    assert "new_kind" in text
    assert "\x1b" not in text
    assert not ci_commands(text)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 3000])
def test_media_are_named_with_their_size_instead_of_printed(size: int) -> None:
    block = media(b"x" * size, "document", "application/pdf")
    for message in ([block], [{"type": "tool_result", "content": [block]}]):
        text = shown({"role": "user", "content": message})
        assert f"[{size:,} bytes of application/pdf, not shown]" in text
        assert len(text) < 1000


def test_media_are_found_wherever_they_are_and_the_rest_stays() -> None:
    value = {"a": [media(b"abc"), 1, None], "type": "base64", "data": 5}
    cut = without_media(value)
    assert cut["a"][0]["source"]["data"] == "[3 bytes of image/png, not shown]"
    assert cut["a"][1:] == [1, None]
    assert cut["data"] == 5
    assert json.loads(json.dumps(value)) == value  # what was given is as it was


def test_other_languages_are_readable() -> None:
    assert "日本語" in shown({"role": "assistant", "content": [{"type": "x", "text": "日本語"}]})
