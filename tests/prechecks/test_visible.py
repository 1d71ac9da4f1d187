import pytest

from judge_prechecks.visible import has_visible


@pytest.mark.parametrize(
    "text", ["a", "0", "-", "  .", "日", "é", "\u0301", "😀", "\ufffd", "\u200b\u200bx", "©"]
)
def test_what_a_reader_sees_is_visible(text: str) -> None:
    assert has_visible(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\r\n\f\v",
        "\0\x01\x1b\x7f\x85",
        "\xa0\u2003\u3000",
        "\u200b\u200c\u200d\u2060\ufeff",
        "\u202a\u202e\u2066",
        "\u2028\u2029",
        "\u2800",
        "\u115f\u1160\u3164\uffa0",
        "\ufe0f\ufe00",
        "\U000e0100\U000e0041",
        "\u034f\u180e\u17b5",
        "\ue000",
        "\u0378",
        "\U0001d159",
    ],
)
def test_what_only_a_program_sees_is_blank(text: str) -> None:
    assert not has_visible(text)
