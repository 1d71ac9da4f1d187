import pytest

from judge_bundles.reports.summary import summarise
from judge_bundles.verdict import Status, Usage, Verdict


def verdict(status: Status, cost: float | None = 0.0) -> Verdict:
    return Verdict(
        "r", "e", None, "n", "d", status, "x", "judge", cost_usd=cost, usage=Usage(calls=1)
    )


@pytest.mark.parametrize(
    ("statuses", "unjudged", "code"),
    [
        (["pass", "pass"], 0, 0),
        (["pass", "fail"], 0, 1),
        (["pass", "error"], 0, 3),
        (["fail", "error"], 0, 3),
        (["pass"], 1, 3),
        (["fail"], 1, 3),
    ],
)
def test_an_accident_is_never_exit_code_0_and_outweighs_a_fail(
    statuses: list[Status], unjudged: int, code: int
) -> None:
    assert summarise([verdict(one) for one in statuses], unjudged=unjudged).exit_code == code


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    assert summarise([verdict("pass", 1.5), verdict("pass", 0.5)]).cost_usd == 2.0
    assert summarise([verdict("pass", 1.5), verdict("pass", None)]).cost_usd is None
