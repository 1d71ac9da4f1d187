"""ATIF, the trajectory format of Harbor: a `trajectory.json` of steps, versions 1.0 to 1.7.

A step of the agent holds its message, its calls and what they gave. The format itself has no word
for a call that failed; where a converter kept one under `extra`, it counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from judge_bundles.record.amounts import Amount, added_up, amount, count
from judge_bundles.record.reader import Event, Reading, reader
from judge_prechecks.outcome import JSON
from judge_prechecks.present import counted

_FINAL: Final = ("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens")
_STEP: Final = ("prompt_tokens", "completion_tokens", "cached_tokens")
_ROLES: Final = {"agent": "assistant", "user": "user", "system": "system"}
_MAX_NESTED: Final = 16
"""Subagents within subagents that are followed."""


@reader("atif", files=("trajectory.json",))
def read(document: JSON) -> Reading | None:
    """Read one trajectory with the subagents it embeds; those in other files are only counted."""
    if not isinstance(document, dict) or not isinstance(document.get("steps"), list):
        return None
    steps = _objects(document["steps"])
    stated = document.get("schema_version")
    named = isinstance(stated, str) and stated.startswith("ATIF")
    if not named and not any(_role(step) for step in steps):
        return None
    final = _object(document.get("final_metrics"))
    turns = [one for one in steps if one.get("source") == "agent"]
    own = [one for one in turns if one.get("is_copied_context") is not True]
    elsewhere = sum(1 for _ in _references(steps))
    notes = (f"{counted(elsewhere, 'reference')} to other trajectories not followed",)
    return Reading(
        events=list(_events(document, None, 0)),
        token_usage=_usage(final, own),
        cost_usd=_cost(final, own),
        num_turns=len(own),
        notes=notes if elsewhere else (),
    )


def _events(trajectory: Mapping[str, Any], belongs_to: str | None, depth: int) -> Iterator[Event]:
    for step in _objects(trajectory.get("steps")):
        yield from _of_step(step, belongs_to)
    if depth < _MAX_NESTED:
        for nested in _objects(trajectory.get("subagent_trajectories")):
            name = nested.get("trajectory_id") or nested.get("session_id")
            yield from _events(nested, name if isinstance(name, str) else "subagent", depth + 1)


def _of_step(step: Mapping[str, Any], belongs_to: str | None) -> Iterator[Event]:
    extra = _object(step.get("extra"))
    if belongs_to is None and extra.get("is_sidechain") is True:
        agent = extra.get("agent_id")
        belongs_to = agent if isinstance(agent, str) and agent else "sidechain"
    content = _parts(step.get("message"))
    calls = _objects(step.get("tool_calls"))
    content += [
        {
            "type": "tool_use",
            "id": call.get("tool_call_id"),
            "name": call.get("function_name"),
            "input": call.get("arguments"),
        }
        for call in calls
    ]
    yield _event(_role(step) or "system", step, content, belongs_to)
    results = list(_results(calls, _objects(_object(step.get("observation")).get("results"))))
    if results:
        yield _event("user", step, results, belongs_to)


def _event(
    kind: str, step: Mapping[str, Any], content: list[dict[str, Any]], belongs_to: str | None
) -> Event:
    event: Event = {
        "type": kind,
        "message": {"role": kind, "content": content},
        "parent_tool_use_id": belongs_to,
    }
    kept = {key: step[key] for key in ("step_id", "timestamp") if key in step}
    return {**event, **kept}


def _results(
    calls: list[dict[str, Any]], results: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield results with the id of their call.

    Those without one belong to the calls in order when there is one for each; a single one, as of a
    terminal that took several inputs, belongs to the last.
    """
    ids = [call.get("tool_call_id") for call in calls]
    without = [one for one in results if one.get("source_call_id") is None]
    if ids and len(without) == len(results):
        ids = ids if len(without) == len(ids) else ids[-1:]
        given = iter(ids)
    else:
        given = iter(())
    for result in results:
        identity = result.get("source_call_id") or next(given, None)
        if identity is None:
            yield {"type": "text", "text": _plain(result.get("content"))}
            continue
        yield {
            "type": "tool_result",
            "tool_use_id": identity,
            "content": _content(result),
            "is_error": _is_error(_object(result.get("extra"))),
        }


def _content(result: Mapping[str, Any]) -> Any:
    content = result.get("content")
    if content is not None or not result.get("subagent_trajectory_ref"):
        return _parts(content) if isinstance(content, list) else content
    return "[the trajectory of a subagent]"


def _is_error(extra: Mapping[str, Any]) -> bool | None:
    for key in ("is_error", "tool_result_is_error"):
        if isinstance(extra.get(key), bool):
            return bool(extra[key])
    return None


def _role(step: Mapping[str, Any]) -> str | None:
    source = step.get("source")
    return _ROLES.get(source) if isinstance(source, str) else None


def _parts(message: Any) -> list[dict[str, Any]]:
    if isinstance(message, str):
        return [{"type": "text", "text": message}] if message else []
    return _objects(message)


def _plain(content: Any) -> str:
    return "\n".join(text for one in _parts(content) if isinstance(text := one.get("text"), str))


def _usage(final: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    stated = {key: number for key in _FINAL if (number := count(final.get(key))) is not None}
    if stated:
        return stated
    metrics = [_object(step.get("metrics")) for step in steps]
    return added_up({key: one.get(key) for key in _STEP} for one in metrics) or None


def _cost(final: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> Amount | None:
    """Return the stated cost, else the sum over the steps when each that was measured has one."""
    stated = amount(final.get("total_cost_usd"))
    if stated is not None:
        return stated
    costs = [amount(one["cost_usd"]) if "cost_usd" in one else None for one in _measured(steps)]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _measured(steps: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    return (metrics for step in steps if (metrics := _object(step.get("metrics"))))


def _references(steps: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    for step in steps:
        for result in _objects(_object(step.get("observation")).get("results")):
            yield from _objects(result.get("subagent_trajectory_ref"))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
