"""The two prompts that compare a bundle with that of a baseline: each side is A in one of them."""

from typing import Any

from judge_bundles.judge_code.definitions import PromptTemplates
from judge_bundles.judge_code.prompts import Prompts
from judge_bundles.judge_code.tagging import as_data
from judge_bundles.limits import PAIR_TEXT_BUDGETS
from judge_bundles.record import Record, Texts

_SIDES = ("output_a", "output_b")


def compared(
    prompts: Prompts, templates: PromptTemplates, candidate: Record, baseline: Record
) -> dict[str, Any]:
    """Return both prompts, the sides without output, and notes, as JSON.

    What a side left is rendered once and stands unchanged in both prompts. `inputs` and
    `annotations` are the candidate's: both are of one entry.
    """
    records = {"candidate": candidate, "baseline": baseline}
    outputs = {side: _output(record) for side, record in records.items()}
    named = prompts.named(templates)
    shared = Texts(candidate).variables({"inputs", "annotations"} & named)
    rendered = {}
    notes: dict[str, None] = {}
    for first, second in (("candidate", "baseline"), ("baseline", "candidate")):
        given = dict(zip(_SIDES, (outputs[first], outputs[second]), strict=True))
        ending = "" if named & set(_SIDES) else _sections(given)
        rendered[f"{first}_first"], absent = prompts.render(templates, {**shared, **given}, ending)
        notes |= dict.fromkeys(absent)
    return {
        **rendered,
        "empty": [side for side, record in records.items() if _is_empty(record)],
        "notes": [
            *notes,
            *(f"{side}: {n}" for side, record in records.items() for n in record.notes),
        ],
    }


def _output(record: Record) -> str:
    """Return what one side left, files and conversation, each within its budget."""
    texts = Texts(record, PAIR_TEXT_BUDGETS)
    return f"## Files\n\n{texts.outputs}\n\n## Conversation\n\n{texts.conversation or '(none)'}"


def _is_empty(record: Record) -> bool:
    has_bytes = any(file.size for file in record.artifacts.files)
    return not has_bytes and not record["conversation"].strip()


def _sections(given: dict[str, str]) -> str:
    a, b = (as_data(given[side], side) for side in _SIDES)
    return f"\n\n# Output A\n\n{a}\n\n# Output B\n\n{b}\n"
