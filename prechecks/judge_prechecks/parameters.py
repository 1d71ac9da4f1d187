"""The typed parameters of prechecks: one base model and the field types they share.

Texts that mean something (a pattern, a path) are compiled while the rule is validated, so that a
mistake is an error of the rule and a run compiles nothing.
"""

import math
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from judge_prechecks.limits import MAX_MARKER_CHARACTERS
from judge_prechecks.patterns import Pattern
from judge_prechecks.selecting import Selector
from judge_prechecks.visible import has_visible

T = TypeVar("T")


class Strict(BaseModel):
    """An object of a rule: no unknown keys, no conversions, no changes."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        validate_by_name=False,
        validate_by_alias=True,
        serialize_by_alias=True,
        use_attribute_docstrings=True,
    )

    def documents(self) -> Iterator[Pattern]:
        """Yield the patterns under the key `file`: what is read once and then kept."""
        for name, value in self:
            if name == "file" and isinstance(value, Pattern):
                yield value
            elif isinstance(value, Strict):
                yield from value.documents()


class Parameters(Strict):
    """Base of the parameters of a precheck; a subclass declares `type: Literal["its_name"]`."""

    type: str


class _Compiled:
    """Marks a field whose text is compiled by a function that may raise `ValueError`."""

    def __init__(self, compile_text: Callable[[str], object]) -> None:
        self._compile = compile_text

    def __get_pydantic_core_schema__(self, _source: Any, _: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            self._compile,
            core_schema.str_schema(strict=True),
            serialization=core_schema.to_string_ser_schema(),
        )


def _compile_marker(text: str) -> str:
    if not has_visible(text):
        raise ValueError("must have some visible character")
    if len(text) > MAX_MARKER_CHARACTERS:
        raise ValueError(f"is longer than {MAX_MARKER_CHARACTERS:,} characters")
    return text


class _NotNull:
    """Marks a field whose key may be left out, although null is refused where the key is given."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        nullable = handler(source)
        assert nullable["type"] == "nullable"
        return core_schema.no_info_before_validator_function(_refuse_null, nullable["schema"])


def _refuse_null(value: object) -> object:
    if value is None:
        raise ValueError("must not be null; leave the key out instead")
    return value


def _scalar(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must be a finite number")
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError("must be text, a number, true, false or null")
    return value


FileName = Annotated[
    Pattern,
    _Compiled(Pattern.compile),
    Field(description="One file: a name, a path, or a wildcard pattern that fits exactly one."),
]
Glob = Annotated[
    Pattern,
    _Compiled(Pattern.compile),
    Field(description="Files: a name, a path, or a wildcard pattern (`*`, `?`, `[...]`, `**`)."),
]
JsonPath = Annotated[
    Selector,
    _Compiled(Selector.compile),
    Field(description="A dotted name or JSONPath; `$` or the empty text is the document itself."),
]
Marker = Annotated[str, _Compiled(_compile_marker)]
Scalar = Annotated[
    Any,
    AfterValidator(_scalar),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]
Amount = Annotated[int, Field(ge=0)]
Optional = Annotated[T | None, _NotNull()]
"""A key that may be left out but not be null."""

left_out: Final[Any] = Field(default_factory=lambda: None)
"""The default of an `Optional` field; as a factory it does not show up in the JSON Schema."""
