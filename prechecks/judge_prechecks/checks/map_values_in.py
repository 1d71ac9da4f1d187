"""`map_values_in`: the values of one JSON object are all among those allowed."""

from functools import cached_property
from typing import Final, Literal

from pydantic import Field

from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import JSON, Held
from judge_prechecks.parameters import Amount, FileName, JsonPath, Parameters, Scalar
from judge_prechecks.present import counted, quote, scalar
from judge_prechecks.registry import precheck
from judge_prechecks.view import View

_KINDS: Final = {str: "text", int: "number", float: "number", bool: "boolean", type(None): "null"}


class MapValuesIn(Parameters):
    """Holds when every value of the object at `path` is one of `allowed`, compared with its type."""

    type: Literal["map_values_in"]
    file: FileName
    path: JsonPath
    allowed: list[Scalar] = Field(min_length=1)
    min_items: Amount = 0
    """How many keys the object must have at least."""

    @cached_property
    def typed_values(self) -> frozenset[tuple[str, JSON]]:
        """The allowed values with what makes them different from equal ones of other types."""
        return frozenset(map(_typed, self.allowed))


@precheck(MapValuesIn)
def map_values_in(spec: MapValuesIn, view: View) -> Held:
    """Hold when every value is allowed."""
    document = view.document(spec.file)
    values = document.object(spec.path)
    where = document.at(spec.path)
    if len(values) < spec.min_items:
        message = f"{where} has {counted(len(values), 'key')}, fewer than {spec.min_items:,}"
        raise document.unmet(spec.path, message, observed=len(values), expected=spec.min_items)
    allowed = spec.typed_values
    wrong = [(key, value) for key, value in values.items() if _typed(value) not in allowed]
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        raise document.unmet(
            spec.path,
            f"{where}: {len(wrong):,} of {counted(len(values), 'value')} {verb} not allowed: "
            f"{named(wrong, _describe)}",
            observed=dict(wrong),
            expected=list(spec.allowed),
            details=listed(wrong, _describe),
        )
    return Held(
        f"{where} has only allowed values",
        file=document.name,
        path=spec.path.text,
        details=(f"{counted(len(values), 'value')} checked",),
    )


def _typed(value: JSON) -> tuple[str, JSON]:
    """Return what makes two scalars the same: `true` is not 1, but 1 is 1.0."""
    kind = _KINDS.get(type(value))
    return ("neither", None) if kind is None else (kind, value)


def _describe(pair: tuple[str, JSON]) -> str:
    key, value = pair
    return f"{quote(key)} is {scalar(value)}"
