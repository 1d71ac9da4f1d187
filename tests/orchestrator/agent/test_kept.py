"""What is kept is bounded by its size, and the longest unused goes first."""

from judge_bundles.agent.kept import Kept


def test_values_are_kept_up_to_the_bound_and_made_again_past_it() -> None:
    kept: Kept[str] = Kept(10, len)
    made: list[str] = []

    def get(name: str, value: str) -> str:
        def make() -> str:
            made.append(name)
            return value

        return kept.get(name, make)

    get("a", "x" * 5)
    get("b", "x" * 5)
    assert get("a", "") == "x" * 5
    assert (made, kept.total) == (["a", "b"], 10)
    get("c", "x")
    assert kept.total == 6
    get("a", "")
    get("b", "x" * 4)
    assert made == ["a", "b", "c", "b"]


def test_a_value_over_the_bound_is_kept_alone() -> None:
    kept: Kept[str] = Kept(10, len)
    kept.get("small", lambda: "x")
    kept.get("large", lambda: "x" * 11)
    assert kept.total == 11
    assert kept.get("large", lambda: "again") == "x" * 11
    assert kept.get("small", lambda: "again") == "again"
    assert kept.total == 5
