from pathlib import Path

import pytest

from judge_bundles.cli.reference import PAGES

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_pages_made_from_the_code_are_up_to_date(name: str) -> None:
    shipped = (DOCS / name).read_text(encoding="utf-8")
    assert shipped == PAGES[name](), "run: python -m judge_bundles.cli.reference docs"
