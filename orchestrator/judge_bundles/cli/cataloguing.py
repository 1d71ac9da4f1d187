"""List the builtin judges."""

import sys
from collections.abc import Sequence
from pathlib import Path

from judge_bundles import escape
from judge_bundles.cli.checking import LABEL_COLUMNS
from judge_bundles.cli.choices import RecordFormat
from judge_bundles.reports.style import console, hanging, plain
from judge_bundles.rules.catalogue import read_catalogue
from judge_bundles.rules.catalogue.listing import lines, record


def judges(folders: Sequence[Path], output: RecordFormat, *, color: bool | None = None) -> None:
    """Print every judge that a rule can take by name; files that cannot be judges are raised."""
    builtins = read_catalogue(folders).builtins.values()
    if output is RecordFormat.json:
        listed = [record(builtin) for builtin in builtins]
        sys.stdout.write(escape.json_text(listed, indent=2) + "\n")
        return
    screen = console(sys.stdout, color=color)
    for position, builtin in enumerate(builtins):
        if position:
            screen.print()
        for text in lines(builtin):
            lead, body = text[:LABEL_COLUMNS], text[LABEL_COLUMNS:]
            screen.print(hanging(plain(lead), plain(body)))
