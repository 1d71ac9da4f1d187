"""The two prompts that compare a bundle with a baseline's."""

from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeRunner, PairPrompts
from judge_bundles.limits import MAX_PROMPT_CHARACTERS, PAIR_TEXT_BUDGETS
from judge_bundles.rules.judge_specs import PairwiseSpec, TextFile
from tests.orchestrator.record.bundles import says
from tests.support.judge_code import RULE, Files, bundle, rule, with_runner

CANDIDATE: Files = {
    "report.md": "# New {{ inputs }}",
    "events.jsonl": [says("Done well.")],
    "input.yaml": "task: Write it.\n",
    "annotations.yaml": "category: a\n",
}
BASELINE: Files = {
    "report.md": "# Old",
    "events.jsonl": [says("Done.")],
    "input.yaml": "task: Other.\n",
}


def pair(
    tmp_path: Path,
    template: str,
    candidate: Files = CANDIDATE,
    baseline: Files = BASELINE,
    **more: Any,
) -> PairPrompts:
    used = rule(pairwise=PairwiseSpec(template, **more))
    one, two = bundle(tmp_path / "new", candidate), bundle(tmp_path / "old", baseline)
    return with_runner(used, lambda runner: runner.pair(RULE, one, two))


def test_the_two_sides_change_places_and_nothing_else(tmp_path: Path) -> None:
    template = "{{ inputs }} {{ annotations.category }} {{ arguments.x }}\nA: {{ output_a }}\nB: {{ output_b }}"
    found = pair(tmp_path, template, arguments={"x": 1})
    new = "## Files\n\n### report.md (18 bytes)\n\n```\n# New {{ inputs }}\n```\n\n## Conversation\n\nDone well."
    old = "## Files\n\n### report.md (5 bytes)\n\n```\n# Old\n```\n\n## Conversation\n\nDone."
    head = "**task**: Write it. a 1"
    assert found.candidate_first == f"{head}\nA: {new}\nB: {old}"
    assert found.baseline_first == f"{head}\nA: {old}\nB: {new}"
    assert (found.empty, found.notes) == ((), ())


def test_both_outputs_are_added_where_a_template_names_neither(tmp_path: Path) -> None:
    found = pair(
        tmp_path, "Which is better?", context=(TextFile("style.md", "Be {{ inputs.task }}"),)
    )
    first = found.candidate_first
    assert first.startswith("Which is better?\n\n# Output A\n\n<output_a id=")
    a, b = first.split("# Output B")
    assert "# New" in a
    assert "# Old" in b
    assert first.endswith("\n\n## Context: style.md\n\nBe Write it.")
    a, b = found.baseline_first.split("# Output B")
    assert "# Old" in a
    assert "# New" in b


@pytest.mark.parametrize(
    ("template", "added"),
    [
        ("{{ output_a }}", False),
        ("{% if output_b %}b{% endif %}", False),
        ("{{ 'output_a' }} {% set output_b = 1 %}{{ output_b }}", True),
    ],
)
def test_naming_one_in_any_form_leaves_it_to_the_template(
    tmp_path: Path, template: str, added: bool
) -> None:
    assert ("# Output B" in pair(tmp_path, template).candidate_first) == added


def test_a_side_without_output_is_named(tmp_path: Path) -> None:
    sides: list[tuple[Files, bool]] = [
        ({}, True),
        ({"input.yaml": "task: x"}, True),
        ({"report.md": ""}, True),
        ({"report.md": "x"}, False),
        ({"events.jsonl": [says("x")]}, False),
        ({"events.jsonl": [says(" \n")]}, True),
        ({"stdout.log": "x"}, False),
    ]
    full = bundle(tmp_path / "full", CANDIDATE)

    async def work(runner: CodeRunner) -> None:
        for number, (files, empty) in enumerate(sides):
            side = bundle(tmp_path / str(number), files)
            found = await runner.pair(RULE, side, full)
            assert found.empty == (("candidate",) if empty else ()), files
            found = await runner.pair(RULE, full, side)
            assert found.empty == (("baseline",) if empty else ()), files

    with_runner(rule(pairwise=PairwiseSpec("x")), work)


def test_notes_say_which_side_they_are_about(tmp_path: Path) -> None:
    broken = {**BASELINE, "events.jsonl": "{}\nno\n"}
    found = pair(tmp_path, "{{ annotations.missing }}{{ output_a }}", baseline=broken)
    assert found.notes[0] == "rendered as nothing: annotations.missing"
    assert found.notes[1].startswith("baseline: events: events.jsonl")


def test_two_large_bundles_fit_into_one_prompt(tmp_path: Path) -> None:
    large: Files = {
        **{f"part-{number}.md": "word " * 50_000 for number in range(20)},
        "events.jsonl": [says("said " * 100_000)],
        "input.json": {f"field {number}": "x" * 20_000 for number in range(10)},
        "annotations.json": {f"field {number}": "x" * 20_000 for number in range(10)},
    }
    template = "{{ inputs }}{{ annotations }}"
    found = pair(tmp_path, template, large, large)
    most = 2 * (PAIR_TEXT_BUDGETS.outputs + PAIR_TEXT_BUDGETS.conversation)
    assert most / 2 < len(found.candidate_first) < MAX_PROMPT_CHARACTERS


def test_a_template_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JudgementError, match="of the prompt of pairwise") as caught:
        pair(tmp_path, "{{ 1 / 0 }}")
    assert caught.value.kind == "judge_code"
