"""An entry of `judges` as it may be written. Which keys go together is decided in `entries`."""

import keyword
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
)

from judge_bundles import limits
from judge_bundles.rules.file_parts import (
    NOT_BLANK,
    AgentKeys,
    FileSchema,
    MaxTokens,
    Part,
    Samples,
    Text,
    printable,
)
from judge_bundles.rules.judge_specs import Condition
from judge_bundles.scoring import GATE, ScoreRange

_RANGE_FORM: Final = "must be two finite numbers, the lower one first, such as [1, 5]"


def _not_reserved(name: str) -> str:
    if name == GATE:
        raise ValueError(f"`{GATE}` is reserved for the prechecks: choose another name")
    return name


def _condition(value: Any) -> Condition:
    if isinstance(value, bool) or (isinstance(value, str) and value.strip()):
        return value
    raise ValueError("must be true, false or a Python expression as text")


def _score_range(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(_RANGE_FORM)
    try:
        ScoreRange(*value)
    except ValueError as error:
        raise ValueError(_RANGE_FORM) from error
    return float(value[0]), float(value[1])


def _module(name: str) -> str:
    if not all(_is_name(part) for part in name.split(".")):
        raise ValueError("must be a module's name such as `checks.reports`")
    return name


def _function(name: str) -> str:
    if not _is_name(name):
        raise ValueError("must be a function's name such as `check_report`")
    return name


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


class AgentFile(AgentKeys):
    """The key `agent` of a judge: a sandboxed agent, as a rule's own rubric is one."""


class JudgeFile(Part):
    """One entry of `judges`. Which of the keys is set says what kind of judge it is."""

    name: Annotated[
        str,
        StringConstraints(pattern=NOT_BLANK, max_length=limits.MAX_JUDGE_NAME_CHARACTERS),
        AfterValidator(printable),
        AfterValidator(_not_reserved),
    ]
    """Shown in results and named in thresholds; `pairwise` is the comparison with a baseline."""
    description: str = ""
    """What the judge checks; an LLM judge is told."""
    builtin: Text | None = None
    """A judge of the catalogue, by its name or `category/name`."""
    check: Text | None = None
    """The body of a Python function over `outputs` and `arguments`."""
    llm_rubric: Text | None = None
    """Criteria for a model, which is shown the conversation."""
    prompt: Text | None = None
    """A whole prompt for a model, as a Jinja2 template."""
    prompt_file: Text | None = None
    """A file with such a template: below the project root, else beside the rule."""
    module: Annotated[Text, AfterValidator(_module)] | None = None
    """A Python module below the project root or installed, with the judge's `function`."""
    function: Annotated[Text, AfterValidator(_function)] | None = None
    """The function in `module`: `function(outputs=…, **arguments)`."""
    agent: AgentFile | None = None
    """A sandboxed agent that reads the bundle itself."""
    context: Annotated[list[Text], Field(max_length=limits.MAX_CONTEXT_FILES)] = Field(
        default_factory=list
    )
    """Files that are added to the prompt, as templates too."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Given to the function, or to the template as `arguments`."""
    if_: Annotated[
        Condition,
        BeforeValidator(_condition),
        WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "string"}]}),
        Field(alias="if"),
    ] = True
    """Whether a bundle is judged: a Python expression over `annotations` and `outputs`."""
    feedback_type: Text | None = None
    """`bool` for pass or fail; anything else is a score."""
    model: Text | None = None
    max_tokens: MaxTokens = limits.DEFAULT_MAX_TOKENS
    samples: Samples = 1
    score_range: (
        Annotated[
            tuple[float, float],
            BeforeValidator(_score_range),
            WithJsonSchema(
                {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
            ),
        ]
        | None
    ) = None
    """The lowest and the highest score; a score beyond them is an error."""


def judge_schema() -> dict[str, Any]:
    """Return the JSON Schema of one entry."""
    return JudgeFile.model_json_schema(by_alias=True, schema_generator=FileSchema)
