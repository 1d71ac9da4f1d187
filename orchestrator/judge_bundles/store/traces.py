"""Rows of what judges did: steps, calls, and the folded transcript. Inside the caller's transaction."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from judge_bundles.store import contents, storable, transcript
from judge_bundles.store.records import CallRecord, JudgeTrace, TraceStep
from judge_bundles.store.schema import call_settings, calls, steps, traces
from judge_bundles.verdict import Usage


def write(connection: Connection, verdict_id: int, judge_traces: Iterable[JudgeTrace]) -> None:
    """Write the traces of one verdict."""
    for trace in judge_traces:
        row = {
            "verdict_id": verdict_id,
            "judge": trace.judge,
            "sample": trace.sample,
            "model": trace.model,
            "transcript": transcript.fold(trace.calls),
        }
        inserted = connection.execute(insert(traces), row).inserted_primary_key
        assert inserted is not None
        _write_steps(connection, inserted[0], trace.steps)
        _write_calls(connection, inserted[0], trace.calls)


def read(connection: Connection, verdict_id: int) -> tuple[JudgeTrace, ...]:
    """Return the traces of one verdict, in the order in which they were written."""
    query = select(traces).where(traces.c.verdict_id == verdict_id).order_by(traces.c.trace_id)
    return tuple(_read_trace(connection, row) for row in connection.execute(query).all())


def _write_steps(connection: Connection, trace_id: int, made: Sequence[TraceStep]) -> None:
    rows = [
        {
            "trace_id": trace_id,
            "position": position,
            "turn": step.turn,
            "tool": step.tool,
            "target": step.target,
            "arguments": step.arguments,
            "result_sha256": step.result_sha256,
            "result_bytes": step.result_bytes,
            "duration_ms": step.duration_ms,
            "error_kind": step.error_kind,
            "cut": step.cut,
            "shown": step.shown,
            "exploration": step.exploration,
        }
        for position, step in enumerate(made)
    ]
    if rows:
        connection.execute(insert(steps), rows)


def _write_calls(connection: Connection, trace_id: int, made: Sequence[CallRecord]) -> None:
    digests = _write_settings(connection, made)
    rows = [
        {
            "trace_id": trace_id,
            "position": position,
            "turn": call.turn,
            "settings_digest": digest,
            "input_tokens": call.usage.input_tokens,
            "output_tokens": call.usage.output_tokens,
            "cache_read_tokens": call.usage.cache_read_tokens,
            "cache_write_tokens": call.usage.cache_write_tokens,
            "counted_calls": call.usage.calls,
            "cost_usd": call.cost_usd,
            "latency_ms": call.latency_ms,
            "attempts": call.attempts,
            "request_id": call.request_id,
            "error": call.error,
        }
        for position, (call, digest) in enumerate(zip(made, digests, strict=True))
    ]
    if rows:
        connection.execute(insert(calls), rows)


def _write_settings(connection: Connection, made: Sequence[CallRecord]) -> list[str]:
    """Write what the calls have in common and return the digest of each call's settings."""
    digests: list[str] = []
    bodies: dict[str, Any] = {}
    previous: dict[str, Any] | None = None
    for call in made:
        body = transcript.settings(call.request)
        # Key order is part of the body; nearly always it is the one of the call before.
        if previous is None or body != previous or list(body) != list(previous):
            digest = storable.sha256(storable.json_text(body))
            bodies[digest] = body
            digests.append(digest)
        else:
            digests.append(digests[-1])
        previous = body
    if bodies:
        contents.insert_missing(connection, call_settings, "body", bodies)
    return digests


def _read_trace(connection: Connection, row: Row[Any]) -> JudgeTrace:
    made = select(steps).where(steps.c.trace_id == row.trace_id).order_by(steps.c.position)
    asked = (
        select(calls, call_settings.c.body)
        .join(call_settings)
        .where(calls.c.trace_id == row.trace_id)
        .order_by(calls.c.position)
    )
    figures = connection.execute(asked).all()
    said = transcript.unfold(row.transcript, [call.body for call in figures])
    return JudgeTrace(
        judge=row.judge,
        sample=row.sample,
        model=row.model,
        steps=tuple(_read_step(step) for step in connection.execute(made)),
        calls=tuple(
            _read_call(call, request, response)
            for call, (request, response) in zip(figures, said, strict=True)
        ),
    )


def _read_step(row: Row[Any]) -> TraceStep:
    return TraceStep(
        turn=row.turn,
        tool=row.tool,
        target=row.target,
        arguments=row.arguments,
        result_sha256=row.result_sha256,
        result_bytes=row.result_bytes,
        duration_ms=row.duration_ms,
        error_kind=row.error_kind,
        cut=row.cut,
        shown=tuple((file, start, end) for file, start, end in row.shown),
        exploration=row.exploration,
    )


def _read_call(
    row: Row[Any], request: dict[str, Any], response: dict[str, Any] | None
) -> CallRecord:
    return CallRecord(
        turn=row.turn,
        request=request,
        response=response,
        usage=Usage(
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
            cache_read_tokens=row.cache_read_tokens,
            cache_write_tokens=row.cache_write_tokens,
            calls=row.counted_calls,
        ),
        cost_usd=row.cost_usd,
        latency_ms=row.latency_ms,
        attempts=row.attempts,
        request_id=row.request_id,
        error=row.error,
    )
