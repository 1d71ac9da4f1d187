from judge_bundles.reports.summary import summarise
from judge_bundles.verdict import Status, Usage, Verdict


def verdict(status: Status, cost: float | None = 0.0) -> Verdict:
    return Verdict(
        "r", "e", None, "n", "d", status, "x", "judge", cost_usd=cost, usage=Usage(calls=1)
    )


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    assert summarise([verdict("pass", 1.5), verdict("pass", 0.5)]).cost_usd == 2.0
    assert summarise([verdict("pass", 1.5), verdict("pass", None)]).cost_usd is None
