"""Annotations and inputs: YAML or JSON objects that whoever set the task wrote."""

from typing import Any

from judge_bundles.limits import RECORD_MAX_DOCUMENT_BYTES
from judge_bundles.record.lenient_json import Allowance, BrokenJsonError, parse
from judge_bundles.record.sources import Sources
from judge_prechecks.limits import MAX_JSON_DEPTH
from judge_prechecks.names import show
from judge_prechecks.outcome import JSON
from judge_prechecks.tree import File


def read_object(sources: Sources, role: str, file: File) -> dict[str, Any]:
    """Return the object in a file; with a note, and empty, when there is none."""
    data = sources.read(role, file, RECORD_MAX_DOCUMENT_BYTES)
    if data is None:
        return {}
    try:
        value = _yaml(data) if _is_yaml(file.path) else parse(data, Allowance())
    except BrokenJsonError as error:
        sources.notes.add(f"{role}: {show(file.path)} cannot be used: {error}")
        return {}
    if isinstance(value, dict):
        return value
    if value is not None:
        sources.notes.add(f"{role}: {show(file.path)} holds no object with keys")
    return {}


def _is_yaml(path: str) -> bool:
    return path.lower().endswith((".yaml", ".yml"))


def _yaml(data: bytes) -> JSON:
    from judge_bundles.documents.document import (  # noqa: PLC0415 - most records need no YAML
        DocumentLimits,
        UnreadableDocumentError,
        plain,
    )
    from judge_bundles.documents.source import decoded  # noqa: PLC0415 - as above
    from judge_bundles.documents.yaml_document import read_yaml  # noqa: PLC0415 - as above

    limits = DocumentLimits(max_bytes=RECORD_MAX_DOCUMENT_BYTES, max_depth=MAX_JSON_DEPTH)
    try:
        text = decoded(data)
        return plain(read_yaml(text, limits)) if text.strip() else None
    except UnreadableDocumentError as error:
        place = "" if error.line is None else f"line {error.line}: "
        raise BrokenJsonError(f"{place}{error.message}") from None
