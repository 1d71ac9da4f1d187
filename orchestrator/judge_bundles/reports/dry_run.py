"""Say what a run would do, without doing it."""

from decimal import Decimal

from rich.console import Console
from rich.text import Text

from judge_bundles import escape
from judge_bundles.plan import CONTEXT_WINDOW_TOKENS, Plan
from judge_bundles.reports.style import counted, hanging, plain
from judge_bundles.rules.model import AgentJudgeSpec

MAX_ENTRIES = 20


def print_plan(console: Console, plan: Plan, most: Decimal | None) -> None:
    """Print bundles, rules, judges and the most that the run could cost."""
    bundles, rules = counted(len(plan.entries), "bundle"), counted(len(plan.rules), "rule")
    console.print(f"{bundles}, {rules}; nothing was run", style="bold")
    for entry in plan.entries[:MAX_ENTRIES]:
        note = f"  refused: {entry.refused}" if entry.refused else ""
        console.print(hanging(Text(f"  {entry.kind:<8}"), plain(entry.entry_id + note)))
    if len(plan.entries) > MAX_ENTRIES:
        console.print(f"  and {len(plan.entries) - MAX_ENTRIES} more")
    for rule in plan.rules:
        checks = counted(len(rule.gate.specs), "precheck")
        console.print(Text.assemble("rule ", plain(rule.name, style="bold"), f": {checks}"))
        for judge in () if plan.prechecks_only else rule.judges:
            console.print(hanging(Text("  "), _judge(judge)))
    console.print(hanging(Text("cost: "), Text(_cost(plan, most))))


def _judge(judge: AgentJudgeSpec) -> Text:
    turns = counted(judge.limits.max_turns, "turn")
    samples = f", {judge.samples} samples" if judge.samples > 1 else ""
    return Text.assemble(
        f"{judge.type} judge ",
        plain(judge.name),
        ": model ",
        plain(judge.model or "none"),
        f", at most {turns} and {judge.limits.timeout_s:g} s{samples}",
    )


def plan_as_json(plan: Plan, most: Decimal | None, *, lines: bool) -> str:
    """Return the plan as one JSON object: bundles, rules with their judges, the most it can cost."""
    document = {
        "dry_run": True,
        "entries": [
            {"entry_id": entry.entry_id, "kind": entry.kind, "refused": entry.refused}
            for entry in plan.entries
        ],
        "rules": [
            {
                "rule": rule.name,
                "rule_digest": rule.digest,
                "prechecks": len(rule.gate.specs),
                "judges": [
                    {"name": judge.name, "type": judge.type, "model": judge.model}
                    for judge in (() if plan.prechecks_only else rule.judges)
                ],
            }
            for rule in plan.rules
        ],
        "max_cost_usd": None if most is None else float(most),
    }
    return escape.json_text(document, indent=None if lines else 2) + "\n"


def _cost(plan: Plan, most: Decimal | None) -> str:
    if not plan.judges:
        return "nothing, no model is asked"
    if most is None:
        return "the price of the model is not known"
    return (
        f"at most ${most:,.2f} (if every gate holds and every judge uses all its turns, "
        f"each with {CONTEXT_WINDOW_TOKENS:,} tokens of input, nothing cached); "
        "usually a small part of that"
    )
