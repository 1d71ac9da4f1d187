"""Say what each builtin judge is: as JSON, as lines for a terminal, as a page of the documentation.

Nothing is escaped here, except what Markdown would take for its own on the page.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from judge_bundles.rules.arguments import Argument
from judge_bundles.rules.catalogue.builtin_file import Builtin

ANY: Final = "any"
"""What stands for the arguments of a judge that declares none and takes all."""


def record(builtin: Builtin) -> dict[str, Any]:
    """Return one judge as a JSON object."""
    return {
        "name": builtin.name,
        "category": builtin.category,
        "kind": builtin.kind.lower(),
        "checks": builtin.header.about,
        "required_fields": builtin.header.required_fields,
        "fails_when": builtin.header.failure,
        "arguments": [_argument_record(argument) for argument in builtin.declared.arguments],
        "other_arguments": builtin.declared.open,
        "file": str(builtin.file),
    }


def lines(builtin: Builtin) -> Iterator[str]:
    """Yield lines with a label each, as `describe` has them for a rule."""
    yield f"judge     {builtin.qualified} ({builtin.kind})"
    yield from _line("checks", builtin.header.about)
    yield from _line("needs", builtin.header.required_fields)
    yield from _line("fails", builtin.header.failure)
    for argument in builtin.declared.arguments:
        yield f"argument  {_signature(argument)}{f'  {argument.help}' if argument.help else ''}"
    if builtin.declared.open:
        yield f"argument  {'others as well' if builtin.declared.arguments else ANY}"
    elif not builtin.declared.arguments:
        yield "argument  none"


def page(builtins: Sequence[Builtin]) -> str:
    """Return the documentation page on `builtins`."""
    rows = [
        f"| [`{one.name}`](#{one.name}) | {one.category} | {one.kind} | {_cell(one.header.about)} "
        f"| {_cell(one.header.required_fields)} |"
        for one in builtins
    ]
    return "\n".join([_INTRODUCTION, *rows, "", *(_section(one) for one in builtins)])


_INTRODUCTION: Final = """\
# Builtin judges

Judges that a rule takes by name: `builtin: NAME` or, to say where it belongs, `builtin: CATEGORY/NAME`. Made from
the judges' own files by `python -m judge_bundles.cli.reference docs`. `judge-bundles judges` lists the same and, with
`--judges-dir DIR`, your own. How they are used and written: [builtin judges](judge-builtin.md).

| name | category | kind | checks | needs |
|---|---|---|---|---|"""


def _section(builtin: Builtin) -> str:
    parts = [f"## {builtin.name}\n", f"{builtin.header.about}\n"]
    if builtin.header.failure:
        parts.append(f"Fails when: {builtin.header.failure}\n")
    if builtin.declared.arguments:
        parts += ["| argument | type | default | effect |", "|---|---|---|---|"]
        parts += [_row(argument) for argument in builtin.declared.arguments]
        parts.append("")
    else:
        parts.append(f"Arguments: {ANY if builtin.declared.open else 'none'}.\n")
    return "\n".join(parts)


def _row(argument: Argument) -> str:
    default = f"`{_cell(_default(argument))}`" if argument.has_default else "–"
    typed = f"`{_cell(argument.type)}`" if argument.type else ANY
    return f"| `{argument.name}` | {typed} | {default} | {_cell(argument.help)} |"


def _argument_record(argument: Argument) -> dict[str, Any]:
    default = {"default": argument.default} if argument.has_default else {}
    return {
        "name": argument.name,
        "type": argument.type,
        "required": argument.required,
        **default,
        "help": argument.help,
    }


def _signature(argument: Argument) -> str:
    typed = f": {argument.type}" if argument.type else ""
    default = f" = {_default(argument)}" if argument.has_default else ""
    return f"{argument.name}{typed}{default}"


def _default(argument: Argument) -> str:
    return json.dumps(argument.default, ensure_ascii=False)


def _line(label: str, text: str) -> Iterator[str]:
    if text:
        yield f"{label:<9} {text}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
