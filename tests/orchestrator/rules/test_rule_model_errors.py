from pathlib import Path
from typing import Any

import pytest

from judge_bundles import limits
from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_PROBLEMS
from judge_bundles.rules import load_rules
from tests.support.rule_files import agent_judge, load, refusal, write


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("samples", "3", 'samples: must be a whole number of at least 1 and at most 25, not the text "3"'),
        ("samples", 1.5, "samples: must be a whole number of at least 1 and at most 25, not 1.5"),
        ("samples", True, "samples: must be a whole number of at least 1 and at most 25, not true"),
        ("samples", None, "samples: has no value: write one, or leave the key out"),
        ("max_tokens", [], "max_tokens: must be a whole number of at least 1 and at most 1000000, not an empty list"),
        ("name", "", 'name: must be text that is not blank of at most 200 characters, not the text ""'),
        ("name", "a\nb", "name: must be one line of printable characters"),
        ("name", 7, "name: must be text that is not blank of at most 200 characters, not 7"),
        ("description", ["a"], "description: must be text, not a list of 1"),
        ("rubric", " \n", 'rubric: must be text that is not blank, not the text " \\n"'),
        ("rubric", "\x1c", "rubric: must be text that is not blank"),
        ("model", {}, "model: must be text that is not blank, not an empty mapping"),
        ("effort", "extreme", 'effort: must be one of `low`, `medium`, `high`, `xhigh`, `max`, not the text "extreme"'),
        ("evidence", False, "evidence: must be one of `error`, `flag`, not false"),
        ("prechecks", {"type": "json_valid"}, "prechecks: must be a list of at most 1000 items, not a mapping of 1"),
        ("prechecks", None, "prechecks: has no value: write one, or leave the key out"),
        ("json", {"duplicate_keys": "first"}, 'json.duplicate_keys: must be one of `error`, `last`, not the text "first"'),
        ("json", {"duplicates": 1}, "json: unknown key `duplicates`: did you mean `duplicate_keys`?"),
        ("json", 1, "json: must be a mapping with keys among `duplicate_keys`, not 1"),
        ("limits", {"max_turn": 1}, "limits: unknown key `max_turn`: did you mean `max_turns`?"),
        ("limits", {"max_cost_usd": 0}, "limits.max_cost_usd: must be a number above 0, not 0"),
        ("limits", {"max_cost_usd": None}, "limits.max_cost_usd: has no value: write one, or leave the key out"),
        ("limits", {"timeout_s": 10**399}, f"limits.timeout_s: must be a number above 0 and at most 86400, not {'1' + '0' * 39}"),
        ("limits", {"max_cost_usd": 10**399}, f"limits.max_cost_usd: must be a number above 0, not {'1' + '0' * 39}"),
        ("limits", {"max_tokens_total": -1}, "limits.max_tokens_total: must be a whole number of at least 1, not -1"),
        ("limits", {"timeout_s": "90s"}, 'limits.timeout_s: must be a number above 0 and at most 86400, not the text "90s"'),
        ("criteria", [], "criteria: must be a list of at least 1 and at most 100 items, not an empty list"),
        ("criteria", ["a"], 'criteria[0]: must be a mapping with keys among `id`, `text`, not the text "a"'),
        ("criteria", [{"id": "a"}], "criteria[0]: the key `text` is missing"),
        ("criteria", [{"id": "a", "text": "t", "weight": 2}], "criteria[0]: unknown key `weight`: known are `id`, `text`"),
        ("criteria", [{"id": "-a", "text": "t"}], 'criteria[0].id: must be text of the form [A-Za-z0-9_][A-Za-z0-9_.-]{0,63}, not the text "-a"'),
        ("criteria", [{"id": "a", "text": "t"}, {"id": "a", "text": "u"}], "criteria: each `id` may stand once, and `a` stands more often"),
        ("must_read", [{"path": "a", "min_coverage": 0}], "must_read[0].min_coverage: must be a number above 0 and at most 1, not 0"),
        ("must_read", [{"path": "a"}, {"path": "a", "min_coverage": 0.5}], "must_read: each `path` may stand once, and `a` stands more often"),
        ("must_read", [{"path": "../a"}], "must_read[0].path: must not contain '..'"),
        ("must_read", [{"path": "/etc/passwd"}], "must_read[0].path: must be relative to the bundle, not absolute"),
        ("must_read", [{"path": "a\0"}], "must_read[0].path: must not contain NUL"),
        ("must_read", ["a.md"], 'must_read[0]: must be a mapping with keys among `path`, `min_coverage`, not the text "a.md"'),
        ("sandbox", {"memory": "512MB"}, "sandbox.memory: must be bytes or a size such as `512MiB` or `2GiB`"),
        ("sandbox", {"memory": True}, "sandbox.memory: must be bytes or a size such as `512MiB` or `2GiB`"),
        ("sandbox", {"memory": None}, "sandbox.memory: has no value: write one, or leave the key out"),
        ("sandbox", {"runtime": "../x"}, 'sandbox.runtime: must be text of the form [A-Za-z0-9][A-Za-z0-9_.-]{0,63}, not the text "../x"'),
        ("rubrik", "good", "unknown key `rubrik`: did you mean `rubric`?"),
        ("judges", [], "judges: must be a list of at least 1 and at most 100 items, not an empty list"),
        ("judges", {"name": "a"}, "judges: must be a list of at least 1 and at most 100 items, not a mapping of 1"),
        ("models", {"judge": " "}, 'models.judge: must be text that is not blank, not the text " "'),
        ("models", {"judge": None}, "models.judge: has no value: write one, or leave the key out"),
        ("models", "claude", 'models: must be a mapping with keys among `judge`, not the text "claude"'),
        ("record", {"event": "e.json"}, "record: unknown key `event`: did you mean `events`?"),
        ("record", {"main": "../x"}, "record.main: must not contain '..'"),
        ("record", {"main": 1}, "record.main: must be text, not 1"),
        ("record", {"outputs": []}, "record.outputs: must be a mapping, not an empty list"),
        ("record", {"outputs": {"plan": 1}}, "record.outputs.plan: must be text, not 1"),
        ("record", {"outputs": {"plan": None}}, "record.outputs.plan: has no value: write one, or leave the key out"),
        ("record", {"outputs": {"plan": "/a"}}, "record.outputs.plan: must be relative to the bundle, not absolute"),
        ("record", {"outputs": {"main": "a"}}, "record.outputs: the name `main` is taken: choose another"),
        ("record", {"outputs": {"": "a"}}, "record.outputs: a name is blank"),
        ("record", {"outputs": {"a\nb": "a"}}, "record.outputs: must be one line of printable characters"),
        ("thresholds", None, "thresholds: has no value: write one, or leave the key out"),
        ("thresholds", {}, "thresholds: holds no limit: name a judge, or leave the key out"),
        ("thresholds", {"rubric": None}, "thresholds.rubric: must be a mapping such as `min_mean: 3.5`, but it is empty"),
        ("thresholds", {"rubrik": {"min_pass_rate": 1}}, "thresholds.rubrik: no judge is named `rubrik`: did you mean `rubric`?"),
        ("thresholds", {"gate": {"min_pass_rate": 1}}, "thresholds.gate: the rule has no prechecks, so there is no gate to hold to a limit"),
        ("reward", None, "reward: has no value: write one, or leave the key out"),
        ("reward", "quality", "reward: no judge is named `quality`: known are `rubric`"),
        ("reward", {"weights": {"rubric": 0}}, "reward.weights.rubric: must be above 0, but it is 0"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_words(
    tmp_path: Path, key: str, value: Any, message: str
) -> None:
    assert refusal(tmp_path, {"rubric": "good", key: value}) == [f"rule.json:1: {message}"]


@pytest.mark.parametrize(
    ("part", "key", "fits", "past"),
    [
        (None, "samples", limits.MAX_SAMPLES, limits.MAX_SAMPLES + 1),
        (None, "samples", 1, 0),
        (None, "max_tokens", limits.MAX_ANSWER_TOKENS, limits.MAX_ANSWER_TOKENS + 1),
        (None, "max_tokens", 1, 0),
        (None, "name", "n" * limits.MAX_RULE_NAME_CHARACTERS, "n" * 201),
        ("limits", "max_turns", limits.MAX_TURNS, limits.MAX_TURNS + 1),
        ("limits", "max_turns", 1, 0),
        ("limits", "timeout_s", limits.MAX_TIMEOUT_S, limits.MAX_TIMEOUT_S + 1),
        ("limits", "timeout_s", 0.001, 0),
        ("limits", "max_tokens_total", 1, 0),
        ("limits", "max_cost_usd", 0.0001, -0.0001),
        ("sandbox", "memory", limits.MIN_SANDBOX_MEMORY_BYTES, limits.MIN_SANDBOX_MEMORY_BYTES - 1),
        ("sandbox", "memory", "64GiB", limits.MAX_SANDBOX_MEMORY_BYTES + 1),
        ("sandbox", "memory", "64MiB", "63MiB"),
        ("sandbox", "memory", "65536 KiB", "65535KiB"),
        ("sandbox", "memory", "67108864B", "67108864b"),
        ("sandbox", "cpus", limits.MIN_SANDBOX_CPUS, 0.04),
        ("sandbox", "cpus", limits.MAX_SANDBOX_CPUS, 64.5),
        ("sandbox", "pids", limits.MIN_SANDBOX_PIDS, limits.MIN_SANDBOX_PIDS - 1),
        ("sandbox", "pids", limits.MAX_SANDBOX_PIDS, limits.MAX_SANDBOX_PIDS + 1),
        ("sandbox", "runtime", "n" * 64, "n" * 65),
    ],
)
def test_each_bound_holds_on_both_of_its_sides(
    tmp_path: Path, part: Any, key: str, fits: Any, past: Any
) -> None:
    def rule(value: object) -> dict[str, object]:
        return {"rubric": "good", **({part: {key: value}} if part else {key: value})}

    load(tmp_path, rule(fits))
    assert len(refusal(tmp_path, rule(past))) == 1


@pytest.mark.parametrize(
    ("key", "most", "item"),
    [
        ("prechecks", limits.MAX_PRECHECKS, '{"type": "file_present", "path": "a"}'),
        ("criteria", limits.MAX_CRITERIA, '{"id": "c%", "text": "t"}'),
        ("must_read", limits.MAX_MUST_READ, '{"path": "a%"}'),
    ],
)
def test_each_list_is_taken_up_to_its_length(
    tmp_path: Path, key: str, most: int, item: str
) -> None:
    def rule(count: int) -> str:
        items = ",".join(item.replace("%", str(index)) for index in range(count))
        return f'{{"rubric": "good", "{key}": [{items}]}}'

    load(tmp_path, rule(most))
    (line,) = refusal(tmp_path, rule(most + 1))
    assert line.startswith(f"rule.json:1: {key}: must be a list of at")
    assert line.endswith(f"at most {most} items, not a list of {most + 1}")


@pytest.mark.parametrize(
    ("coverage", "fits"), [(1, True), (1.0, True), (0.01, True), (1.01, False), (0, False)]
)
def test_coverage_is_a_share_above_zero_and_up_to_one(
    tmp_path: Path, coverage: float, fits: Any
) -> None:
    rule = {"rubric": "good", "must_read": [{"path": "a.md", "min_coverage": coverage}]}
    if fits:
        assert agent_judge(load(tmp_path, rule)).must_read[0].min_coverage == coverage
    else:
        assert len(refusal(tmp_path, rule)) == 1


@pytest.mark.parametrize("value", [{}, [], {"name": "n"}, {"prechecks": []}])
def test_a_rule_that_checks_nothing_is_refused(tmp_path: Path, value: Any) -> None:
    assert refusal(tmp_path, value) == [
        "rule.json:1: nothing to check: give it `prechecks`, a `rubric`, `criteria` or `judges`"
    ]


@pytest.mark.parametrize("text", ['"secret"', "1", "null", "true"])
def test_a_document_that_is_no_mapping_and_no_list_is_refused_unseen(
    tmp_path: Path, text: str
) -> None:
    assert refusal(tmp_path, text) == [
        "rule.json:1: a rule is a mapping of keys or a list of prechecks, not a single value"
    ]


def test_all_problems_of_a_file_are_listed_at_once_in_the_order_of_its_lines(
    tmp_path: Path,
) -> None:
    text = """\
{
  "rubrik": "good",
  "prechecks": [
    {"type": "file_present", "path": "a"},
    {"type": "file_presnt", "path": "a"}
  ],
  "rubric_file": "none.md",
  "samples": 0,
  "limits": {
    "max_turns": null
  }
}"""
    lines = refusal(tmp_path, text)
    assert [line.split(": ")[0] for line in lines] == [f"rule.json:{n}" for n in (2, 5, 7, 8, 10)]
    assert "file_presnt" in lines[1]
    assert "prechecks[1]" in lines[1]


@pytest.mark.parametrize("surplus", [0, 1])
def test_a_file_of_nothing_but_mistakes_lists_only_so_many(tmp_path: Path, surplus: int) -> None:
    lines = refusal(tmp_path, {f"key{n}": n for n in range(MAX_RULE_PROBLEMS + surplus)})
    assert len(lines) == MAX_RULE_PROBLEMS + surplus
    assert ("and more" in lines[-1]) is bool(surplus)


def test_a_file_of_very_many_mistakes_is_refused_at_once(tmp_path: Path) -> None:
    lines = refusal(tmp_path, "{" + ",".join(f'"k{n}":[]' for n in range(80_000)) + "}")
    assert len(lines) == MAX_RULE_PROBLEMS + 1


def test_text_from_a_rule_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    key = "\x1b[2J\n::error::\u202e"
    rule = {"rubric": "r", key: 1, "samples": key, "json": {key: 1}, "effort": "x" * 5000}
    for line in refusal(tmp_path, rule):
        assert line.isprintable()
        assert len(line) < 600


def test_two_rules_of_one_name_are_refused_with_both_files(tmp_path: Path) -> None:
    first = write(tmp_path, "a/audit.json", {"rubric": "x"})
    second = write(tmp_path, "b/other.yaml", "name: audit\nrubric: y\n")
    third = write(tmp_path, "c.json", {"rubric": "x"})
    assert [rule.name for rule in load_rules([first, third])] == ["audit", "c"]
    with pytest.raises(RuleError) as caught:
        load_rules([first, third, second])
    assert str(caught.value) == (
        f"{first} and {second} are both named `audit`: give one another `name`"
    )
    with pytest.raises(RuleError, match="are both named `audit`"):
        load_rules([first, first])


def test_the_problems_of_several_rules_are_listed_together(tmp_path: Path) -> None:
    first = write(tmp_path, "a.json", {"rubrik": "x"})
    second = write(tmp_path, "b.json", "[")
    with pytest.raises(RuleError) as caught:
        load_rules([first, second, first])
    assert [line.split(": ")[0] for line in str(caught.value).split("\n")] == [
        f"{first}:1", f"{second}:1",
    ]  # fmt: skip
