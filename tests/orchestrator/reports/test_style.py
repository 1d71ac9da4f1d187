import io

import pytest

from judge_bundles.reports.style import console, money, plain, seconds


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, "-"),
        (0.0, "0"),
        (0.00412, "$0.0041"),
        (0.9999, "$0.9999"),
        (1.0, "$1.00"),
        (1234.5, "$1234.50"),
    ],
)
def test_small_amounts_keep_their_digits(dollars: float | None, shown: str) -> None:
    assert money(dollars) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(0, "0.0 s"), (1250, "1.2 s"), (59_900, "59.9 s"), (61_000, "1 min 01 s")],
)
def test_times_are_for_people(milliseconds: int, shown: str) -> None:
    assert seconds(milliseconds) == shown


def test_markup_and_emoji_codes_of_a_bundle_are_plain_text() -> None:
    stream = io.StringIO()
    console(stream).print(plain("[red]x[/red] :smile: \x1b[31m"))
    assert stream.getvalue().strip() == "[red]x[/red] :smile: \\u001b[31m"
