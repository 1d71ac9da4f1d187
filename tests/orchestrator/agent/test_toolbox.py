"""What the model asks of its tools is checked on the host before the sandbox hears of it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.sandbox.process import ProcessSandbox
from judge_bundles.sandbox.protocol import ToolReply
from tests.support.judging import look, run_judge, submit, write_bundle

Heard = list[tuple[str, Mapping[str, object]]]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "b", {"report.md": "The report is complete.\n"})


def listening(heard: Heard) -> Callable[[Path], ProcessSandbox]:
    """A sandbox that writes down every call that reaches it."""

    class Listening(ProcessSandbox):
        async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolReply:
            heard.append((tool, arguments))
            return await super().call(tool, arguments)

    return Listening


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"read_file": {"path": 7}}, "path must be a string"),
        ({"read_file": {"path": "report.md\0"}}, "path must not contain NUL"),
        ({"read_file": {"path": "report.md", "start_line": -5}}, "start_line must be at least 1"),
        ({"read_file": {"path": "report.md", "user": "root"}}, "unknown argument 'user'"),
        ({"search_files": {"pattern": "a" * 1_000_000}}, "at most 2,000 characters"),
    ],
)
def test_a_call_whose_arguments_do_not_fit_is_answered_recorded_and_never_sent(
    bundle: Path, call: dict[str, Any], said: str
) -> None:
    heard: Heard = []
    judgement = run_judge(bundle, {"calls": [call]}, look(), submit(), sandbox=listening(heard))

    assert judgement.result.status == "pass"
    assert [tool for tool, _ in heard] == ["read_file"]
    refused, read = judgement.trace.steps[:2]
    assert (refused.turn, refused.tool, refused.error_kind) == (1, next(iter(call)), "bad_input")
    assert (refused.arguments, refused.shown) == (next(iter(call.values())), ())
    assert read.error_kind is None
    assert [step.turn for step in judgement.result.inspected] == [1, 2]
    sent = dict(judgement.trace.calls[1].request)["messages"][-1]["content"][0]
    assert sent["is_error"] is True
    assert said in json.dumps(sent)
