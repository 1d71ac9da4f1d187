"""What is wrong with the prechecks of a rule, all of it at once, in words for the rule's author."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

_WORDING: Final = {
    "missing": "is missing",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "list_type": "must be an array",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: `index` in the array (from 0) and `key_path` such as `left.file`, if it has one."""

    index: int | None
    key_path: str | None
    message: str

    def __str__(self) -> str:
        where = "" if self.index is None else f"[{self.index}]"
        if self.key_path:
            where += f".{self.key_path}"
        return f"{where}: {self.message}" if where else self.message


class PrecheckSpecError(ValueError):
    """The prechecks cannot be used. `index`, `key` and `message` are those of the first problem."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
        self.index = self.problems[0].index
        self.key = self.problems[0].key_path
        self.message = self.problems[0].message


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a question that offers the known word closest to `word`, or ""."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def problems_of(index: int, error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Translate what pydantic found in one item of the array."""
    return [
        Problem(index, _key_path(detail["loc"]), _message(detail, model))
        for detail in error.errors(include_url=False)
    ]


def _key_path(location: Sequence[int | str]) -> str | None:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif not part.startswith("<"):  # the tag of an arm of a union is no key
            path += f".{part}" if path else part
    return path or None


def _message(detail: ErrorDetails, model: type[BaseModel]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(detail["loc"], model)
    if kind == "value_error":
        return str(context["error"])
    if kind == "too_short":
        return "must not be empty"
    if kind == "greater_than_equal":
        return f"must be at least {context['ge']}"
    if kind == "literal_error":
        return f"must be {context['expected']}"
    return _WORDING.get(kind, detail["msg"])


def _unknown_key(location: Sequence[int | str], model: type[BaseModel]) -> str:
    known = _keys(model, location[:-1])
    wrong = str(location[-1])
    return f"unknown key{suggestion(wrong, known)}; the keys are {', '.join(sorted(known))}"


def _keys(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """Return the keys that the object at `location` may have."""
    for part in location:
        inner = _field_model(model, part)
        if inner is not None:
            model = inner
    return [field.alias or name for name, field in model.model_fields.items()]


def _field_model(model: type[BaseModel], part: int | str) -> type[BaseModel] | None:
    fields: dict[Any, Any] = {
        field.alias or name: field.annotation for name, field in model.model_fields.items()
    }
    return next(_models_in(fields.get(part)), None)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
