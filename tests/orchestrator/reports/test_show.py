import io
from dataclasses import replace

import pytest

from judge_bundles.reports.show import print_verdict
from judge_bundles.reports.style import console
from judge_bundles.store.records import JudgeTrace, TraceStep
from judge_bundles.verdict import (
    Coverage,
    CriterionResult,
    Evidence,
    FileCoverage,
    InjectionFlag,
    InspectedStep,
    JudgeResult,
    PrecheckResult,
    Stability,
    Usage,
    Verdict,
    VerdictError,
)
from tests.support.reports import HOSTILE, Terminal, ci_commands


def shown(verdict: Verdict, *traces: JudgeTrace) -> str:
    stream = io.StringIO()
    print_verdict(console(stream), verdict, traces)
    return stream.getvalue()


def judged() -> Verdict:
    evidence = Evidence(
        f"r{HOSTILE}.md", 3, 4, f"line one\n{HOSTILE}", verified=True, corrected=True
    )
    criterion = CriterionResult("c", HOSTILE, (evidence, Evidence("p.pdf", page=2)), met=True)
    steps = (InspectedStep(1, "read_file", HOSTILE),)
    judge = JudgeResult(
        "rubric",
        "agent",
        "fail",
        value=False,
        rationale=HOSTILE,
        inspected=steps,
        criteria=(criterion,),
        stability=Stability(3, 1, 2, 0, stable=False),
    )
    return Verdict(
        run_id="run",
        entry_id=HOSTILE,
        bundle_digest="sha256:0",
        rule=HOSTILE,
        rule_digest="sha256:1",
        status="fail",
        reason=HOSTILE,
        stage="judge",
        prechecks=(
            PrecheckResult(0, "json_valid", held=True, message=HOSTILE, details=(HOSTILE,)),
        ),
        judges=(judge,),
        inspected=steps,
        coverage=Coverage((FileCoverage("r.md", 200, 100),), tuple("abcdefghijklmnop"), 40),
        injection_suspected=(InjectionFlag("r.md", 7, HOSTILE),),
        skipped_members=(f"{HOSTILE} (symlink)",),
        warnings=(HOSTILE,),
        usage=Usage(10, 20, 30, 40, 2),
        cost_usd=0.5,
        model="script:x",
        model_scripted=True,
        image_id="sha256:2",
        reused_from="earlier",
    )


def test_everything_that_a_verdict_rests_on_is_shown() -> None:
    text = shown(judged())
    for expected in (
        "FAIL",
        "no model judged",
        "verdict of run earlier",
        "2 model calls, 100 tokens (30 read from cache), $0.50",
        "UNSTABLE",
        "lines 3-4 (lines corrected)",
        "page 2 (not verified)",
        "turn  1  read_file",
        "50.0% of 200 bytes",
        "and 30 more",
        "text that addresses the evaluator",
        "r.md:7",
    ):
        assert expected in text, expected


def test_nothing_of_a_bundle_acts_on_the_terminal_or_on_ci() -> None:
    text = shown(judged())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not ci_commands(text)


def test_an_error_says_what_follows() -> None:
    error = VerdictError("budget", "spent", retryable=True)
    text = shown(replace(judged(), status="error", error=error))
    assert "tried again by --resume" in text
    assert "--max-cost" in text


def test_refused_calls_are_shown_beside_the_looks() -> None:
    step = TraceStep(2, "no_such_tool", "?", error_kind="refused", exploration=False)
    assert "no_such_tool refused" in shown(judged(), JudgeTrace("rubric", steps=(step,)))


def test_each_of_several_judges_shows_its_own_error_and_rationale() -> None:
    failure = VerdictError("model_overloaded", f"busy {HOSTILE}", retryable=True)
    judges = (
        JudgeResult("first", "agent", "pass", value=True, rationale="fine by me", cost_usd=0.25),
        JudgeResult("second", "agent", "error", error=failure),
        JudgeResult("third", "llm", "scored", value=0.75, rationale=HOSTILE),
    )
    text = shown(replace(judged(), judges=judges, status="error", error=failure, reason="second"))
    assert "judge first (agent): pass, $0.2500\n  because  fine by me\n" in text
    assert "judge second (agent): error\n  error    model_overloaded: busy " in text
    assert "judge third (llm): scored, value 0.75\n  because  " in text
    assert "\x1b" not in text
    assert not ci_commands(text)


def test_what_one_judge_said_is_not_said_twice() -> None:
    judge = JudgeResult("rubric", "agent", "pass", value=True, rationale="all is well")
    text = shown(replace(judged(), judges=(judge,), reason="all is well"))
    assert text.count("all is well") == 1


def test_a_detail_that_repeats_the_message_is_left_out() -> None:
    check = PrecheckResult(0, "json_valid", held=False, message="broken", details=("broken", "why"))
    text = shown(replace(judged(), prechecks=(check,), reason="-"))
    assert text.count("broken") == 1
    assert "why" in text


def test_the_name_of_a_tool_that_a_model_made_up_is_harmless() -> None:
    steps = (InspectedStep(1, HOSTILE, HOSTILE),)
    refused = TraceStep(2, HOSTILE, "?", error_kind="refused", exploration=False)
    text = shown(replace(judged(), inspected=steps), JudgeTrace("rubric", steps=(refused,)))
    assert "\x1b" not in text
    assert not ci_commands(text)


@pytest.mark.parametrize("command", ["::stop-commands::tok", "::error::x", "##[add-path]x"])
@pytest.mark.parametrize("length", range(30, 201))
def test_wrapping_makes_no_ci_command_of_any_text(length: int, command: str) -> None:
    text = f"{'x' * length} {command}"
    flag = InjectionFlag(text, 7, text)
    evidence = Evidence(text, 3, 4, text)
    shows = replace(
        judged(),
        entry_id=text,
        reason=text,
        prechecks=(PrecheckResult(0, "json_valid", held=False, message=text, details=(text * 2,)),),
        judges=(
            JudgeResult(
                "rubric",
                "agent",
                "fail",
                rationale=text * 2,
                criteria=(CriterionResult("c", text, (evidence,), met=True),),
            ),
        ),
        inspected=(InspectedStep(1, "read_file", text),),
        injection_suspected=(flag,),
        warnings=(text,),
        skipped_members=(text,),
    )
    assert not ci_commands(shown(shows))


def test_every_line_fits_a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    digest = f"sha256:{'0123456789abcdef' * 4}"
    whole = replace(judged(), bundle_digest=digest, image_id=digest, reason="word " * 60)
    print_verdict(console(stream, color=False), whole, ())
    lines = stream.getvalue().split("\n")
    assert max(len(line) for line in lines) <= 80
    assert [line for line in lines if digest.removeprefix("sha256:") in line]
    (reason,) = [line for line in lines if line.startswith("reason ")]
    assert lines[lines.index(reason) + 1].startswith(" " * 11 + "word")


@pytest.mark.parametrize(
    ("values", "errors", "line"),
    [
        ((4, 3.5, 4), 0, "samples: 4, 3.5, 4, 0 error of 3 (UNSTABLE)"),
        ((True, False), 1, "samples: 1 pass, 1 fail, 1 error of 3 (UNSTABLE)"),
        ((), 3, "samples: 0 pass, 0 fail, 3 error of 3 (UNSTABLE)"),
    ],
)
def test_samples_are_shown_as_what_they_answered(
    values: tuple[bool | float, ...], errors: int, line: str
) -> None:
    answers = [value for value in values if isinstance(value, bool)]
    spread = Stability(
        3, sum(answers), len(answers) - sum(answers), errors, stable=False, values=values
    )
    result = JudgeResult("quality", "llm", "scored", 4.0, stability=spread)
    assert line in shown(replace(judged(), judges=(result,)))
