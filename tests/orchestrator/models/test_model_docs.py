import re
from pathlib import Path

import pytest

from judge_bundles import limits
from judge_bundles.models import resolve
from judge_bundles.models.script import format as script_format
from judge_bundles.models.script.load import parse

DOCS = Path(__file__).parents[3] / "docs"
SCRIPT_PAGE = (DOCS / "script-model.md").read_text(encoding="utf-8")
MODELS_PAGE = (DOCS / "models.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", SCRIPT_PAGE, re.DOTALL)


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_loads(example: str) -> None:
    assert parse(example.encode(), file_name="example.yaml").content.conversations


@pytest.mark.parametrize(
    "part", ["Prices", "TurnUsage", "Fault", "Turn", "Conversation", "ScriptFile"]
)
def test_every_key_of_the_format_is_described(part: str) -> None:
    keys = getattr(script_format, part).model_fields
    assert [key for key in keys if f"`{key}" not in SCRIPT_PAGE] == []


def test_every_kind_of_model_is_described() -> None:
    known = re.findall(r"\w+(?=[:/-])", resolve.KNOWN)
    assert {"claude", "bedrock", "vertex", "foundry", "script"} <= set(known)
    assert [prefix for prefix in known if prefix not in MODELS_PAGE] == []


@pytest.mark.parametrize(
    "sentence",
    [
        f"At most {limits.MODEL_MAX_ATTEMPTS} attempts",
        f"no whole answer in {limits.MODEL_ATTEMPT_TIMEOUT_S:g} s",
        f"up to {limits.MODEL_RETRY_AFTER_MAX_S:g} s, plus",
        f"and {limits.MODEL_BACKOFF_FIRST_S:g} s, 1 s, 2 s … up to {limits.MODEL_BACKOFF_MAX_S:g} s",
        f"after every {limits.MODEL_GROW_AFTER_SUCCESSES} answers one more",
        f"cut to {limits.MAX_MODEL_ERROR_CHARACTERS} characters",
    ],
)
def test_the_numbers_on_the_page_are_the_limits(sentence: str) -> None:
    assert sentence in " ".join(MODELS_PAGE.split())


def test_the_limits_of_a_script_are_on_its_page() -> None:
    assert f"at most {limits.MAX_SCRIPT_DELAY_S:g}" in SCRIPT_PAGE
    assert f"at most {limits.MAX_SCRIPT_REPEATS}" in SCRIPT_PAGE
    assert f"at most {limits.MAX_SCRIPT_BYTES // limits.MIB} MiB" in SCRIPT_PAGE
