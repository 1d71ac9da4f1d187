"""Write the report files of a run, and find out beforehand that they can be written."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from judge_bundles import escape
from judge_bundles.errors import ReportError, UserError
from judge_bundles.reports.junit import Unjudged, as_junit
from judge_bundles.reports.scores import Scores, as_record
from judge_bundles.reports.summary import Summary
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict


def require_writable(reports: Mapping[str, Path | None]) -> None:
    """Find out before judging, not after, that a report has nowhere to go. Raises UserError.

    `reports` has the path, if any, for each option.
    """
    for option, path in reports.items():
        if path is not None and (reason := _obstacle(path.absolute())):
            raise UserError(f"{option} {path}: {reason}")


def _obstacle(path: Path) -> str | None:
    try:
        if path.is_dir():
            return "this is a folder; name a file"
        if not path.parent.is_dir():
            return f"the folder {path.parent} does not exist"
        exists = path.exists()
    except OSError as error:  # such as a name that is too long
        return f"this cannot be written: {error.strerror}"
    if exists:
        return None if os.access(path, os.W_OK) else "this file may not be written"
    allowed = os.access(path.parent, os.W_OK | os.X_OK)
    return None if allowed else f"no file may be made in {path.parent}"


def write_junit(path: Path, store: Store, verdicts: Sequence[Verdict], scores: Scores) -> None:
    """Write the JUnit file. Raises ReportError: by now the result has been shown."""
    missing = unjudged(store, scores.run_id, verdicts)
    _write("--junit", path, as_junit(verdicts, missing, scores), scores.run_id)


def write_summary(path: Path, scores: Scores, total: Summary) -> None:
    """Write the summary of the run as JSON. Raises ReportError, as above."""
    text = escape.json_text(as_record(scores, total), indent=2) + "\n"
    _write("--summary", path, text.encode(), scores.run_id)


def _write(option: str, path: Path, document: bytes, run_id: str) -> None:
    try:
        path.write_bytes(document)
    except OSError as error:
        raise ReportError(
            f"{option} {path}: the report cannot be written: {error.strerror}. "
            f"The verdicts are kept: judge-bundles show {run_id}"
        ) from error


def unjudged(store: Store, run_id: str, verdicts: Sequence[Verdict]) -> list[Unjudged]:
    """Return what the run owes and does not have, in the order of its bundles."""
    judged = {(verdict.rule, verdict.entry_id) for verdict in verdicts}
    rules = store.run(run_id).rules
    owed = [(rule.name, entry.entry_id) for entry in store.entries(run_id) for rule in rules]
    return [one for one in owed if one not in judged]
