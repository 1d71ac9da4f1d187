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


def baseline_of(store: Store, wanted: str | None, resumed: RunRecord | None) -> str | None:
    """Return the id of the run to compare with; a resumed run keeps to the one it began with."""
    options = resumed.options if resumed and isinstance(resumed.options, dict) else {}
    began_with = options.get("baseline")
    if wanted is None:
        return began_with if isinstance(began_with, str) else None
    baseline = store.run(wanted).run_id
    if resumed and baseline == resumed.run_id:
        raise UserError(f"--baseline {wanted}: this is the run to be resumed; name an earlier one")
    if resumed and began_with is not None and baseline != began_with:
        raise UserError(
            f"--baseline {wanted}: the run {resumed.run_id} was compared with {began_with} so far. "
            "Leave --baseline out, or leave --resume out."
        )
    return baseline
