"""The page for users says what the code does: its examples load and its tables come true."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from judge_bundles import limits
from judge_bundles.documents.document import DocumentLimits, plain
from judge_bundles.documents.yaml_document import read_yaml
from judge_bundles.scoring import (
    THRESHOLD_KEYS,
    JudgeScale,
    Measurements,
    OrderAnswer,
    Outcome,
    ScoreRange,
    ScoringSpecError,
    Stability,
    aggregate,
    compare,
    evaluate,
    judge_pair,
    parse_reward,
    parse_thresholds,
    reduce,
)
from judge_bundles.scoring.formula import FUNCTIONS
from judge_bundles.scoring.pairwise import Preferred
from judge_bundles.verdict import VerdictError
from tests.orchestrator.scoring.scoring_cases import bundle, outcomes

PAGE = (Path(__file__).parents[3] / "docs" / "scoring.md").read_text("utf-8")
BROKE = VerdictError("model_server", "it broke", retryable=True)


def blocks(mark: str, language: str) -> list[str]:
    found = re.findall(rf"<!-- {mark} -->\n```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return list(found)


def loaded(text: str) -> dict[str, Any]:
    value = plain(read_yaml(text, DocumentLimits(max_bytes=10_000, max_depth=10)))
    assert isinstance(value, dict)
    return value


def table(heading: str) -> list[list[str]]:
    """Return the cells of the first table below `heading`, without its head."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.*) \|$", section.split("\n|---", 1)[1], re.MULTILINE)
    assert rows
    return [[cell.strip(" `") for cell in row.split(" | ")] for row in rows]


def scales() -> list[JudgeScale]:
    judges = loaded(blocks("judges", "yaml")[0])["judges"]
    return [
        JudgeScale(judge["name"], "numeric", ScoreRange(*judge["score_range"]))
        if "score_range" in judge
        else JudgeScale(judge["name"])
        for judge in judges
        if judge["name"] != "pairwise"
    ]


def test_every_block_of_the_page_is_looked_at() -> None:
    marked = re.findall(r"<!-- \w+ -->\n```", PAGE)
    assert len(marked) == len(re.findall(r"^```(?:yaml|text)$", PAGE, re.MULTILINE)) >= 6


@pytest.mark.parametrize("text", blocks("example", "yaml"))
def test_every_example_loads(text: str) -> None:
    for key, value in loaded(text).items():
        if key == "reward":
            parse_reward(value, scales())
        else:
            assert key == "thresholds"
            parse_thresholds(value, scales(), has_gate=True, has_pairwise=True)


def test_the_sentences_are_those_one_gets() -> None:
    raw = next(loaded(text) for text in blocks("example", "yaml") if "thresholds" in text)
    thresholds = parse_thresholds(raw["thresholds"], scales(), has_gate=True, has_pairwise=True)
    said = [
        *outcomes("gate", "PPPPPPPPPF"),
        *outcomes("safe", "PPPPPPPPP-"),
        *[Outcome("quality", "scored", 3.49999)] * 9,
        *outcomes("tests-pass", "EEEEEEEEE-"),
    ]
    names = ["gate", "safe", "quality", "tests-pass"]
    sentences = {one.sentence for one in evaluate(thresholds, Measurements(aggregate(said, names)))}
    assert set(blocks("sentences", "text")[0].splitlines()) <= sentences


@pytest.mark.parametrize(("samples", "requested", "result"), table("Samples"))
def test_samples_reduce_as_the_table_says(samples: str, requested: str, result: str) -> None:
    said = samples.split(", ")
    words = {"pass": True, "fail": False}
    values = [words[one] if one in words else int(one) for one in said if one != "error"]
    reduced = reduce(values, [BROKE] * said.count("error"), int(requested))
    shown = reduced.value if reduced.status == "scored" else reduced.status
    stable = ", stable" if reduced.stability.stable else ", unstable"
    assert f"{shown}{'' if shown == 'error' else stable}" == result


def test_the_spread_has_the_keys_of_the_page() -> None:
    for key in Stability.__dataclass_fields__:
        assert f"`{key}`" in PAGE


def accepted(judge: str, key: str) -> bool:
    try:
        parse_thresholds({judge: {key: 0}}, scales(), has_gate=True, has_pairwise=True)
    except ScoringSpecError:
        return False
    return True


def test_every_threshold_has_its_row_and_names_those_it_is_for() -> None:
    assert [row[0] for row in table("Thresholds")] == list(THRESHOLD_KEYS)
    for key, _, owners in table("Thresholds"):
        for judge, word in (("safe", "judges"), ("gate", "gate"), ("pairwise", "pairwise")):
            assert (word in owners) == accepted(judge, key), (key, judge)


def test_every_function_is_named() -> None:
    assert {name for name in FUNCTIONS if f"`{name}`" in PAGE} == FUNCTIONS


LETTERS = {"pass": "P", "fail": "F", "error": "E", "skipped": "-"}
FIELDS = {
    "new": "new",
    "still failing": "still",
    "fixed": "fixed",
    "not judged": "not_judged",
}


@pytest.mark.parametrize(("before", "now", "name"), table("Against a baseline"))
def test_failures_are_sorted_as_the_table_says(before: str, now: str, name: str) -> None:
    def cases(words: str) -> list[str | None]:
        return [LETTERS.get(word) for word in re.split(", | or ", words)]

    for earlier in cases(before):
        for later in cases(now):
            runs = [[bundle("b", safe=letter)] if letter else [] for letter in (later, earlier)]
            comparison = compare(*runs)
            assert [field for field in FIELDS.values() if getattr(comparison, field)] == [
                FIELDS[name]
            ]


@pytest.mark.parametrize(("first", "second", "result"), table("Pairwise"))
def test_orders_agree_as_the_table_says(first: str, second: str, result: str) -> None:
    preferences = get_args(Preferred)
    answers = [
        OrderAnswer(one) if one in preferences else OrderAnswer(None, error=BROKE)  # type: ignore[arg-type]  # words of the page
        for one in (first, second)
    ]
    assert (judge_pair("b", *answers).winner or "error") == result


def test_the_bounds_on_the_page_are_those_of_the_code() -> None:
    assert f"at most {limits.MAX_FORMULA_CHARACTERS} characters" in PAGE
    assert f"and {limits.MAX_FORMULA_DEPTH} levels" in PAGE
    assert f"from -{limits.MAX_FORMULA_EXPONENT} to {limits.MAX_FORMULA_EXPONENT}" in PAGE
    assert f"up to {limits.MAX_ROUND_DIGITS} digits" in PAGE
    assert f"at most {limits.MAX_SCORE_SIZE} in size" in PAGE
