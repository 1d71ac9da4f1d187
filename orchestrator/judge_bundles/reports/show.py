"""One verdict for people: what was decided, on what evidence, after which looks."""

import json
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from judge_bundles import escape
from judge_bundles.error_kinds import EXPLANATIONS
from judge_bundles.reports.style import money, plain, seconds, status
from judge_bundles.store.records import JudgeTrace, Transcript
from judge_bundles.verdict import CriterionResult, Evidence, JudgeResult, Verdict

MAX_QUOTE_LINES = 12
MAX_FLAGS = 10
MAX_UNOPENED = 10


def print_verdict(console: Console, verdict: Verdict, traces: Sequence[JudgeTrace]) -> None:
    """Print one verdict with its trace."""
    heading = Text.assemble(
        status(verdict.status.upper()), "  ", plain(verdict.entry_id, style="bold")
    )
    heading.stylize(status(verdict.status).style, 0, len(verdict.status))
    console.print(heading)
    _fact(console, "rule", f"{verdict.rule}  {verdict.rule_digest[:19]}")
    _fact(console, "bundle", verdict.bundle_digest or "not taken in")
    _fact(console, "decided by", {"precheck": "the gate"}.get(verdict.stage, verdict.stage))
    if verdict.model:
        note = " (scripted answers: no model judged)" if verdict.model_scripted else ""
        _fact(console, "model", verdict.model + note)
    if verdict.image_id:
        _fact(console, "sandbox", verdict.image_id)
    if verdict.reused_from:
        _fact(console, "reused", f"verdict of run {verdict.reused_from}")
    _fact(console, "took", f"{seconds(verdict.latency_ms)}, {_spent(verdict)}")
    _block(console, "reason", verdict.reason)
    if verdict.error:
        explanation = EXPLANATIONS[verdict.error.kind]
        again = "tried again by --resume" if verdict.error.retryable else "not tried again"
        _fact(console, "error", f"{verdict.error.kind} ({again}): {explanation.cause}")
        _fact(console, "next", explanation.advice)
    _print_prechecks(console, verdict)
    for judge in verdict.judges:
        _print_judge(console, judge)
    _print_looks(console, verdict, traces)
    _print_coverage(console, verdict)
    _print_flags(console, verdict)


def _print_prechecks(console: Console, verdict: Verdict) -> None:
    if not verdict.prechecks:
        return
    console.print("\nprechecks", style="bold")
    for check in verdict.prechecks:
        mark = Text("held  ", "green") if check.held else Text("failed", "red")
        console.print(
            Text.assemble("  ", mark, f"  [{check.index}] {check.type}: ", plain(check.message))
        )
        for detail in check.details:
            console.print(Text.assemble("              ", plain(detail, style="dim")))


def _print_judge(console: Console, judge: JudgeResult) -> None:
    console.print(
        Text.assemble(
            ("\njudge ", "bold"), plain(judge.name), f" ({judge.type}): ", status(judge.status)
        )
    )
    if spread := judge.stability:
        word = "stable" if spread.stable else "UNSTABLE"
        console.print(
            f"  samples: {spread.passes} pass, {spread.fails} fail, {spread.errors} error "
            f"of {spread.requested} ({word})"
        )
    for criterion in judge.criteria:
        _print_criterion(console, criterion)


def _print_criterion(console: Console, criterion: CriterionResult) -> None:
    mark = Text("met    ", "green") if criterion.met else Text("not met", "red")
    console.print(Text.assemble("  ", mark, "  ", plain(criterion.id, style="bold")))
    console.print(Padding(Text(escape.block(criterion.explanation)), (0, 0, 0, 11)))
    for item in criterion.evidence:
        console.print(Padding(_evidence(item), (0, 0, 0, 11)))


def _evidence(item: Evidence) -> Text:
    place = f"page {item.page}" if item.page else f"lines {item.line_start}-{item.line_end}"
    notes = [
        note
        for note, holds in (
            ("not verified", not item.verified),
            ("lines corrected", item.corrected),
            ("addresses the evaluator", item.addresses_evaluator),
        )
        if holds
    ]
    heading = Text.assemble(plain(item.file, style="cyan"), f", {place}")
    if notes:
        heading.append(f" ({', '.join(notes)})", "yellow")
    quote = escape.block(item.quote or "").split("\n")
    for line in quote[:MAX_QUOTE_LINES]:
        if line:
            heading.append(f"\n│ {line}", "dim")
    if len(quote) > MAX_QUOTE_LINES:
        heading.append(f"\n│ … {len(quote) - MAX_QUOTE_LINES} more lines", "dim")
    return heading


def _print_looks(console: Console, verdict: Verdict, traces: Sequence[JudgeTrace]) -> None:
    if not verdict.inspected and not traces:
        return
    console.print("\ninspected", style="bold")
    for step in verdict.inspected:
        console.print(
            Text.assemble(
                f"  turn {step.turn:>2}  ", (f"{step.tool:<13}", "cyan"), plain(step.target)
            )
        )
    refused = [
        step for trace in traces for step in trace.steps if not step.exploration and step.error_kind
    ]
    for other in refused:
        console.print(
            Text.assemble(
                f"  turn {other.turn:>2}  ", (f"{other.tool} {other.error_kind}", "yellow")
            )
        )


def _print_coverage(console: Console, verdict: Verdict) -> None:
    coverage = verdict.coverage
    if coverage is None:
        return
    console.print("\ncoverage", style="bold")
    for file in coverage.opened:
        console.print(
            Text.assemble(f"  {file.fraction:>6.1%} of {file.size:,} bytes  ", plain(file.file))
        )
    if coverage.never_opened_total:
        named = ", ".join(coverage.never_opened[:MAX_UNOPENED])
        more = coverage.never_opened_total - min(MAX_UNOPENED, len(coverage.never_opened))
        tail = f" and {more} more" if more > 0 else ""
        console.print(Text.assemble("  never opened: ", plain(named), tail))


def _print_flags(console: Console, verdict: Verdict) -> None:
    if verdict.skipped_members:
        console.print("\nleft out of the bundle", style="bold")
        for member in verdict.skipped_members[:MAX_UNOPENED]:
            console.print(Text.assemble("  ", plain(member)))
    for warning in verdict.warnings:
        console.print(Text.assemble(("warning: ", "yellow"), plain(warning)))
    if not verdict.injection_suspected:
        return
    console.print("\ntext that addresses the evaluator", style="bold magenta")
    for flag in verdict.injection_suspected[:MAX_FLAGS]:
        console.print(
            Text.assemble(
                "  ", plain(flag.file, style="cyan"), f":{flag.line}  ", plain(flag.excerpt)
            )
        )
    if (more := len(verdict.injection_suspected) - MAX_FLAGS) > 0:
        console.print(f"  and {more} more places")


def _spent(verdict: Verdict) -> str:
    if not verdict.usage.calls:
        return "no model call"
    usage = verdict.usage
    return (
        f"{usage.calls} model calls, {usage.total_tokens:,} tokens "
        f"({usage.cache_read_tokens:,} read from cache), {money(verdict.cost_usd)}"
    )


def _fact(console: Console, name: str, value: str) -> None:
    console.print(Text.assemble((f"{name:<11}", "dim"), plain(value)))


def _block(console: Console, name: str, value: str) -> None:
    console.print(Text.assemble((f"{name:<11}", "dim"), Text(escape.block(value))))


def print_transcript(console: Console, transcript: Transcript) -> None:
    """Print a conversation in full, each message once."""
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
    console.print(Text(f"── {escape.line(role)}", "bold"))
    blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "text":
            text = str(block.get("text"))
        else:
            text = block if isinstance(block, str) else json.dumps(block, indent=2)
        console.print(Padding(Text(escape.block(text)), (0, 0, 0, 3)))
