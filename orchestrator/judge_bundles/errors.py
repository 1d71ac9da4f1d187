"""Everything that can go wrong, as one small tree.

Two families. `UserError` and its children stop a command before or instead of judging: each carries
an exit code and a message of one or two lines that says what, where and what to do next.
`JudgementError` is what happened to one bundle: the pipeline turns it into a verdict with status
`error` and never into a pass or a fail.
"""

from typing import ClassVar

from judge_bundles.error_kinds import RETRYABLE, ErrorKind

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ERROR = 3
EXIT_NO_BUNDLES = 4
EXIT_INTERRUPTED = 130


class JudgeBundlesError(Exception):
    """Base of every exception this package raises on purpose."""

    exit_code: ClassVar[int] = EXIT_ERROR


class UserError(JudgeBundlesError):
    """Something the person at the keyboard can put right; nothing was judged."""

    exit_code = EXIT_USAGE


class RuleError(UserError):
    """A rule file that cannot be used. The message names file, key path and, if known, the line."""


class ModelSetupError(UserError):
    """A judge needs a model and there is none, or its key, price or script cannot be used."""


class EngineSetupError(UserError):
    """An agent judge needs a container engine or an image and neither can be had."""


class StoreError(JudgeBundlesError):
    """The store cannot be opened, read or written."""


class StoreUsageError(StoreError, UserError):
    """The store was asked for something the person at the keyboard can put right."""

    exit_code = EXIT_USAGE


class ReportError(JudgeBundlesError):
    """A report of a finished run cannot be written; its verdicts are in the store."""


class NoBundlesError(UserError):
    """RUNS holds nothing to judge."""

    exit_code = EXIT_NO_BUNDLES


class JudgementError(JudgeBundlesError):
    """One bundle could not be judged. `kind` is one of `error_kinds.ErrorKind`.

    `retryable` says whether `--resume` tries the bundle again; by default the kind decides.
    """

    def __init__(self, kind: ErrorKind, message: str, *, retryable: bool | None = None) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.retryable = RETRYABLE[kind] if retryable is None else retryable
