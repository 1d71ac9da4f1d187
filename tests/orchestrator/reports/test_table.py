import io

import pytest

from judge_bundles.reports.style import console
from judge_bundles.reports.summary import summarise
from judge_bundles.reports.table import NARROW_COLUMNS, print_table
from judge_bundles.verdict import InjectionFlag, Verdict
from tests.support.reports import HOSTILE, Terminal, ci_commands, error, judged, verdict


def shown(*verdicts: Verdict, stream: io.StringIO | None = None, unjudged: int = 0) -> str:
    stream = stream or io.StringIO()
    print_table(console(stream), "run", verdicts, summarise(verdicts, unjudged=unjudged))
    return stream.getvalue()


@pytest.fixture(params=[40, 80, 120, 200])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


@pytest.mark.parametrize("command", ["::stop-commands::tok", "::error::x", "##[add-path]x"])
@pytest.mark.parametrize("length", range(30, 201))
def test_wrapping_makes_no_ci_command_of_a_reason(length: int, command: str) -> None:
    words = ("word " * length)[: length - 1]
    for filler in ("x" * length, words):
        text = shown(verdict(reason=f"{filler} {command}"), verdict(f"{filler} {command}"))
        assert not ci_commands(text)
        assert "stop-commands" not in command or "stop-commands" in text


@pytest.mark.parametrize("length", range(10, 201, 3))
def test_a_terminal_of_any_width_gets_no_ci_command_either(terminal: Terminal, length: int) -> None:
    reason = f"{'x' * length} ::error::x"
    text = shown(verdict(reason=reason, status="fail"), verdict(reason), stream=terminal)
    assert "error" in text
    assert not ci_commands(text)


def test_hostile_text_is_harmless_in_every_column() -> None:
    text = shown(
        error(
            HOSTILE,
            reason=HOSTILE,
            rule=HOSTILE,
            injection_suspected=(InjectionFlag("f", 1, HOSTILE),),
        ),
        verdict("other"),
    )
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not ci_commands(text)


def test_a_pipe_gets_no_blanks_at_the_end_of_lines_and_no_colour() -> None:
    text = shown(verdict("a"), judged("b", reason="long " * 80))
    assert text == "\n".join(line.rstrip() for line in text.split("\n"))
    assert "\x1b" not in text


def test_lines_are_as_wide_as_the_terminal_at_most(terminal: Terminal) -> None:
    monochrome = console(terminal, color=False)
    verdicts = [verdict("a" * 100, reason="word " * 50), error("b", reason="y" * 300)]
    print_table(monochrome, "run", verdicts, summarise(verdicts))
    assert "\x1b" not in terminal.getvalue()
    assert max(len(line) for line in terminal.getvalue().split("\n")) <= monochrome.width


def test_a_narrow_terminal_gives_its_room_to_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    for width, given in ((NARROW_COLUMNS - 1, False), (NARROW_COLUMNS, True)):
        monkeypatch.setenv("COLUMNS", str(width))
        heading = shown(judged(), stream=Terminal()).split("\n")[0]
        assert ("looks" in heading) is given
        assert "reason" in heading


def test_the_totals_say_what_is_left_unjudged_reused_and_spent() -> None:
    text = shown(judged("a", cost_usd=0.5, reused_from="old"), error("b"), unjudged=3)
    assert "1 passed, 0 failed, 1 errors, 3 left unjudged (1 reused from earlier runs)" in text
    assert "2 model calls, $0.5000" in text
    assert "no model judged" not in text
    assert "no model judged" in shown(judged("a", model_scripted=True))


def test_rules_have_a_column_when_there_are_several() -> None:
    assert "rule " not in shown(verdict("a"), verdict("b")).split("\n")[0]
    assert "rule " in shown(verdict("a"), verdict("a", rule="other")).split("\n")[0]
