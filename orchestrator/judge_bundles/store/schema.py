"""The tables, as the newest migration leaves them.

A change here needs a new file in `migrations/versions`; a test compares the two. Rows point at each
other by small integers: an entry id may be longer than a database can index. Text that came from
outside has a cleaning type; `String` is for what this program makes itself: ids, digests, times.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

from judge_bundles.store.columns import CleanText, JsonText, Name, PackedJson, SerialKey

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("name", CleanText),
    Column("status", String(16), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("finished_at", String(32)),
    Column("sources", JsonText, nullable=False),
    Column("sources_key", String(64), nullable=False),  # hash of the sources, whatever their order
    Column("rules_key", String(64), nullable=False),  # hash of the rule digests, likewise
    Column("options", JsonText, nullable=False),
    Column("prechecks_only", Boolean, nullable=False),
    Column("tool_version", String(64), nullable=False),
    Column("error", CleanText),
    Column("owner_token", String(32)),  # null when nobody executes the run
    Column("owner_host", CleanText),
    Column("owner_pid", Integer),
    Column("owner_boot", String(64)),
    Column("owner_namespace", String(64)),
    Column("owner_started", String(32)),
    Column("heartbeat_at", Float),  # seconds since the epoch
    Column("booked_usd", Float),  # the most it may have cost so far, calls in flight included
    Column("pruned_entries", Integer, nullable=False, server_default=text("0")),
    Index("runs_by_time", "created_at"),
    Index("runs_by_job", "sources_key", "rules_key"),
)

rules = Table(
    "rules",
    metadata,
    Column("digest", String(128), primary_key=True),
    Column("resolved", PackedJson, nullable=False),
)

run_rules = Table(
    "run_rules",
    metadata,
    Column("run_id", ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("name", Name, nullable=False),
    Column("digest", ForeignKey("rules.digest"), nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("run_id", ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("entry_key", String(64), nullable=False),  # hash of the stored entry id
    Column("entry_id", Name, nullable=False),
    Column("source", CleanText, nullable=False),
    Column("kind", String(16), nullable=False),
    UniqueConstraint("run_id", "entry_key", name="entries_by_key"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("verdict_id", SerialKey, primary_key=True),
    Column("run_id", String(32), nullable=False),
    Column("entry_position", Integer, nullable=False),
    Column("rule_position", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),  # from 1
    Column("is_current", Boolean, nullable=False),  # true for the last attempt only
    Column("status", String(8), nullable=False),
    Column("passed", Boolean),
    Column("stage", String(16), nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("bundle_digest", String(128)),
    Column("rule_digest", String(128), nullable=False),
    Column("model", CleanText),
    Column("cost_usd", Float),
    Column("latency_ms", BigInteger, nullable=False),
    Column("error_kind", String(32)),
    Column("retryable", Boolean),
    Column("reuse_key", String(128)),
    Column("reused_from", String(32)),
    Column("finished_at", String(40), nullable=False),
    Column("record", JsonText, nullable=False),
    ForeignKeyConstraint(
        ["run_id", "entry_position"], ["entries.run_id", "entries.position"], ondelete="CASCADE"
    ),
    ForeignKeyConstraint(
        ["run_id", "rule_position"], ["run_rules.run_id", "run_rules.position"], ondelete="CASCADE"
    ),
    UniqueConstraint(
        "run_id", "entry_position", "rule_position", "attempt", name="verdicts_by_attempt"
    ),
    Index("verdicts_in_order", "run_id", "is_current", "entry_position", "rule_position"),
    Index("verdicts_by_status", "run_id", "is_current", "status", "rule_position"),
    Index("verdicts_by_reuse_key", "reuse_key"),
    sqlite_autoincrement=True,  # an id is never given twice, so a higher one is always newer
)

traces = Table(
    "traces",
    metadata,
    Column("trace_id", SerialKey, primary_key=True),
    Column("verdict_id", ForeignKey("verdicts.verdict_id", ondelete="CASCADE"), nullable=False),
    Column("judge", CleanText, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("model", CleanText),
    Column("transcript", PackedJson, nullable=False),  # see `transcript`
    Index("traces_by_verdict", "verdict_id"),
)

steps = Table(
    "steps",
    metadata,
    Column("trace_id", ForeignKey("traces.trace_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    Column("tool", CleanText, nullable=False),
    Column("target", CleanText, nullable=False),
    Column("arguments", JsonText, nullable=False),
    Column("result_sha256", String(64)),
    Column("result_bytes", BigInteger),
    Column("duration_ms", Float, nullable=False),
    Column("error_kind", CleanText),
    Column("cut", Boolean, nullable=False),
    Column("shown", JsonText, nullable=False),  # [[file, start, end], …]
    Column("exploration", Boolean, nullable=False),
)

calls = Table(
    "calls",
    metadata,
    Column("trace_id", ForeignKey("traces.trace_id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    Column("settings_digest", ForeignKey("call_settings.digest"), nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("counted_calls", Integer, nullable=False),
    Column("cost_usd", Float),
    Column("latency_ms", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("request_id", CleanText),
    Column("error", CleanText),
    Index("calls_by_settings", "settings_digest"),
)

call_settings = Table(
    "call_settings",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("body", PackedJson, nullable=False),  # a request without its messages
)
