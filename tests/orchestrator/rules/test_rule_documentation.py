import re
from pathlib import Path

import pytest

from judge_bundles.rules.file_model import LimitsFile, RuleFile, SandboxFile
from judge_bundles.rules.wording import LATER_KEYS
from tests.support.rule_files import load, refusal

PAGE = (Path(__file__).parents[3] / "docs" / "rules.md").read_text("utf-8")
EXAMPLES = re.findall(r"<!-- example: (\S+) -->\n```(json|yaml)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("name", "language", "text"), EXAMPLES)
def test_each_example_of_the_page_is_a_rule_without_a_warning(
    tmp_path: Path, name: str, language: str, text: str
) -> None:
    assert name.endswith(f".{language}")
    rule = load(tmp_path, text, name)
    assert rule.name == name.removesuffix(f".{language}")
    assert rule.warnings == ()


def test_every_block_of_the_page_that_could_be_a_rule_is_an_example() -> None:
    assert len(EXAMPLES) == len(re.findall(r"```(?:json|yaml)\n", PAGE)) >= 4


def test_every_key_has_its_row() -> None:
    rows = set(re.findall(r"^\| `([^|]+)` \|", PAGE, re.MULTILINE))
    documented = {key.strip(" `") for row in rows for key in row.split(" or ")}
    for model in (RuleFile, LimitsFile, SandboxFile):
        for name, field in model.model_fields.items():
            assert (field.alias or name) in documented
    assert all(f"`{key}`" in PAGE for key in LATER_KEYS)


def test_the_messages_on_the_page_are_the_messages_one_gets(tmp_path: Path) -> None:
    block = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert block
    source = re.search(r"<!-- mistakes: audit.json\n(.*?)-->", PAGE, re.DOTALL)
    assert source
    assert refusal(tmp_path, source[1], "audit.json") == block[1].strip().split("\n")
