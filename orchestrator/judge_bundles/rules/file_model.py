"""The rule file as it may be written: its top-level keys, and the JSON Schema they give.

What several keys mean together, and what is read from other files, is decided in `draft` and
`resolve`. Entries of `judges` have a model of their own in `judge_file`; `prechecks`, `thresholds`
and `reward` are read by those who act on them.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from judge_bundles import limits
from judge_bundles.record.paths import KEYS, content_key
from judge_bundles.rules.file_parts import (
    NOT_BLANK,
    AgentKeys,
    FilePattern,
    FileSchema,
    Part,
    Text,
    printable,
)


class JsonFile(Part):
    """The key `json`: how the gate reads JSON."""

    duplicate_keys: Literal["error", "last"] = "error"


class ModelsFile(Part):
    """The key `models`. Other keys than `judge` belong to other tools."""

    model_config = ConfigDict(extra="ignore")

    judge: Text | None = None
    """The model of every judge for which nothing stronger names one."""


def _free_names(outputs: dict[str, str]) -> dict[str, str]:
    for name in outputs:
        printable(name)
        if not name.strip():
            raise ValueError("a name is blank")
        if content_key(name) in KEYS:
            raise ValueError(f"the name `{name}` is taken: choose another")
    return outputs


class RecordFile(Part):
    """The key `record`: where in a bundle the parts of the record lie. Patterns as in prechecks."""

    events: FilePattern | None = None
    annotations: FilePattern | None = None
    input: FilePattern | None = None
    run_result: FilePattern | None = None
    stdout: FilePattern | None = None
    stderr: FilePattern | None = None
    main: FilePattern | None = None
    outputs: Annotated[dict[str, FilePattern], AfterValidator(_free_names)] = Field(
        default_factory=dict
    )
    """Files whose text is in the record as `<name>_content`."""


class RuleFile(AgentKeys):
    """A rule file. A file that is only an array is the same as one with only `prechecks`."""

    schema_: Annotated[str, Field(alias="$schema")] = ""
    """Where an editor finds the schema of this file; otherwise ignored."""
    name: (
        Annotated[
            str,
            StringConstraints(pattern=NOT_BLANK, max_length=limits.MAX_RULE_NAME_CHARACTERS),
            AfterValidator(printable),
        ]
        | None
    ) = None
    """Shown in results; by default the file's name without suffix."""
    description: str = ""
    """For people only."""
    prechecks: Annotated[list[Any], Field(max_length=limits.MAX_PRECHECKS)] = Field(
        default_factory=list
    )
    """The gate: exact tests; one that fails decides, and no judge is asked."""
    json_: Annotated[JsonFile, Field(alias="json")] = JsonFile()
    judges: Annotated[list[Any], Field(min_length=1, max_length=limits.MAX_JUDGES)] = Field(
        default_factory=list
    )
    """Scorers of the bundle, asked once the gate holds."""
    thresholds: Any = None
    """Limits that decide the exit code, by judge."""
    reward: Any = None
    """How one number is made of a bundle's answers."""
    models: ModelsFile = ModelsFile()
    record: RecordFile = RecordFile()


def object_schema() -> dict[str, Any]:
    """Return the JSON Schema of the object form, without what others read."""
    return RuleFile.model_json_schema(by_alias=True, schema_generator=FileSchema)
