import json

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
