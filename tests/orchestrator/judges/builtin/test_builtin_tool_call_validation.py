"""Which tool calls count as failed, in formats that say so and in those that do not."""

from typing import Any, Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeAnswer
from tests.orchestrator.record.bundles import answers as tool_answers
from tests.orchestrator.record.bundles import calls, init, says
from tests.support.builtin_judges import answers
from tests.support.judge_code import Files


def claude(result: Any, is_error: Any = False) -> Files:
    """A format that says whether a call failed."""
    stream = [calls("Bash", {"command": "make"}, "1"), tool_answers("1", result, is_error=is_error)]
    return {"events.jsonl": [init(), *stream]}


def atif(result: Any) -> Files:
    """A format that does not."""
    call = {"tool_call_id": "1", "function_name": "run", "arguments": {"x": 1}}
    step = {
        "step_id": 1,
        "source": "agent",
        "message": "m",
        "tool_calls": [call],
        "observation": {"results": [{"source_call_id": "1", "content": result}]},
    }
    return {
        "trajectory.json": {
            "schema_version": "ATIF-v1.4",
            "session_id": "s",
            "agent": {"name": "a", "version": "1"},
            "steps": [step],
        }
    }


CASES: Final[dict[str, tuple[Files, bool, str]]] = {
    "a real failure": (claude("Exit code 1", is_error=True), False, "1 of 1 tool call with an error:\n1. Bash(command: make) → error: Exit code 1"),
    "no errors found": (claude("0 errors found"), True, "1 tool call, none with an error"),
    "is_error decides over words": (claude("Error: it says"), True, "none with an error"),
    "no word on it is success": (claude("Error: it says", is_error=None), True, "none with an error"),
    "the format is silent, the text is not": (atif("Error: not found"), False, "1 of 1 tool call with an error"),
    "in any case": (atif("A TypeError was raised"), False, "1 of 1"),
    "no errors": (atif("0 errors found"), True, "none with an error"),
    "no error": (atif("Finished, no error."), True, "none with an error"),
    "no errors in words": (atif("Linted without errors"), True, "none"),
    "ten errors": (atif("10 errors found"), False, "1 of 1"),
    "errors: 0": (atif("warnings: 3, errors: 0"), True, "none"),
    "errors: 2": (atif("warnings: 0, errors: 2"), False, "1 of 1"),
    "error: 0.5": (atif("relative error: 0.5"), False, "1 of 1"),
    "a null error": (atif('{"error": null, "ok": true}'), True, "none"),
    "a stated error": (atif('{"error": "denied"}'), False, "1 of 1"),
    "both": (atif("0 errors, then an error"), False, "1 of 1"),
    "an error far below": (atif("x" * 50 + "error"), True, "none"),
    "an error at the edge": (atif("x" * 45 + "error"), False, "1 of 1"),
    "an error over the edge": (atif("x" * 46 + "error"), True, "none"),
    "nothing": (atif(""), True, "none"),
    "an empty list": ({"events.jsonl": [init(), says("hi")]}, True, "No tool calls to validate"),
    "no trace at all": ({"report.md": "x"}, False, "The bundle holds no trace of tool calls"),
    "a trace that nobody knows": ({"events.json": [{"what": "ever"}]}, False, "The bundle holds no trace of tool calls"),
    "a log instead": ({"stdout.log": "error"}, False, "The bundle holds no trace"),
    "a call without a result": ({"events.jsonl": [init(), calls("Read", {}, "1")]}, True, "1 tool call, none with an error (1 without a result)"),
    "a subagent's failure": ({"events.jsonl": [init(), calls("Read", {"file_path": "a"}, "1", "t"), tool_answers("1", "no", is_error=True, parent="t")]}, False, "[subagent t] Read"),
    "many": ({"events.jsonl": [init(), *(one for n in range(8) for one in (calls("Read", {"file_path": f"{n}.md"}, str(n)), tool_answers(str(n), "gone", is_error=True)))]}, False, "8 of 8 tool calls with an error:\n1. Read(file_path: 0.md)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CodeAnswer | JudgementError]:
    cases: dict[str, tuple[dict[str, Any], Files]] = {
        name: ({}, files) for name, (files, *_) in CASES.items()
    }
    return answers(tmp_path_factory.mktemp("calls"), "tool_call_validation", cases)


@pytest.mark.parametrize("name", CASES)
def test_a_failed_call_fails_the_run(
    found: dict[str, CodeAnswer | JudgementError], name: str
) -> None:
    _, passed, said = CASES[name]
    answer = found[name]
    assert isinstance(answer, CodeAnswer), answer
    assert said in answer.rationale
    assert answer.value is passed


def test_failed_calls_past_the_first_few_are_counted(
    found: dict[str, CodeAnswer | JudgementError],
) -> None:
    answer = found["many"]
    assert isinstance(answer, CodeAnswer)
    assert answer.rationale.endswith("5. Read(file_path: 4.md) → error: gone\nand 3 more")
