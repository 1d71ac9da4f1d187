"""The judges of an evaluation config once they are resolved: every text read, nothing to look up.

Plain frozen records, as JSON-like as they can be: most of them travel to a worker process. They do
not read files, ask the environment or judge. The sandboxed agent's record is in `model`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from judge_bundles import limits

Condition = bool | str
"""Of `if`: true, false, or a Python expression over `annotations` and `outputs`."""
PAIRWISE_JUDGE: Final = "pairwise"
"""The reserved name of the judge that compares a bundle with that of a baseline run."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was read when the rule was loaded; `name` is how the rule calls it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PythonJudgeSpec:
    """A judge in Python, run in a worker process.

    `check`: `source` is a function body over `outputs` and `arguments`. `builtin`: `source` is the
    text of a file that defines `judge(outputs, **kwargs)`. `code`: `function` of `module`, imported
    from `project_root`; `source` is the module's text, for the digest only.
    """

    name: str
    type: Literal["builtin", "check", "code"]
    source: str
    description: str = ""
    condition: Condition = True
    arguments: Mapping[str, Any] = field(default_factory=dict)
    builtin: str | None = None
    """`category/stem` of a builtin."""
    file: str | None = None
    """Where `source` stands, for messages; None for a check, which stands in the rule."""
    module: str | None = None
    function: str = "judge"
    project_root: str | None = None
    score_range: tuple[float, float] | None = None
    """As declared; enforced then."""


@dataclass(frozen=True, slots=True)
class LlmJudgeSpec:
    """A judge that asks a model once: a Jinja2 template over the record, answered by a typed tool.

    `template` is complete: the conversation is already appended where the rule leaves that to us.
    `model` is the strongest of all that name one.
    """

    name: str
    type: Literal["builtin", "llm"]
    template: str
    description: str = ""
    condition: Condition = True
    arguments: Mapping[str, Any] = field(default_factory=dict)
    builtin: str | None = None
    context: tuple[TextFile, ...] = ()
    """Rendered like the template, and added as sections."""
    pass_fail: bool = True
    score_range: tuple[float, float] = (1, 5)
    """Of a judge that is not pass/fail: always enforced."""
    model: str | None = None
    samples: int = 1
    max_tokens: int = limits.DEFAULT_MAX_TOKENS


@dataclass(frozen=True, slots=True)
class PairwiseSpec:
    """The reserved judge `pairwise`: which of two bundles is better, asked in both orders."""

    template: str
    description: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    context: tuple[TextFile, ...] = ()
    model: str | None = None
    max_tokens: int = limits.DEFAULT_MAX_TOKENS
