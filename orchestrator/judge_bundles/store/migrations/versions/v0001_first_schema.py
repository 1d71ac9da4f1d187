"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create every table."""
    _create_rules()
    _create_runs()
    _create_run_rules()
    _create_entries()
    _create_verdicts()
    _create_traces()
    _create_steps()
    _create_call_settings()
    _create_calls()


def _create_rules() -> None:
    op.create_table(
        "rules",
        sa.Column("digest", sa.String(length=128), nullable=False),
        sa.Column("resolved", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("finished_at", sa.String(length=32), nullable=True),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("sources_key", sa.String(length=64), nullable=False),
        sa.Column("rules_key", sa.String(length=64), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("prechecks_only", sa.Boolean(), nullable=False),
        sa.Column("tool_version", sa.String(length=64), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("owner_token", sa.String(length=32), nullable=True),
        sa.Column("owner_host", sa.Text(), nullable=True),
        sa.Column("owner_pid", sa.Integer(), nullable=True),
        sa.Column("owner_boot", sa.String(length=64), nullable=True),
        sa.Column("owner_namespace", sa.String(length=64), nullable=True),
        sa.Column("owner_started", sa.String(length=32), nullable=True),
        sa.Column("heartbeat_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index("runs_by_job", "runs", ["sources_key", "rules_key"])
    op.create_index("runs_by_time", "runs", ["created_at"])


def _create_run_rules() -> None:
    op.create_table(
        "run_rules",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=128), nullable=False),
        sa.ForeignKeyConstraint(["digest"], ["rules.digest"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "position"),
    )


def _create_entries() -> None:
    op.create_table(
        "entries",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry_key", sa.String(length=64), nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "position"),
        sa.UniqueConstraint("run_id", "entry_key", name="entries_by_key"),
    )


def _create_verdicts() -> None:
    op.create_table(
        "verdicts",
        sa.Column("verdict_id", KEY, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("entry_position", sa.Integer(), nullable=False),
        sa.Column("rule_position", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("bundle_digest", sa.String(length=128), nullable=True),
        sa.Column("rule_digest", sa.String(length=128), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("error_kind", sa.String(length=32), nullable=True),
        sa.Column("retryable", sa.Boolean(), nullable=True),
        sa.Column("reuse_key", sa.String(length=128), nullable=True),
        sa.Column("reused_from", sa.String(length=32), nullable=True),
        sa.Column("finished_at", sa.String(length=40), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id", "entry_position"], ["entries.run_id", "entries.position"], ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id", "rule_position"],
            ["run_rules.run_id", "run_rules.position"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("verdict_id"),
        sa.UniqueConstraint(
            "run_id", "entry_position", "rule_position", "attempt", name="verdicts_by_attempt"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("verdicts_by_reuse_key", "verdicts", ["reuse_key"])
    op.create_index(
        "verdicts_by_status", "verdicts", ["run_id", "is_current", "status", "rule_position"]
    )
    op.create_index(
        "verdicts_in_order", "verdicts", ["run_id", "is_current", "entry_position", "rule_position"]
    )


def _create_traces() -> None:
    op.create_table(
        "traces",
        sa.Column("trace_id", KEY, nullable=False),
        sa.Column("verdict_id", KEY, nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("transcript", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdicts.verdict_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace_id"),
    )
    op.create_index("traces_by_verdict", "traces", ["verdict_id"])


def _create_steps() -> None:
    op.create_table(
        "steps",
        sa.Column("trace_id", KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("result_sha256", sa.String(length=64), nullable=True),
        sa.Column("result_bytes", sa.BigInteger(), nullable=True),
        sa.Column("duration_ms", sa.Float(), nullable=False),
        sa.Column("error_kind", sa.Text(), nullable=True),
        sa.Column("cut", sa.Boolean(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("exploration", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["trace_id"], ["traces.trace_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace_id", "position"),
    )


def _create_call_settings() -> None:
    op.create_table(
        "call_settings",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("trace_id", KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("settings_digest", sa.String(length=64), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("counted_calls", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["settings_digest"], ["call_settings.digest"]),
        sa.ForeignKeyConstraint(["trace_id"], ["traces.trace_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("trace_id", "position"),
    )
    op.create_index("calls_by_settings", "calls", ["settings_digest"])
