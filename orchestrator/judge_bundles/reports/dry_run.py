"""Say what a run would do, without doing it."""

from decimal import Decimal

from rich.console import Console
from rich.text import Text

from judge_bundles.plan import CONTEXT_WINDOW_TOKENS, Plan
from judge_bundles.reports.style import plain

MAX_ENTRIES = 20


def print_plan(console: Console, plan: Plan, most: Decimal | None) -> None:
    """Print bundles, rules, judges and the most that the run could cost."""
    console.print(
        f"{len(plan.entries)} bundles, {len(plan.rules)} rules; nothing was run", style="bold"
    )
    for entry in plan.entries[:MAX_ENTRIES]:
        note = f"  refused: {entry.refused}" if entry.refused else ""
        console.print(Text.assemble(f"  {entry.kind:<8}", plain(entry.entry_id), plain(note)))
    if len(plan.entries) > MAX_ENTRIES:
        console.print(f"  and {len(plan.entries) - MAX_ENTRIES} more")
    for rule in plan.rules:
        console.print(
            Text.assemble(
                "rule ", plain(rule.name, style="bold"), f": {len(rule.gate.specs)} prechecks"
            )
        )
        for judge in () if plan.prechecks_only else rule.judges:
            samples = f", {judge.samples} samples" if judge.samples > 1 else ""
            console.print(
                Text.assemble(
                    f"  {judge.type} judge ",
                    plain(judge.name),
                    ": model ",
                    plain(judge.model or "none"),
                    f", at most {judge.limits.max_turns} turns and "
                    f"{judge.limits.timeout_s:g} s{samples}",
                )
            )
    console.print(_cost(plan, most))


def _cost(plan: Plan, most: Decimal | None) -> str:
    if not plan.judges:
        return "cost: nothing, no model is asked"
    if most is None:
        return "cost: the price of the model is not known"
    return (
        f"cost: at most ${most:,.2f} (if every gate holds and every judge uses all its turns, "
        f"each with {CONTEXT_WINDOW_TOKENS:,} tokens of input, nothing cached); "
        "usually a small part of that"
    )
