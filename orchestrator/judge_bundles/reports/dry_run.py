"""Say what a run would do, without doing it."""

from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.text import Text

from judge_bundles import escape
from judge_bundles.judges.judging import named
from judge_bundles.plan import CONTEXT_WINDOW_TOKENS, ModelJudge, Plan
from judge_bundles.reports.style import counted, hanging, plain
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PairwiseSpec, PythonJudgeSpec
from judge_bundles.rules.model import AskedJudge

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
        for judge in plan.asked(rule):
            console.print(hanging(Text("  "), _judge(judge)))
    console.print(hanging(Text("cost: "), Text(_cost(plan, most))))


def _judge(judge: AskedJudge) -> Text:
    name, kind = named(judge)
    heading = Text.assemble(f"{kind} judge ", plain(name))
    if isinstance(judge, PythonJudgeSpec):
        return heading.append(": Python, no model is asked")
    heading = Text.assemble(heading, ": model ", plain(judge.model or "none"))
    return heading.append(f", {_extent(judge)}")


def _extent(judge: ModelJudge) -> str:
    if isinstance(judge, PairwiseSpec):
        return "one call for each of both orders"
    samples = f", {judge.samples} samples" if judge.samples > 1 else ""
    if isinstance(judge, LlmJudgeSpec):
        return f"one call{samples}"
    turns = counted(judge.limits.max_turns, "turn")
    return f"at most {turns} and {judge.limits.timeout_s:g} s{samples}"


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
                "judges": [_judge_record(judge) for judge in plan.asked(rule)],
            }
            for rule in plan.rules
        ],
        "max_cost_usd": None if most is None else float(most),
    }
    return escape.json_text(document, indent=None if lines else 2) + "\n"


def _judge_record(judge: AskedJudge) -> dict[str, Any]:
    name, kind = named(judge)
    model = None if isinstance(judge, PythonJudgeSpec) else judge.model
    return {"name": name, "type": kind, "model": model}


def _cost(plan: Plan, most: Decimal | None) -> str:
    if all(isinstance(judge, PythonJudgeSpec) for judge in plan.judges):
        return "nothing, no model is asked"
    if most is None:
        return "the price of the model is not known"
    return (
        f"at most ${most:,.2f} (if every gate holds and every judge uses all its turns, "
        f"each with {CONTEXT_WINDOW_TOKENS:,} tokens of input, nothing cached); "
        "usually a small part of that"
    )
