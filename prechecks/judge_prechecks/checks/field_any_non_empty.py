"""`field_any_non_empty`: every item of an array has at least one of some fields filled."""

from typing import Literal

from pydantic import Field

from judge_prechecks.items import at_least, describe_item, without_any
from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import Held
from judge_prechecks.parameters import Amount, FileName, JsonPath, Parameters
from judge_prechecks.present import counted
from judge_prechecks.registry import precheck
from judge_prechecks.view import View


class FieldAnyNonEmpty(Parameters):
    """Holds when every item of `array` has one of `fields` that is not null, blank or empty."""

    type: Literal["field_any_non_empty"]
    file: FileName
    array: JsonPath
    fields: list[JsonPath] = Field(min_length=1)
    min_items: Amount = 0
    """How many items the array must have at least."""


@precheck(FieldAnyNonEmpty)
def field_any_non_empty(spec: FieldAnyNonEmpty, view: View) -> Held:
    """Hold when no item is without all of the fields."""
    document = view.document(spec.file)
    items = document.array(spec.array)
    at_least(document, spec.array, items, spec.min_items)
    empty = without_any(items, spec.fields)
    where = document.at(spec.array)
    if empty:
        fields = ", ".join(field.shown for field in spec.fields)
        verb = "has" if len(empty) == 1 else "have"
        raise document.unmet(
            spec.array,
            f"{where}: {len(empty):,} of {counted(len(items), 'item')} {verb} none of {fields} "
            f"filled: {named(empty, describe_item)}",
            observed=[index for index, _ in empty],
            expected=[selector.text for selector in spec.fields],
            details=listed(empty, describe_item),
        )
    return Held(
        f"every item of {where} has something filled in",
        file=document.name,
        path=spec.array.text,
        observed=len(items),
        details=(f"{counted(len(items), 'item')} checked",),
    )
