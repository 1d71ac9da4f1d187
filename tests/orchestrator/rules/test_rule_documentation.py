import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from judge_bundles.rules import load_rule
from judge_bundles.rules.file_model import JsonFile, ModelsFile, RecordFile, RuleFile
from judge_bundles.rules.file_parts import LimitsFile, SandboxFile
from judge_bundles.rules.judge_file import JudgeFile
from tests.support.rule_files import load, refusal, write

DOCS = Path(__file__).parents[3] / "docs"
RULES, JUDGES = ((DOCS / name).read_text("utf-8") for name in ("rules.md", "judges.md"))
EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```(json|yaml)\n(.*?)```", re.DOTALL)
EXAMPLES = [example for page in (RULES, JUDGES) for example in EXAMPLE.findall(page)]


@pytest.mark.parametrize(("name", "language", "text"), EXAMPLES)
def test_each_example_of_the_pages_is_a_rule_without_a_warning(
    tmp_path: Path, name: str, language: str, text: str
) -> None:
    assert name.endswith(f".{language}")
    rule = load(tmp_path, text, name)
    assert rule.name == name.removesuffix(f".{language}")
    assert rule.warnings == ()


def test_every_block_of_the_pages_that_could_be_a_rule_is_an_example() -> None:
    blocks = [
        block for page in (RULES, JUDGES) for block in re.findall(r"```(?:json|yaml)\n", page)
    ]
    assert len(EXAMPLES) == len(blocks) >= 6


@pytest.mark.parametrize(
    ("page", "model"),
    [
        (RULES, RuleFile),
        (RULES, LimitsFile),
        (RULES, SandboxFile),
        (JUDGES, JudgeFile),
    ],
)
def test_every_key_has_its_row(page: str, model: type[BaseModel]) -> None:
    rows = set(re.findall(r"^\| `([^|]+)` \|", page, re.MULTILINE))
    documented = {key.strip(" `") for row in rows for key in row.split(" or ")}
    assert {field.alias or name for name, field in model.model_fields.items()} <= documented


@pytest.mark.parametrize("model", [JsonFile, ModelsFile, RecordFile])
def test_every_key_of_the_smaller_mappings_is_named(model: type[BaseModel]) -> None:
    assert all(re.search(rf"[`{{]{name}\b", RULES) for name in model.model_fields)


@pytest.mark.parametrize(("page", "name"), [(RULES, "audit.json"), (JUDGES, "eval.yaml")])
def test_the_messages_on_the_pages_are_the_messages_one_gets(
    tmp_path: Path, page: str, name: str
) -> None:
    found = re.search(rf"<!-- mistakes: {name}\n(.*?)-->\n```text\n(.*?)```", page, re.DOTALL)
    assert found
    assert refusal(tmp_path, found[1], name) == found[2].strip().split("\n")


def test_the_builtin_judge_on_the_page_is_one(tmp_path: Path) -> None:
    found = re.search(r"<!-- builtin: (\S+) -->\n```text\n(.*?)```", JUDGES, re.DOTALL)
    assert found
    write(tmp_path, f"own/{found[1]}", found[2])
    entry = {"name": "short", "builtin": "style/short", "arguments": {"max_pages": 2}}
    rule = load_rule(
        write(tmp_path, "rule.json", {"judges": [entry]}), judges_dirs=[tmp_path / "own"]
    )
    judge = rule.judges[0]
    assert judge.type == "builtin"
    assert judge.arguments == {"max_pages": 2, "tone": "plain"}
