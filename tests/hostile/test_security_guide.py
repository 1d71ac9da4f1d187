"""The tests that docs/security.md names are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", GUIDE)))


def test_every_row_of_the_table_of_defences_names_a_test() -> None:
    table = GUIDE.partition("## Defences")[2].partition("## What is not defended")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 18
    assert [row for row in rows if "`tests/" not in row.rsplit(" | ", 1)[1]] == []


def test_every_test_that_is_named_is_there() -> None:
    missing = []
    for path, function in NAMED:
        file = ROOT / path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if not text or (function and f"def {function}(" not in text):
            missing.append(f"{path}::{function}")
    assert missing == []
