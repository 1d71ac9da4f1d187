"""Parts of the rule file that stand in more than one place: keys, types and bounds.

Values are taken as they stand: `"3"` is no number and `1` is no boolean.
"""

import re
from collections import Counter
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from judge_bundles import escape, limits
from judge_bundles.rules.model import Effort, EvidencePolicy
from judge_bundles.rules.thinking import THINKING_SCHEMA, check_thinking
from judge_prechecks.patterns import Pattern

NOT_BLANK: Final = r"\S"
_MEMORY: Final = re.compile(r"([1-9][0-9]{0,11})\s?(B|KiB|MiB|GiB)")
_UNITS: Final = {"B": 1, "KiB": limits.KIB, "MiB": limits.MIB, "GiB": 1024 * limits.MIB}


def _not_blank(text: str) -> str:
    # Python counts a few control characters as blank that the pattern's engine does not.
    if not text.strip():
        raise ValueError("must be text that is not blank")
    return text


Text = Annotated[str, StringConstraints(pattern=NOT_BLANK), AfterValidator(_not_blank)]
Count = Annotated[int, Field(ge=1)]


class Part(BaseModel):
    """A mapping of the rule file: its keys and no other."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,  # they become the descriptions in the schema
    )


def printable(name: str) -> str:
    """Return `name`, or raise ValueError."""
    if escape.show_keeping_backslashes(name) != name:
        raise ValueError("must be one line of printable characters")
    return name


def _pattern(text: str) -> str:
    Pattern.compile(text)
    return text


FilePattern = Annotated[str, AfterValidator(_pattern)]
"""A pattern of file names, as in prechecks."""


def _memory_bytes(value: Any) -> int:
    """Return bytes from a whole number or from text such as `512MiB`."""
    size = value
    if isinstance(value, str) and (match := _MEMORY.fullmatch(value)):
        size = int(match[1]) * _UNITS[match[2]]
    if not isinstance(size, int) or isinstance(size, bool):
        raise ValueError("must be bytes or a size such as `512MiB` or `2GiB`")  # noqa: TRY004 - pydantic reports ValueError
    low, high = limits.MIN_SANDBOX_MEMORY_BYTES, limits.MAX_SANDBOX_MEMORY_BYTES
    if not low <= size <= high:
        raise ValueError(f"must be from {low // limits.MIB}MiB to {high // _UNITS['GiB']}GiB")
    return size


class CriterionFile(Part):
    """One entry of `criteria`."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    text: Text


class MustReadFile(Part):
    """One entry of `must_read`."""

    path: FilePattern
    """A pattern of file names, as in prechecks."""
    min_coverage: Annotated[float, Field(gt=0, le=1)] = 1.0
    """The share of every matching file that must have been shown."""


class LimitsFile(Part):
    """The key `limits`: what one bundle may cost."""

    max_turns: Annotated[int, Field(ge=1, le=limits.MAX_TURNS)] = limits.DEFAULT_MAX_TURNS
    timeout_s: Annotated[float, Field(gt=0, le=limits.MAX_TIMEOUT_S)] = limits.DEFAULT_TIMEOUT_S
    max_tokens_total: Count | None = None
    max_cost_usd: Annotated[float, Field(gt=0)] | None = None


class SandboxFile(Part):
    """The key `sandbox`: what one container may use."""

    memory: Annotated[
        int,
        BeforeValidator(_memory_bytes),
        WithJsonSchema(
            {
                "anyOf": [
                    {
                        "type": "integer",
                        "minimum": limits.MIN_SANDBOX_MEMORY_BYTES,
                        "maximum": limits.MAX_SANDBOX_MEMORY_BYTES,
                    },
                    {"type": "string", "pattern": f"^{_MEMORY.pattern}$"},
                ]
            }
        ),
    ] = limits.SANDBOX_MEMORY_BYTES
    cpus: Annotated[float, Field(ge=limits.MIN_SANDBOX_CPUS, le=limits.MAX_SANDBOX_CPUS)] = (
        limits.SANDBOX_CPUS
    )
    pids: Annotated[int, Field(ge=limits.MIN_SANDBOX_PIDS, le=limits.MAX_SANDBOX_PIDS)] = (
        limits.SANDBOX_PIDS
    )
    runtime: (
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")] | None
    ) = None


def _distinct_ids(criteria: list[CriterionFile]) -> list[CriterionFile]:
    _refuse_repeats("id", [criterion.id for criterion in criteria])
    return criteria


def _distinct_paths(patterns: list[MustReadFile]) -> list[MustReadFile]:
    _refuse_repeats("path", [pattern.path for pattern in patterns])
    return patterns


def _refuse_repeats(key: str, values: list[str]) -> None:
    repeated = [value for value, times in Counter(values).items() if times > 1]
    if repeated:
        raise ValueError(f"each `{key}` may stand once, and `{repeated[0]}` stands more often")


MaxTokens = Annotated[int, Field(ge=1, le=limits.MAX_ANSWER_TOKENS)]
Samples = Annotated[int, Field(ge=1, le=limits.MAX_SAMPLES)]


class AgentKeys(Part):
    """What a sandboxed agent judges by: keys of a rule, and of the key `agent` of a judge."""

    rubric: Text | None = None
    """What a good bundle is."""
    rubric_file: Text | None = None
    """A file with the rubric: below the project root, else beside the rule."""
    criteria: Annotated[
        list[CriterionFile],
        Field(min_length=1, max_length=limits.MAX_CRITERIA),
        AfterValidator(_distinct_ids),
    ] = []
    """Questions that are each answered with evidence."""
    model: Text | None = None
    """Which model judges; `--model` is stronger."""
    effort: Effort | None = None
    """How hard the model tries; by default the server decides."""
    thinking: (
        Annotated[dict[str, Any], BeforeValidator(check_thinking), WithJsonSchema(THINKING_SCHEMA)]
        | None
    ) = None
    """Whether the model thinks before it answers; by default the server decides."""
    max_tokens: MaxTokens = limits.DEFAULT_MAX_TOKENS
    """Tokens one answer of the model may have."""
    samples: Samples = 1
    """Independent judgements; more than half of them must agree."""
    evidence: EvidencePolicy = "error"
    """What a quote that is not in the bundle makes of a verdict."""
    must_read: Annotated[
        list[MustReadFile], Field(max_length=limits.MAX_MUST_READ), AfterValidator(_distinct_paths)
    ] = []
    """Files that a pass must have read."""
    sandbox: SandboxFile = SandboxFile()
    limits: LimitsFile = LimitsFile()  # last: from here on the name hides the module


class FileSchema(GenerateJsonSchema):
    """A key that need not be there is left out, never written as null."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Describe the value alone."""
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the signature is pydantic's
        """Leave out titles, which only repeat the key."""
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave out defaults that are empty."""
        default = schema.get("default")
        if not default or isinstance(default, BaseModel):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)
