"""Find the run that `--resume` means, and refuse to finish one job as another."""

from judge_bundles.cli.choices import NEWEST
from judge_bundles.errors import UserError
from judge_bundles.plan import Plan
from judge_bundles.store.records import RunRecord
from judge_bundles.store.store import Store


def run_to_resume(planned: Plan, store: Store, wanted: str | None) -> RunRecord | None:
    """Return the run to go on with; None when a new one is wanted."""
    if wanted is None:
        return None
    digests = [rule.digest for rule in planned.rules]
    if wanted == NEWEST:
        found = store.find_resumable(
            sources=planned.sources,
            rule_digests=digests,
            prechecks_only=planned.prechecks_only,
        )
        if found is None:
            raise UserError(
                "--resume: no unfinished run of these RUNS and rules. "
                "Leave --resume out to start one, or see judge-bundles runs."
            )
        return store.run(found)
    record = store.run(wanted)
    _require_same_job(record, planned)
    if {rule.digest for rule in record.rules} != set(digests):
        raise UserError(
            f"--resume {record.run_id}: the rules have changed since that run. "
            "Leave --resume out: what the new rules do not touch is reused."
        )
    return record


def _require_same_job(record: RunRecord, planned: Plan) -> None:
    """A run is finished as the job it began as; otherwise its verdicts would not mean one thing."""
    if set(record.sources) != set(planned.sources):
        raise UserError(
            f"--resume {record.run_id}: that run judged {', '.join(record.sources)}. "
            "Give the same RUNS, or leave --resume out."
        )
    gate_only = isinstance(record.options, dict) and record.options.get("prechecks_only") is True
    if gate_only != planned.prechecks_only:
        form = "with" if gate_only else "without"
        raise UserError(
            f"--resume {record.run_id}: that run was started {form} --prechecks-only. "
            "Resume it in the same way, or leave --resume out."
        )
