"""One verdict for people: what was decided, on what evidence, after which looks."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from judge_bundles.error_kinds import EXPLANATIONS
from judge_bundles.reports.style import block, counted, hanging, money, plain, seconds, status
from judge_bundles.store.records import JudgeTrace
from judge_bundles.verdict import (
    CriterionResult,
    Evidence,
    JudgeResult,
    PrecheckResult,
    Stability,
    Verdict,
)

MAX_QUOTE_LINES = 12
MAX_FLAGS = 10
MAX_UNOPENED = 10
MAX_TOOL_CHARACTERS = 40


def print_verdict(console: Console, verdict: Verdict, traces: Sequence[JudgeTrace]) -> None:
    """Print one verdict with its trace."""
    heading = Text.assemble(
        status(verdict.status.upper()), "  ", plain(verdict.entry_id, style="bold")
    )
    heading.stylize(status(verdict.status).style, 0, len(verdict.status))
    console.print(heading)
    _fact(console, "rule", f"{verdict.rule}  {verdict.rule_digest[:19]}")
    _fact(
        console, "bundle", _hex(verdict.bundle_digest) if verdict.bundle_digest else "not taken in"
    )
    _fact(console, "decided by", {"precheck": "the gate"}.get(verdict.stage, verdict.stage))
    if verdict.model:
        note = " (scripted answers: no model judged)" if verdict.model_scripted else ""
        _fact(console, "model", verdict.model + note)
    if verdict.image_id:
        _fact(console, "sandbox", _hex(verdict.image_id))
    if verdict.reused_from:
        _fact(console, "reused", f"verdict of run {verdict.reused_from}")
    if verdict.reward is not None:
        _fact(console, "reward", f"{verdict.reward:g}")
    _fact(console, "took", f"{seconds(verdict.latency_ms)}, {_spent(verdict)}")
    console.print(hanging(Text(f"{'reason':<11}", "dim"), block(verdict.reason)))
    if verdict.error:
        explanation = EXPLANATIONS[verdict.error.kind]
        again = "tried again by --resume" if verdict.error.retryable else "not tried again"
        _fact(console, "error", f"{verdict.error.kind} ({again}): {explanation.cause}")
        _fact(console, "next", explanation.advice)
    _print_prechecks(console, verdict)
    for judge in verdict.judges:
        _print_judge(console, judge, verdict)
    _print_looks(console, verdict, traces)
    _print_coverage(console, verdict)
    _print_flags(console, verdict)


def _print_prechecks(console: Console, verdict: Verdict) -> None:
    if not verdict.prechecks:
        return
    console.print("\nprechecks", style="bold")
    for check in verdict.prechecks:
        _print_precheck(console, check)


def _print_precheck(console: Console, check: PrecheckResult) -> None:
    mark = Text("  held    ", "green") if check.held else Text("  failed  ", "red")
    said = Text.assemble(f"[{check.index}] ", plain(check.type), ": ", plain(check.message))
    console.print(hanging(mark, said))
    for detail in check.details:
        if detail != check.message:
            console.print(hanging(Text(" " * 14), plain(detail, style="dim")))


def _print_judge(console: Console, judge: JudgeResult, verdict: Verdict) -> None:
    heading = Text.assemble(
        ("\njudge ", "bold"), plain(judge.name), " (", plain(judge.type), "): "
    ).append_text(status(judge.status))
    if judge.value is not None and not isinstance(judge.value, bool):
        heading.append(f", value {judge.value:g}")
    if len(verdict.judges) > 1 and judge.cost_usd:
        heading.append(f", {money(judge.cost_usd)}")
    console.print(heading)
    if judge.error:
        said = Text.assemble((f"{judge.error.kind}: ", "yellow"), block(judge.error.message))
        console.print(hanging(Text("  error    ", "yellow"), said))
    if judge.rationale and judge.rationale != verdict.reason:
        console.print(hanging(Text("  because  ", "dim"), block(judge.rationale)))
    if spread := judge.stability:
        word = "stable" if spread.stable else "UNSTABLE"
        console.print(f"  samples: {_spread(spread)} of {spread.requested} ({word})")
    for criterion in judge.criteria:
        _print_criterion(console, criterion)


def _spread(spread: Stability) -> str:
    """Say what each sample of a judge answered: numbers one by one, yes and no counted."""
    numbers = [f"{value:g}" for value in spread.values if not isinstance(value, bool)]
    answers = [", ".join(numbers)] if numbers else []
    if spread.passes or spread.fails or not numbers:
        answers.append(f"{spread.passes} pass, {spread.fails} fail")
    return ", ".join([*answers, f"{spread.errors} error"])


def _print_criterion(console: Console, criterion: CriterionResult) -> None:
    mark = Text("  met      ", "green") if criterion.met else Text("  not met  ", "red")
    console.print(hanging(mark, plain(criterion.id, style="bold")))
    console.print(hanging(Text(" " * 11), block(criterion.explanation)))
    for item in criterion.evidence:
        _print_evidence(console, item)


def _print_evidence(console: Console, item: Evidence) -> None:
    notes = [
        note
        for note, holds in (
            ("not verified", not item.verified),
            ("lines corrected", item.corrected),
            ("addresses the evaluator", item.addresses_evaluator),
        )
        if holds
    ]
    heading = Text.assemble(plain(item.file, style="cyan"), f", {_place(item)}")
    if notes:
        heading.append(f" ({', '.join(notes)})", "yellow")
    console.print(hanging(Text(" " * 11), heading))
    quote = block(item.quote or "", style="dim").split("\n")
    for line in quote[:MAX_QUOTE_LINES]:
        if line:
            console.print(hanging(Text(" " * 11 + "│ ", "dim"), line))
    if len(quote) > MAX_QUOTE_LINES:
        console.print(Text(f"{'':<11}│ … {len(quote) - MAX_QUOTE_LINES} more lines", "dim"))


def _place(item: Evidence) -> str:
    if item.page:
        return f"page {item.page}"
    if item.line_start == item.line_end:
        return f"line {item.line_start}"
    return f"lines {item.line_start}-{item.line_end}"


def _print_looks(console: Console, verdict: Verdict, traces: Sequence[JudgeTrace]) -> None:
    if not verdict.inspected and not any(trace.steps for trace in traces):
        return
    console.print("\ninspected", style="bold")
    for step in verdict.inspected:
        lead = Text.assemble(f"  turn {step.turn:>2}  ", (f"{_tool(step.tool):<13} ", "cyan"))
        console.print(hanging(lead, plain(step.target)))
    refused = [
        step for trace in traces for step in trace.steps if not step.exploration and step.error_kind
    ]
    for other in refused:
        what = f"{other.tool} {other.error_kind}"
        console.print(hanging(Text(f"  turn {other.turn:>2}  "), plain(what, style="yellow")))


def _tool(name: str) -> str:
    return plain(name, limit=MAX_TOOL_CHARACTERS).plain


def _print_coverage(console: Console, verdict: Verdict) -> None:
    coverage = verdict.coverage
    if coverage is None:
        return
    console.print("\ncoverage", style="bold")
    for file in coverage.opened:
        lead = Text(f"  {file.fraction:>6.1%} of {file.size:,} bytes  ")
        console.print(hanging(lead, plain(file.file)))
    if coverage.never_opened_total:
        named = ", ".join(coverage.never_opened[:MAX_UNOPENED])
        more = coverage.never_opened_total - min(MAX_UNOPENED, len(coverage.never_opened))
        tail = f" and {more} more" if more > 0 else ""
        console.print(hanging(Text("  never opened: "), Text.assemble(plain(named), tail)))


def _print_flags(console: Console, verdict: Verdict) -> None:
    if verdict.skipped_members:
        console.print("\nleft out of the bundle", style="bold")
        for member in verdict.skipped_members[:MAX_UNOPENED]:
            console.print(hanging(Text("  "), plain(member)))
        if (others := len(verdict.skipped_members) - MAX_UNOPENED) > 0:
            console.print(f"  and {others} more")
    for warning in verdict.warnings:
        console.print(hanging(Text("warning: ", "yellow"), plain(warning)))
    if not verdict.injection_suspected:
        return
    console.print("\ntext that addresses the evaluator", style="bold magenta")
    for flag in verdict.injection_suspected[:MAX_FLAGS]:
        place = Text.assemble(plain(flag.file, style="cyan"), f":{flag.line}  ")
        console.print(hanging(Text("  "), place.append_text(plain(flag.excerpt))))
    if (more := len(verdict.injection_suspected) - MAX_FLAGS) > 0:
        console.print(f"  and {counted(more, 'more place')}")


def _hex(digest: str) -> str:
    """Return a SHA-256 so that it fits on one line of 80 columns."""
    return digest.removeprefix("sha256:")


def _spent(verdict: Verdict) -> str:
    if not verdict.usage.calls:
        return "no model call"
    usage = verdict.usage
    return (
        f"{counted(usage.calls, 'model call')}, {usage.total_tokens:,} tokens "
        f"({usage.cache_read_tokens:,} read from cache), {money(verdict.cost_usd)}"
    )


def _fact(console: Console, name: str, value: str) -> None:
    console.print(hanging(Text(f"{name:<11}", "dim"), plain(value)))
