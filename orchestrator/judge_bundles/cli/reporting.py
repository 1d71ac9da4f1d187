"""Write the report files of a run, and find out beforehand that they can be written."""

import os
from collections.abc import Sequence
from pathlib import Path

from judge_bundles.errors import ReportError, UserError
from judge_bundles.reports.junit import Unjudged, as_junit
from judge_bundles.store.store import Store
from judge_bundles.verdict import Verdict


def require_writable(junit: Path | None) -> None:
    """Find out before judging, not after, that a report has nowhere to go. Raises UserError."""
    if junit is not None and (reason := _obstacle(junit.absolute())):
        raise UserError(f"--junit {junit}: {reason}")


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


def write_junit(path: Path, store: Store, run_id: str, verdicts: Sequence[Verdict]) -> None:
    """Write the JUnit file. Raises ReportError: by now the result has been shown."""
    document = as_junit(run_id, verdicts, unjudged(store, run_id, verdicts))
    try:
        path.write_bytes(document)
    except OSError as error:
        raise ReportError(
            f"--junit {path}: the report cannot be written: {error.strerror}. "
            f"The verdicts are kept: judge-bundles show {run_id}"
        ) from error


def unjudged(store: Store, run_id: str, verdicts: Sequence[Verdict]) -> list[Unjudged]:
    """Return what the run owes and does not have, in the order of its bundles."""
    judged = {(verdict.rule, verdict.entry_id) for verdict in verdicts}
    rules = store.run(run_id).rules
    owed = [(rule.name, entry.entry_id) for entry in store.entries(run_id) for rule in rules]
    return [one for one in owed if one not in judged]
