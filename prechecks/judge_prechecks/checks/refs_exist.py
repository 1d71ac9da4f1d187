"""`refs_exist`: what the items of an array refer to is a file of the bundle, or is on a list."""

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from judge_prechecks.document import Document
from judge_prechecks.items import at_least
from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import Held
from judge_prechecks.parameters import Amount, FileName, JsonPath, Parameters, Strict
from judge_prechecks.present import counted, describe
from judge_prechecks.references import Targets, describe_reference, unresolved
from judge_prechecks.registry import precheck
from judge_prechecks.view import View, described


class Listing(Strict):
    """A list inside a file: an array of texts, the keys of an object, or what a path selects."""

    file: FileName
    path: JsonPath


def _form(value: object) -> str | None:
    if isinstance(value, dict | Listing):
        return "<listing>"
    return "<bundle>" if value == "bundle" else None


Where = Annotated[
    Annotated[Literal["bundle"], Tag("<bundle>")] | Annotated[Listing, Tag("<listing>")],
    Discriminator(
        _form,
        custom_error_type="where",
        custom_error_message='must be "bundle" or an object {file, path}',
    ),
]


class RefsExist(Parameters):
    """Holds when every `field` of the items of `array` names a file of the bundle, or of a list."""

    type: Literal["refs_exist"]
    file: FileName
    array: JsonPath
    field: JsonPath
    where: Where = Field(alias="in")
    """`"bundle"`, or the place of a list of paths."""
    min_items: Amount = 0
    """How many items the array must have at least."""


@precheck(RefsExist)
def refs_exist(spec: RefsExist, view: View) -> Held:
    """Hold when no reference leads nowhere."""
    document = view.document(spec.file)
    items = document.array(spec.array)
    at_least(document, spec.array, items, spec.min_items)
    targets, place = _targets(spec, view)
    offenders, references = unresolved(items, spec.field, targets)
    where = document.at(spec.array)
    if offenders:
        raise document.unmet(
            spec.array,
            f"{where}: {counted(len(offenders), 'reference')} not found in {place}: "
            f"{named(offenders, describe_reference)}",
            observed=[reason for _, reason in offenders],
            expected=f"files in {place}",
            details=listed(offenders, describe_reference),
        )
    return Held(
        f"every reference of {where} is in {place}",
        file=document.name,
        path=spec.array.text,
        details=(f"{counted(references, 'reference')} of {counted(len(items), 'item')} checked",),
    )


def _targets(spec: RefsExist, view: View) -> tuple[Targets, str]:
    if isinstance(spec.where, Listing):
        listing = view.document(spec.where.file)
        return Targets(_paths(listing, spec.where), {}), listing.at(spec.where.path)
    files, skipped = view.paths()
    refused = {path: f"is {described(member)}, not a file" for path, member in skipped.items()}
    return Targets(files, refused), "the bundle"


def _paths(listing: Document, where: Listing) -> list[str]:
    """Return the listed texts; anything else on the list makes it unusable."""
    if where.path.multiple:
        values = listing.array(where.path)
    else:
        value = listing.one(where.path, "an array")
        values = list(value) if isinstance(value, dict) else listing.array(where.path)
    for index, value in enumerate(values):
        if not isinstance(value, str):
            message = f"{listing.at(where.path)}: entry {index} is {describe(value)}, not text"
            raise listing.unmet(where.path, message, observed=value, expected="a list of paths")
    return [value for value in values if isinstance(value, str)]
