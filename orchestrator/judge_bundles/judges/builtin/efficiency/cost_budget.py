"""The run cost at most a budget.

Required fields: cost_usd
Failure means: The run cost more than the budget, or nothing says what it cost.
"""

from judge_bundles.record import Record

_MOST_DIGITS = 12


def judge(
    outputs: Record,
    *,
    max_cost_usd: float = 1.0,  # the most the run may cost, in US dollars
) -> tuple[bool, str]:
    """Compare what the run cost with the budget; a cost equal to it is within it."""
    if not max_cost_usd >= 0:  # NaN is no budget either
        raise ValueError(f"max_cost_usd has to be a number of at least 0, not {max_cost_usd}")
    cost = outputs.get("cost_usd")
    if cost is None:
        return False, "No cost data available: neither the run's result nor its trace states a cost"
    shown, budget = _dollars(cost, max_cost_usd)
    if cost <= max_cost_usd:
        return True, f"{shown} is within the budget of {budget}"
    return False, f"{shown} exceeds the budget of {budget}"


def _dollars(cost: float, budget: float) -> tuple[str, str]:
    """Return both amounts with as many digits as it takes to tell them apart, and from nothing."""
    for digits in range(2, _MOST_DIGITS):
        shown = f"{cost:,.{digits}f}", f"{budget:,.{digits}f}"
        tells_apart = cost == budget or shown[0] != shown[1]
        if tells_apart and (cost == 0 or float(shown[0].replace(",", ""))):
            return f"${shown[0]}", f"${shown[1]}"
    return f"${cost!r}", f"${budget!r}"
