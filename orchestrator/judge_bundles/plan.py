"""What one command is going to do, worked out before anything runs.

Everything that can be wrong with the rules, the model, its price or the engine is found here, so
that a bad command ends with exit code 2 and no container, no model call and no verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Final

from judge_bundles.bundles.discover import Entry
from judge_bundles.errors import ModelSetupError
from judge_bundles.judges.judging import named
from judge_bundles.limits import DEFAULT_CONCURRENCY, MAX_PROMPT_CHARACTERS, IntakeLimits
from judge_bundles.models.base import Model, Price
from judge_bundles.models.resolve import SCRIPT_PREFIX, resolve
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PairwiseSpec, PythonJudgeSpec
from judge_bundles.rules.model import AgentJudgeSpec, AskedJudge, Rule

CONTEXT_WINDOW_TOKENS: Final = 200_000
"""Taken as the input of every turn when the most a run can cost is worked out."""
_CHARACTERS_PER_TOKEN: Final = 2
_PROMPT_TOKENS: Final = min(MAX_PROMPT_CHARACTERS // _CHARACTERS_PER_TOKEN, CONTEXT_WINDOW_TOKENS)
"""Taken as the input of every question to a judge that asks a model once."""
_ORDERS: Final = 2

ModelJudge = AgentJudgeSpec | LlmJudgeSpec | PairwiseSpec
"""A judge that asks a model."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Entries, rules and options of one run."""

    sources: tuple[str, ...]
    entries: tuple[Entry, ...]
    rules: tuple[Rule, ...]
    intake_limits: IntakeLimits = field(default_factory=IntakeLimits)
    concurrency: int = DEFAULT_CONCURRENCY
    prechecks_only: bool = False
    fresh: bool = False
    max_cost: Decimal | None = None
    name: str | None = None
    base_image: str | None = None
    baseline: str | None = None
    """The id of a run to compare with."""
    workspace_parent: Path | None = None

    project_root: Path = field(default_factory=Path)
    """Where the modules of a rule's own judges are imported from."""

    def asked(self, rule: Rule) -> tuple[AskedJudge, ...]:
        """Return the judges of a rule that will be asked, in order."""
        return () if self.prechecks_only else rule.asked(compared=self.baseline is not None)

    @property
    def judges(self) -> tuple[AskedJudge, ...]:
        """Every judge that will be asked, over all rules."""
        return tuple(judge for rule in self.rules for judge in self.asked(rule))


def resolve_models(plan: Plan) -> dict[str, Model]:
    """Return every model the plan needs, by the name the rules use; none for a gate-only run."""
    models: dict[str, Model] = {}
    for rule in plan.rules:
        for judge in plan.asked(rule):
            if isinstance(judge, PythonJudgeSpec):
                continue
            if judge.model is None:
                raise ModelSetupError(
                    f"rule {rule.name}: judge {named(judge)[0]} needs a model and none is named. "
                    "Use --model, the rule's model, or EVAL_JUDGE_MODEL; "
                    "--prechecks-only runs the gate without one."
                )
            if judge.model not in models:
                models[judge.model] = resolve(judge.model, concurrency=plan.concurrency)
            _require_price(plan, rule, judge, models[judge.model])
    return models


def worst_case(plan: Plan) -> Decimal | None:
    """Return the most the plan could cost in dollars, or None when a price is not known.

    No credentials are needed: nothing is sent.
    """
    total = Decimal(0)
    for judge in plan.judges:
        if isinstance(judge, PythonJudgeSpec):
            continue
        price = None if judge.model is None else _price(judge.model)
        if price is None:
            return None
        total += _judge_worst_case(judge, price) * len(plan.entries)
    return total if plan.max_cost is None else min(total, plan.max_cost)


def _price(name: str) -> Price | None:
    if name.startswith(SCRIPT_PREFIX):
        return resolve(name, concurrency=1).price
    # The price list is slow to import, and a gate-only run has no use for it.
    from judge_bundles.models.pricing import price_of  # noqa: PLC0415

    return price_of(name)


def _judge_worst_case(judge: ModelJudge, price: Price) -> Decimal:
    if isinstance(judge, AgentJudgeSpec):
        return _agent_worst_case(judge, price)
    questions = _ORDERS if isinstance(judge, PairwiseSpec) else judge.samples
    return _call_worst_case(price, _PROMPT_TOKENS, judge.max_tokens) * questions


def _agent_worst_case(judge: AgentJudgeSpec, price: Price) -> Decimal:
    turn = _call_worst_case(price, CONTEXT_WINDOW_TOKENS, judge.max_tokens)
    bounds = [turn * judge.limits.max_turns * judge.samples]
    if judge.limits.max_tokens_total is not None:
        rate = price.dearest
        dearest = max(rate.input, rate.cache_write, rate.output)
        bounds.append(dearest * judge.limits.max_tokens_total / 1_000_000 + turn)
    if judge.limits.max_cost_usd is not None:
        bounds.append(judge.limits.max_cost_usd + turn)  # passed by one call at most
    return min(bounds)


def _call_worst_case(price: Price, input_tokens: int, output_tokens: int) -> Decimal:
    rate = price.dearest
    dearest = max(rate.input, rate.cache_write)
    return (dearest * input_tokens + rate.output * output_tokens) / 1_000_000


def _require_price(plan: Plan, rule: Rule, judge: ModelJudge, model: Model) -> None:
    of_judge = judge.limits.max_cost_usd if isinstance(judge, AgentJudgeSpec) else None
    limited = plan.max_cost is not None or of_judge is not None
    if limited and model.price is None:
        raise ModelSetupError(
            f"rule {rule.name}: the price of {model.name} is not known, so a limit in dollars "
            "cannot be kept. Limit tokens instead (limits.max_tokens_total), or declare prices "
            "where the model is a script."
        )


def source_names(runs: Sequence[str | Path]) -> tuple[str, ...]:
    """Return RUNS in the absolute form under which a run can be found again."""
    return tuple(str(Path(run).absolute()) for run in runs)
