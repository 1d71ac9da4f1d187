import contextlib
import json
import re

import pytest

from judge_bundles import log
from judge_bundles.reports.progress import MAX_REASON_CHARACTERS, WIDE_COLUMNS, Events, Live
from judge_bundles.reports.style import console
from judge_bundles.verdict import Verdict
from tests.support.reports import HOSTILE, Terminal, ci_commands, error, judged, verdict

KEY = "sk-ant-api03-CANARYcanary0123456789"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


def seen(terminal: Terminal) -> str:
    return CONTROL.sub("", terminal.getvalue())


def drawn(terminal: Terminal, *verdicts: Verdict) -> str:
    live = Live(console(terminal))
    with live.display():
        live.started("run-1", len(verdicts) + 1)
        for one in verdicts:
            live.judged(one)
    return seen(terminal)


def test_the_display_shows_the_run_counts_and_cost(terminal: Terminal) -> None:
    text = drawn(terminal, judged("a", cost_usd=0.25), verdict("b", status="fail"), error("c"))
    assert "run run-1" in text
    last = text.rsplit("judging", 1)[1]
    assert "3/4" in last
    assert "1 passed 1 failed 1 errors" in last
    assert "$0.2500" in last


def test_an_unknown_cost_stays_unknown(terminal: Terminal) -> None:
    text = drawn(terminal, judged("a", cost_usd=None), judged("b", cost_usd=0.25))
    last = text.rsplit("judging", 1)[1]
    assert "$" not in last
    assert "/s  -" in last


@pytest.mark.parametrize("width", [80, WIDE_COLUMNS - 1, WIDE_COLUMNS, 200])
def test_no_number_is_cut_off(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    live = Live(console(terminal))
    with live.display():
        live.started("run", 20_000)
        for index in range(1200):
            live.judged(judged(str(index), cost_usd=1.0))
    text = seen(terminal)
    assert "…" not in text
    assert "1200/20000 1200 passed 0 failed 0 errors" in text.replace("  ", " ")
    assert ("judging" in text) is (width >= WIDE_COLUMNS)
    assert max(len(line) for line in re.split("[\n\r]", text)) <= width


def test_the_display_leaves_nothing_of_the_bar_behind(terminal: Terminal) -> None:
    drawn(terminal, verdict("a"))
    assert terminal.getvalue().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_a_warning_goes_above_the_bar_and_through_the_same_sink(terminal: Terminal) -> None:
    with contextlib.redirect_stderr(terminal):
        log.configure("console", quiet=True)
        live = Live(console(terminal))
        with live.display():
            live.started("run", 1)
            log.get_logger().warning("noticed", message=f"{'x' * 60} ::error::y {KEY}")
    text = seen(terminal)
    assert "noticed" in text
    assert KEY not in text
    assert not ci_commands(text)


@pytest.mark.parametrize("length", range(30, 201, 7))
def test_wrapping_makes_no_ci_command_of_a_warning(terminal: Terminal, length: int) -> None:
    with contextlib.redirect_stderr(terminal):
        log.configure("console")
        with Live(console(terminal)).display():
            log.get_logger().warning("noticed", message=f"{'x' * length} ::stop-commands::tok")
    assert "stop-commands" in seen(terminal)
    assert not ci_commands(seen(terminal))


def events(capsys: pytest.CaptureFixture[str], *verdicts: Verdict) -> list[dict[str, object]]:
    log.configure("json")
    told = Events()
    with told.display():
        told.started("run-1", len(verdicts))
        for one in verdicts:
            told.judged(one)
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


def test_events_name_what_was_judged(capsys: pytest.CaptureFixture[str]) -> None:
    begun, passed, failed = events(
        capsys, verdict("a", reused_from="old"), error("b", reason="spent")
    )
    assert (begun["event"], begun["run_id"], begun["verdicts_pending"]) == (
        "run_started",
        "run-1",
        2,
    )
    assert (passed["event"], passed["entry_id"], passed["status"]) == ("bundle_judged", "a", "pass")
    assert (passed["level"], passed["reused_from"]) == ("info", "old")
    assert "error_kind" not in passed
    assert (failed["level"], failed["error_kind"], failed["reason"]) == (
        "warning",
        "budget",
        "spent",
    )
    assert "reused_from" not in failed


def test_events_are_escaped_redacted_and_cut(capsys: pytest.CaptureFixture[str]) -> None:
    for before in range(MAX_REASON_CHARACTERS - len(KEY) - 2, MAX_REASON_CHARACTERS + 2, 5):
        _, event = events(capsys, verdict(HOSTILE, reason=f"{'x' * before} {KEY} {HOSTILE}"))
        text = json.dumps(event)
        assert len(str(event["reason"])) == MAX_REASON_CHARACTERS
        assert "sk-ant" not in text
        assert "\\u001b" in str(event["entry_id"])
        assert not ci_commands(str(event["entry_id"]))
