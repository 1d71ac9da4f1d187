import io
from dataclasses import replace

from judge_bundles.reports.show import print_transcript, print_verdict
from judge_bundles.reports.style import console
from judge_bundles.store.records import JudgeTrace, TraceStep, Transcript
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

HOSTILE = "\x1b[2J::error::x\n::error::y \u202e"


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
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


def test_an_error_says_what_follows() -> None:
    error = VerdictError("budget", "spent", retryable=True)
    text = shown(replace(judged(), status="error", error=error))
    assert "tried again by --resume" in text
    assert "--max-cost" in text


def test_refused_calls_are_shown_beside_the_looks() -> None:
    step = TraceStep(2, "no_such_tool", "?", error_kind="refused", exploration=False)
    assert "no_such_tool refused" in shown(judged(), JudgeTrace("rubric", steps=(step,)))


def test_a_transcript_is_shown_in_full_and_harmless() -> None:
    stream = io.StringIO()
    messages = (
        {"role": "user", "content": [{"type": "text", "text": HOSTILE}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "read_file", "input": {"p": 1}}],
        },
    )
    print_transcript(
        console(stream), Transcript("rubric", 1, "m", [{"type": "text", "text": "sys"}], messages)
    )
    text = stream.getvalue()
    assert "sys" in text
    assert '"read_file"' in text
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
