"""`count_equals`: two values or numbers of things, from wherever they come, are the same."""

from typing import Literal

from pydantic import ConfigDict, model_validator
from pydantic.config import JsonDict

from judge_prechecks.counting import Count, count_field, count_files, count_items
from judge_prechecks.outcome import JSON, Held, UnmetError
from judge_prechecks.parameters import (
    FileName,
    Glob,
    JsonPath,
    Optional,
    Parameters,
    Strict,
    left_out,
)
from judge_prechecks.present import scalar
from judge_prechecks.registry import precheck
from judge_prechecks.view import View

_FORMS = ({"file", "field"}, {"file", "len"}, {"files"})
_FORMS_SCHEMA: JsonDict = {"oneOf": [{"required": [*sorted(form)]} for form in _FORMS]}


class Side(Strict):
    """Exactly one of `{file, field}`, `{file, len}` and `{files}`."""

    model_config = ConfigDict(json_schema_extra=_FORMS_SCHEMA)

    file: Optional[FileName] = left_out
    field: Optional[JsonPath] = left_out
    """A number or text in `file`, taken as it is."""
    len: Optional[JsonPath] = left_out
    """An array, object or path in `file`, whose items, keys or matches are counted."""
    files: Optional[Glob] = left_out
    """A pattern whose matching files are counted."""

    @model_validator(mode="after")
    def _one_form(self) -> "Side":
        if self.model_fields_set not in _FORMS:
            given = ", ".join(sorted(self.model_fields_set)) or "nothing"
            raise ValueError(
                f"must be one of {{file, field}}, {{file, len}} and {{files}}, not {{{given}}}"
            )
        return self

    def count(self, view: View) -> Count:
        """Return the number or text of this side, or raise `UnmetError`."""
        if self.files is not None:
            return count_files(view, self.files)
        assert self.file is not None  # by the forms
        document = view.document(self.file)
        if self.field is not None:
            return count_field(document, self.field)
        assert self.len is not None
        return count_items(document, self.len)


class CountEquals(Parameters):
    """Holds when both sides are the same number or the same text."""

    type: Literal["count_equals"]
    left: Side
    right: Side


@precheck(CountEquals)
def count_equals(spec: CountEquals, view: View) -> Held:
    """Hold when the two sides are equal."""
    left, right = _count(spec.left, view), _count(spec.right, view)
    if isinstance(left, UnmetError) or isinstance(right, UnmetError):
        raise _without_a_side(left, right)
    if _equal(left.value, right.value):
        return Held(
            f"both are {scalar(left.value)}: {left.where} and {right.where}",
            file=left.file,
            path=left.path,
            observed=left.value,
            expected=right.value,
        )
    raise UnmetError(
        f"left is {scalar(left.value)} ({left.where}), "
        f"right is {scalar(right.value)} ({right.where}){_hint(left.value, right.value)}",
        file=left.file,
        path=left.path,
        observed=left.value,
        expected=right.value,
    )


def _count(side: Side, view: View) -> Count | UnmetError:
    try:
        return side.count(view)
    except UnmetError as unmet:
        return unmet


def _without_a_side(left: Count | UnmetError, right: Count | UnmetError) -> UnmetError:
    """Name every side that has no value; the place is that of the first of them."""
    sides = (("left", left), ("right", right))
    failed = [side for side in (left, right) if isinstance(side, UnmetError)]
    return UnmetError(
        "; ".join(f"{name}: {_say(side)}" for name, side in sides),
        file=failed[0].file,
        path=failed[0].path,
        observed=failed[0].observed,
        expected=failed[0].expected,
        details=tuple(
            f"{name}: {detail}"
            for name, side in sides
            if isinstance(side, UnmetError)
            for detail in side.details
        ),
    )


def _say(side: Count | UnmetError) -> str:
    return side.message if isinstance(side, UnmetError) else f"{scalar(side.value)} ({side.where})"


def _equal(left: JSON, right: JSON) -> bool:
    return isinstance(left, str) == isinstance(right, str) and left == right


def _hint(left: JSON, right: JSON) -> str:
    if isinstance(left, str) == isinstance(right, str):
        return ""
    return "; text never equals a number"
