"""Judges with `agent`: a sandboxed agent beside others, by the same keys as a rule's own rubric."""

from typing import Final

from judge_bundles.rules.agent_judge import (
    ONE_TURN,
    RubricError,
    agent_judge,
    disagreements,
    rubric_text,
)
from judge_bundles.rules.entries.entry import Entry
from judge_bundles.rules.model import AgentJudgeSpec

_OF_BOTH: Final = ("model", "samples", "max_tokens")
"""Keys that may stand in `agent`, or beside it as with other judges."""


def agent_entry(entry: Entry) -> AgentJudgeSpec:
    """Return the judge of an entry with `agent`."""
    keys = entry.file.agent
    assert keys is not None
    above = {key: getattr(entry.file, key) for key in _OF_BOTH if entry.has(key)}
    for key in above.keys() & keys.model_fields_set:
        entry.add(f"stands beside `agent.{key}`: keep one of the two", key)
    keys = keys.model_copy(update=above)
    for path, message in disagreements(keys):
        entry.add(message, "agent", *path)
    rubric = _rubric(entry)
    if entry.file.score_range is not None:
        entry.add("an agent says pass or fail and has no scale", "score_range")
    if keys.limits.max_turns == 1:
        entry.warn(ONE_TURN, "agent", "limits", "max_turns")
    return agent_judge(
        entry.file.name,
        keys,
        rubric,
        model=entry.setting.models.for_judge(keys.model),
        runtime=entry.setting.runtime,
        description=entry.file.description,
        condition=entry.file.if_,
    )


def _rubric(entry: Entry) -> str:
    keys = entry.file.agent
    assert keys is not None
    try:
        rubric = rubric_text(keys.model_dump(exclude_none=True), entry.setting.read)
    except RubricError as error:
        entry.add(error.message, "agent", error.key)
        return ""
    if not (rubric or keys.criteria):
        entry.add("needs a `rubric`, a `rubric_file` or `criteria`", "agent")
    return rubric
