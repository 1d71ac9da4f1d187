"""What a judging line asks for, once its options are read."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from judge_bundles.cli.choices import Format, LogFormat
from judge_bundles.limits import DEFAULT_CONCURRENCY, IntakeLimits


@dataclass(frozen=True, slots=True)
class Selection:
    """Which bundles, by which rules."""

    runs: tuple[str, ...]
    rules: tuple[Path, ...]
    single: bool = False
    patterns: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """How to judge."""

    model: str | None = None
    runtime: str | None = None
    concurrency: int = DEFAULT_CONCURRENCY
    prechecks_only: bool = False
    dry_run: bool = False
    max_cost: str | None = None
    resume: str | None = None
    fresh: bool = False
    store: str | None = None
    project_root: Path | None = None
    judges_dirs: tuple[Path, ...] = ()
    name: str | None = None
    baseline: str | None = None
    fail_on_new: bool = False
    intake_limits: IntakeLimits = field(default_factory=IntakeLimits)


@dataclass(frozen=True, slots=True)
class Output:
    """What to say, and where."""

    format: Format = Format.table
    junit: Path | None = None
    summary: Path | None = None
    log_format: LogFormat | None = None
    quiet: bool = False
    no_color: bool = False
    debug: bool = False
    store: str | None = None
    """The store's address as the user gave it, to be repeated in hints."""

    @property
    def live(self) -> bool:
        """True when a live display is wanted and can be shown."""
        return sys.stderr.isatty() and self.log_format is None and not self.quiet

    @property
    def color(self) -> bool | None:
        """False when colours are refused, None when the terminal decides."""
        return False if self.no_color else None
