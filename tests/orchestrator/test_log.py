import contextlib
import io
import json
import logging
from pathlib import PurePosixPath
from types import MappingProxyType

import pytest

from judge_bundles import log

KEY = "sk-ant-api03-CANARYcanary0123456789"


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "sk-ant-JBCANARY",
        "AKIAIOSFODNN7EXAMPLE",
        "AIza" + "a1B2" * 8 + "xyz",
        "ghp_" + "a" * 36,
        "Bearer abcdefghijklmnopqrstuvwx",
    ],
)
def test_what_is_shaped_like_a_key_is_redacted(secret: str) -> None:
    assert log.redact(f"before {secret} after") == "before [redacted] after"


def test_the_credentials_of_this_process_are_redacted_whatever_their_shape(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "plain-token-of-a-proxy")
    assert log.redact("x plain-token-of-a-proxy y") == "x [redacted] y"


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("DEPLOY_TOKEN", "plain-words", True),
        ("MYSQL_PASSWORD", "plain-words", True),
        ("PGPASSWORD", "plain-words", True),
        ("my_api_key", "plain-words", True),
        ("GPG_PASSPHRASE", "plain-words", True),
        ("SECRET", "plain-words", True),
        ("SERVICE_TOKEN", "7 chars", False),
        ("SERVICE_TOKEN", "8 chars.", True),
        ("SSH_KEY", "/home/someone/.ssh/id", False),
        ("TOKENIZERS_PARALLELISM", "plain-words", False),
        ("MONKEY", "plain-words", False),
    ],
)
def test_variables_that_say_they_hold_a_secret_are_believed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, is_secret: bool
) -> None:
    monkeypatch.setenv(name, value)
    assert (log.redact(f"x {value} y") == "x [redacted] y") == is_secret


def test_redaction_reaches_every_string_of_a_value() -> None:
    value = {KEY: [KEY, (KEY,), {"a": f"{KEY}!"}], "n": 1}
    assert KEY not in json.dumps(log.redact_value(value))


def test_events_are_one_escaped_redacted_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("json")
    log.get_logger().info("bundle_judged", entry_id="a\nb\x1b[31m", key=KEY, many=[KEY, "\u202e"])
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    event = json.loads(line)
    assert event["event"] == "bundle_judged"
    assert event["entry_id"] == "a\\nb\\u001b[31m"
    assert event["key"] == "[redacted]"
    assert event["many"] == ["[redacted]", "\\u202e"]


def test_quiet_keeps_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("console", quiet=True)
    log.get_logger().info("not_shown")
    log.get_logger().warning("shown")
    assert "not_shown" not in (text := capsys.readouterr().err)
    assert "shown" in text


def test_a_traceback_is_shown_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for wanted in (False, True):
        log.configure("json", tracebacks=wanted)
        try:
            int(KEY)
        except ValueError:
            log.get_logger().exception("crashed")
        (line,) = capsys.readouterr().err.splitlines()
        event = json.loads(line)
        assert ("exception" in event) is wanted
        assert KEY not in line


def fail(text: str) -> None:
    raise ValueError(text)


class Hostile:
    def __str__(self) -> str:
        return f"x\n::error::{KEY}\x1b[31m"


CLEAN = "x\\n::error::[redacted]\\u001b[31m"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Hostile(), CLEAN),
        (ValueError(str(Hostile())), CLEAN),
        (PurePosixPath(str(Hostile())), CLEAN),
        (str(Hostile()).encode(), CLEAN),
        (b"\xff", "\\xff"),
        ({str(Hostile()): Hostile()}, {CLEAN: CLEAN}),
        (MappingProxyType({1: [Hostile()]}), {"1": [CLEAN]}),
        ({KEY}, "{'[redacted]'}"),
        (float("inf"), "inf"),
        (True, True),
        (3, 3),
        (1.5, 1.5),
        (None, None),
    ],
)
def test_a_value_of_any_type_is_redacted_and_escaped(
    capsys: pytest.CaptureFixture[str], value: object, shown: object
) -> None:
    log.configure("json")
    log.get_logger().info("happened", value=value)
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["value"] == shown
    log.configure("console")
    log.get_logger().info("happened", value=value)
    text = capsys.readouterr().err
    assert len(text.splitlines()) == 1
    assert KEY not in text
    assert "\x1b" not in text


def test_a_traceback_keeps_its_lines_and_none_is_a_ci_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.configure("console", tracebacks=True)
    try:
        fail(f"first\n::error::{KEY}\n\x1b[31m")
    except ValueError:
        log.get_logger().exception("crashed")
    lines = capsys.readouterr().err.splitlines()
    assert "· ::error::[redacted]" in lines
    assert "\\u001b[31m" in lines
    assert any(line.startswith("  File ") for line in lines)


def test_what_libraries_report_is_an_event(capsys: pytest.CaptureFixture[str]) -> None:
    for wanted in (False, True):
        log.configure("json", tracebacks=wanted)
        logging.getLogger("a.library").info("not shown")
        try:
            fail(KEY)
        except ValueError:
            logging.getLogger("a.library").exception("lost\n%s\x1b[2J", KEY)
        (line,) = capsys.readouterr().err.splitlines()
        event = json.loads(line)
        assert (event["event"], event["library"], event["level"]) == (
            "library_reported",
            "a.library",
            "error",
        )
        assert event["message"] == "lost\\n[redacted]\\u001b[2J"
        assert event["error"] == "ValueError('[redacted]')"
        assert ("exception" in event) is wanted
        assert KEY not in line


def test_events_go_where_stderr_is_at_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("json")
    with contextlib.redirect_stderr(io.StringIO()) as other:
        log.get_logger().info("happened")
    assert json.loads(other.getvalue())["event"] == "happened"
    assert capsys.readouterr().err == ""
