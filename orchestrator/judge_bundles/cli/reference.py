"""Write the reference pages that are made from the code: `python -m judge_bundles.cli.reference DIR`.

`docs/cli.md` is the program's own help, `docs/errors.md` the table of error kinds and
`docs/builtin-judges.md` the catalogue of judges. A test holds the shipped pages to what this prints.
"""

import sys
from pathlib import Path
from typing import Final

import typer

from judge_bundles.cli import judge, verbs
from judge_bundles.error_kinds import EXPLANATIONS
from judge_bundles.rules.catalogue import listing, read_catalogue

_WIDTH: Final = 100
_PROGRAM: Final = "judge-bundles"


def command_line() -> str:
    """Return the page on the command line."""
    commands = [
        f"## {_PROGRAM} {name}\n\n```text\n{_help(verbs.app, [name])}\n```\n"
        for name in verbs.names()
    ]
    parts = [
        "# The command line\n",
        "Made from the program's own help by `python -m judge_bundles.cli.reference docs`.\n",
        "A line with `--rule` judges, whatever its first word is. Everything else is a command.\n",
        f"## Judging\n\n```text\n{_help(judge.app, [])}\n```\n",
        *commands,
    ]
    return "\n".join(parts)


def error_kinds() -> str:
    """Return the page on errors."""
    rows = [
        f"| `{kind}` | {explanation.cause} | {'yes' if explanation.retryable else 'no'} "
        f"| {explanation.advice} |"
        for kind, explanation in EXPLANATIONS.items()
    ]
    return "\n".join(
        [
            "# Error kinds\n",
            "A bundle that nobody judged has the status `error` and one of these kinds. Made from the",
            "code by `python -m judge_bundles.cli.reference docs`.\n",
            "Retried means: `--resume` tries the bundle again by itself. Requests to the model are",
            "already retried within a judgement ([models](models.md)).\n",
            "| kind | cause | retried | what to do |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def builtin_judges() -> str:
    """Return the page on the shipped builtin judges."""
    return listing.page(list(read_catalogue().builtins.values()))


PAGES: Final = {
    "cli.md": command_line,
    "errors.md": error_kinds,
    "builtin-judges.md": builtin_judges,
}


def _help(app: typer.Typer, path: list[str]) -> str:
    command = typer.main.get_command(app)
    context = command.make_context(_PROGRAM, [*path], resilient_parsing=True)
    for name in path:
        group = context.command
        assert isinstance(group, typer.core.TyperGroup)
        found = group.get_command(context, name)
        assert found is not None
        context = found.make_context(name, [], parent=context, resilient_parsing=True)
    context.terminal_width = _WIDTH
    context.max_content_width = _WIDTH
    return context.get_help().rstrip()


def main() -> None:
    """Write every page into the folder named on the command line."""
    folder = Path(sys.argv[1])
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
