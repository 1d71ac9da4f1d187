"""Small runs, verdicts and traces to put into a store."""

from dataclasses import replace
from typing import Any

from judge_bundles.error_kinds import RETRYABLE, ErrorKind
from judge_bundles.store.records import (
    CallRecord,
    EntryRef,
    JudgeTrace,
    RuleRef,
    TraceStep,
)
from judge_bundles.store.store import Store
from judge_bundles.verdict import InspectedStep, Status, Usage, Verdict, VerdictError

RULE = RuleRef("audit", "a" * 64, {"rubric": "The report is complete.", "prechecks": []})
OTHER_RULE = RuleRef("style", "b" * 64, {"rubric": "The report reads well."})


def entry(name: str) -> EntryRef:
    return EntryRef(name, f"runs/{name}", "folder")


def begin(store: Store, *names: str, rules: tuple[RuleRef, ...] = (RULE,), **changes: Any) -> str:
    settings: dict[str, Any] = {"sources": ["runs"], "options": {"concurrency": 4}, **changes}
    return store.begin_run(rules=rules, entries=[entry(name) for name in names], **settings)


def verdict(run_id: str, name: str, status: Status = "pass", **changes: Any) -> Verdict:
    made = Verdict(
        run_id=run_id,
        entry_id=name,
        bundle_digest="c" * 64,
        rule=RULE.name,
        rule_digest=RULE.digest,
        status=status,
        reason=f"{name} was judged.",
        stage="judge",
        inspected=(InspectedStep(1, "read_file", "report.md"),),
        usage=Usage(100, 20, 3, 4, 1),
        cost_usd=0.25,
        model="claude-test",
        latency_ms=1200,
        started_at="2026-11-30T22:00:00+00:00",
        finished_at="2026-11-30T22:00:01+00:00",
    )
    return replace(made, **changes)


def error(run_id: str, name: str, kind: ErrorKind, **changes: Any) -> Verdict:
    why = VerdictError(kind, f"{name} could not be judged.", RETRYABLE[kind])
    return verdict(run_id, name, "error", error=why, **changes)


def trace(*turns: str, judge: str = "rubric", sample: int = 1) -> JudgeTrace:
    """One judgement that asks `turns` times, each time with the whole history, as the API wants."""
    history: list[dict[str, Any]] = []
    calls = []
    for number, text in enumerate(turns, 1):
        history.append({"role": "user", "content": [{"type": "text", "text": text}]})
        answer = [{"type": "text", "text": f"answer {number}"}]
        calls.append(
            CallRecord(
                turn=number,
                request={
                    "model": "claude-test",
                    "system": [{"type": "text", "text": "You judge. " * 50}],
                    "messages": _marked(history),
                    "max_tokens": 1000,
                },
                response={"id": f"msg_{number}", "content": answer, "stop_reason": "tool_use"},
                usage=Usage(10 * number, number, 0, 0, 1),
                cost_usd=0.01,
                latency_ms=100 + number,
                attempts=2,
                request_id=f"req_{number}",
            )
        )
        history.append({"role": "assistant", "content": answer})
    steps = tuple(
        TraceStep(
            turn=number,
            tool="read_file",
            target="report.md",
            arguments={"path": "report.md", "line_start": number},
            result_sha256="d" * 64,
            result_bytes=2048,
            duration_ms=0.25,
            cut=number > 1,
            shown=(("report.md", 0, 2048),),
        )
        for number in range(1, len(turns) + 1)
    )
    return JudgeTrace(judge, sample, steps, tuple(calls), "claude-test")


def _marked(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the last block for caching: the mark wanders, so sent messages change between calls."""
    *rest, last = history
    *blocks, block = last["content"]
    marked = {**block, "cache_control": {"type": "ephemeral"}}
    return [*rest, {**last, "content": [*blocks, marked]}]
