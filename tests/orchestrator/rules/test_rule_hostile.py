import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge_bundles import escape
from judge_bundles.errors import RuleError
from judge_bundles.rules import load_rule
from judge_bundles.rules.file_model import RuleFile
from judge_bundles.rules.judge_file import JudgeFile
from tests.support.rule_files import load, refusal, write

SHARED = Path(__file__).parents[4] / "shared"

SEED_ARRAY = """
[
  {"type": "file_present",  "path": "report.md"},
  {"type": "json_valid",    "path": "**/*.json"},
  {"type": "map_values_in", "file": "state.json", "path": "phases", "allowed": ["completed", "skipped"]},
  {"type": "count_equals",
    "left":  {"file": "state.json",     "field": "summary.findings_count"},
    "right": {"file": "findings.json",  "len":   "findings"}},
  {"type": "field_any_non_empty", "file": "findings.json", "array": "findings", "fields": ["affected_file", "code_snippet"]}
]
"""


def test_an_array_of_prechecks_as_pasted_from_a_page_loads_unchanged(tmp_path: Path) -> None:
    rule = load(tmp_path, SEED_ARRAY, "prechecks")
    assert [check["type"] for check in rule.resolved["prechecks"]] == [
        check["type"] for check in json.loads(SEED_ARRAY)
    ]
    assert load(tmp_path, {"prechecks": json.loads(SEED_ARRAY)}).digest == rule.digest


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    generator = SHARED / "hostile" / "gen_corpus.py"
    if not generator.is_file():
        pytest.skip(f"the hostile corpus is not there: {generator}")
    folder = tmp_path_factory.mktemp("corpus") / "out"
    subprocess.run([sys.executable, generator, folder], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rule_traversal.json", ["prechecks[0].path", "prechecks[1].path", "prechecks[2].path"]),
        ("rule_schema.json", ["prechecks[0]", "prechecks[1]", "prechecks[2]", "prechecks[3]"]),
        ("rule_yaml_bomb.yaml", ["expanded"]),
        ("rule_deep.json", ["nested more than 64 levels deep"]),
        ("rule_deep_utf16.json", ["not UTF-8 but UTF-16"]),
    ],
)
def test_a_hostile_rule_is_refused_with_file_and_place(
    corpus: Path, name: str, expected: list[str]
) -> None:
    with pytest.raises(RuleError) as caught:
        load_rule(corpus / "rules" / name, project_root=corpus)
    message = str(caught.value)
    assert all(part in message for part in expected)
    assert all(line.startswith(f"{corpus}/rules/{name}:") for line in message.split("\n"))
    assert all(line.isprintable() for line in message.split("\n"))
    assert json.loads((corpus / "manifest.json").read_text("utf-8"))["secret"] not in message


@pytest.mark.parametrize("name", ["default.json", "prechecks_only.json"])
def test_the_good_rules_beside_the_hostile_ones_load(corpus: Path, name: str) -> None:
    assert len(load_rule(corpus / "rules" / name).gate.checks) == 6


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
KEYS = st.sampled_from(
    [
        *sorted(field.alias or name for name, field in RuleFile.model_fields.items()),
        *sorted(field.alias or name for name, field in JudgeFile.model_fields.items()),
        *("rubrik", "type", "path", "id", "text", "max_turns", "memory", "budget_tokens"),
        *("judge", "weights", "formula", "min_mean", "outputs"),
    ]
)
NEAR_RULES = st.dictionaries(
    KEYS,
    JSON_VALUES
    | st.recursive(
        st.sampled_from([None, True, 0, 1, 1e9, "a", "", "adaptive", "enabled", "1GiB"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=6,
)


JUDGES = st.fixed_dictionaries(
    {
        "judges": st.lists(
            st.dictionaries(
                st.sampled_from(
                    sorted(field.alias or name for name, field in JudgeFile.model_fields.items())
                ),
                st.sampled_from(
                    [
                        *(None, True, 0, "", [], {}, [1, 5], ["a.md"], "a", "bool", "cost_budget"),
                        *("{{ x }}", "{{ outputs", "return 1", "outputs", "gate", "pairwise"),
                        *({"rubric": "r"}, {"max_cost_usd": 1}, {"outputs": 1}),
                    ]
                )
                | JSON_VALUES,
                max_size=5,
            ),
            max_size=3,
        )
    },
    optional={
        "thresholds": st.dictionaries(st.sampled_from(["a", "gate"]), JSON_VALUES, max_size=2),
        "reward": JSON_VALUES,
        "record": JSON_VALUES,
        "models": JSON_VALUES,
    },
)


def refusal_or_none(folder: Path, content: str | bytes, name: str) -> list[str] | None:
    try:
        load(folder, content, name)
    except RuleError as error:
        return str(error).replace(f"{folder}/", "").split("\n")
    return None


def is_plain(lines: list[str], name: str) -> bool:
    """Whether each line names the file, says something, and is safe on a terminal."""
    return all(
        line.startswith(f"{name}:") and len(line) > len(name) + 5 and escape.line(line) == line
        for line in lines
    )


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.one_of(JSON_VALUES, NEAR_RULES, JUDGES))
def test_no_document_does_anything_but_load_or_be_refused(tmp_path: Path, value: Any) -> None:
    refused = refusal_or_none(tmp_path, json.dumps(value), "rule.json")
    assert refused is None or is_plain(refused, "rule.json")


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=80), st.sampled_from(["rule.json", "rule.yaml", "rule"]))
def test_no_bytes_do_anything_but_load_or_be_refused(
    tmp_path: Path, content: Any, name: str
) -> None:
    refused = refusal_or_none(tmp_path, content, name)
    assert refused is None or is_plain(refused, name)


def test_a_tag_that_would_run_code_runs_nothing(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    text = f"rubric: !!python/object/apply:os.system ['touch {canary}']\n"
    (line,) = refusal(tmp_path, text, "rule.yaml")
    assert line.endswith("is not supported: write the plain value")
    assert not canary.exists()


def test_a_nul_in_a_path_of_a_precheck_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "x", "")
    (line,) = refusal(tmp_path, {"prechecks": [{"type": "file_present", "path": "a\0b"}]})
    assert line.startswith("rule.json:1: prechecks[0].path: ")
