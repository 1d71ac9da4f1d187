import os
from decimal import Decimal
from pathlib import Path

import pytest

from judge_bundles.errors import ModelSetupError
from judge_bundles.limits import (
    MAX_SCRIPT_BYTES,
    MAX_SCRIPT_DELAY_S,
    MAX_SCRIPT_DEPTH,
    MAX_SCRIPT_REPEATS,
)
from judge_bundles.models.base import CallContext, Price
from judge_bundles.models.script.load import Script, load, parse

WHOLE = """
prices: {input: 3.00, output: 15, cache_read: 0.3, cache_write: 3.75}
conversations:
  - entry: "good-*"
    rule: audit
    sample: 2
    turns:
      - thinking: Where to look?
        say: I look around.
        calls:
          - list_files: {}
          - read_file: {path: report.md}
        usage: {input_tokens: 1, output_tokens: 2}
        fail: [{status: 429, retry_after: 0.01}, {disconnect: true}, {body: "not json", times: 2}]
        repeat: 2
      - submit: {passed: true}
        delay_s: 0.5
  - turns: [{stop_reason: refusal, repeat: forever}]
"""


def script(text: str) -> Script:
    return parse(text.encode(), file_name="s.yaml")


def refused(text: str) -> str:
    with pytest.raises(ModelSetupError) as caught:
        script(text)
    return str(caught.value)


def one_turn(turn: str) -> str:
    return f"conversations:\n  - turns:\n    - {turn}\n"


def test_a_whole_file_is_read() -> None:
    loaded = script(WHOLE)
    first, second = loaded.content.conversations
    assert loaded.price == Price(Decimal(3), Decimal(15), Decimal("0.3"), Decimal("3.75"))
    assert [turn.tool_calls for turn in first.turns] == [
        [("list_files", {}), ("read_file", {"path": "report.md"})],
        [("submit_verdict", {"passed": True})],
    ]
    assert second.turns[0].stop_reason == "refusal"


def test_cached_input_costs_what_input_costs_unless_it_is_said() -> None:
    loaded = script("prices: {input: 0.1, output: 2}\n" + one_turn("say: hi"))
    assert loaded.price == Price(Decimal("0.1"), Decimal(2), Decimal("0.1"), Decimal("0.1"))


@pytest.mark.parametrize(
    ("turn", "value"),
    [
        ('submit: {passed: "false"}', {"passed": "false"}),
        ("submit: {}", {}),
        ("submit: {passed: null, x: [1, {a: 0.5}]}", {"passed": None, "x": [1, {"a": 0.5}]}),
        ("submit: {when: 2026-11-30, at: 12:30}", {"when": "2026-11-30", "at": "12:30"}),
        ("submit: {x: .nan, y: -.inf}", {"x": ".nan", "y": "-.inf"}),
        ("submit: {1: yes, on: 1_000}", {"1": "yes", "on": "1_000"}),
        ("submit: {x: &a {y: 1}, z: *a}", {"x": {"y": 1}, "z": {"y": 1}}),
    ],
)
def test_a_verdict_may_hold_any_json(turn: str, value: object) -> None:
    assert script(one_turn(turn)).content.conversations[0].turns[0].tool_calls == [
        ("submit_verdict", value)
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("[]", ":1: must be a mapping"),
        ("a: [", ":1: not valid YAML"),
        ("a: \x07", ": not valid YAML"),
        ("conversations: []", "conversations: List should have at least 1 item"),
        ("conversation: []", ":1: conversations: is missing"),
        (
            "conversations: [{turns: []}]",
            "conversations[0].turns: List should have at least 1 item",
        ),
        ("conversations: [{entry: a}]", "conversations[0].turns: is missing"),
        (
            one_turn("{}"),
            ":3: conversations[0].turns[0]: a turn needs say, calls, submit, score, compare, ",
        ),
        (one_turn("sya: hi"), ":3: conversations[0].turns[0].sya: is not known here"),
        (one_turn("{say: hi, say: ho}"), ":3: conversations[0].turns[0]: key `say` is given twice"),
        (one_turn("say: 5"), ":3: conversations[0].turns[0].say: Input should be a valid string"),
        (one_turn('say: ""'), "turns[0].say"),
        (
            one_turn("calls: [{a: {}, b: {}}]"),
            "turns[0].calls[0]: Dictionary should have at most 1",
        ),
        (one_turn("calls: [{}]"), "turns[0].calls[0]: Dictionary should have at least 1"),
        (one_turn("calls: [list_files]"), "turns[0].calls[0]: must be a mapping"),
        (one_turn("calls: [{a: 1}]"), "turns[0].calls[0].a: must be a mapping"),
        (one_turn("submit: [1]"), "turns[0].submit: must be a mapping"),
        (one_turn("submit: null"), "turns[0]: a turn needs say"),
        (one_turn("stop_reason: bored"), "turns[0].stop_reason: Input should be 'end_turn'"),
        (one_turn("{say: a, usage: {input_tokens: -1}}"), "turns[0].usage.input_tokens"),
        (one_turn("{say: a, usage: {input_tokens: 1.5}}"), "turns[0].usage.input_tokens"),
        (one_turn("{say: a, delay_s: true}"), "turns[0].delay_s"),
        (
            one_turn("{say: a, delay_s: .inf}"),
            ":3: conversations[0].turns[0].delay_s: Input should",
        ),
        (one_turn("{say: a, delay_s: 1e999}"), "turns[0].delay_s: the number 1e999 is too large"),
        (one_turn("{say: a, fail: [{}]}"), "turns[0].fail[0]: a fault is exactly one of"),
        (one_turn("{say: a, fail: [{status: 429, body: x}]}"), "a fault is exactly one of"),
        (one_turn("{say: a, fail: [{status: 200}]}"), "turns[0].fail[0].status"),
        (one_turn("{say: a, fail: [{disconnect: false}]}"), "turns[0].fail[0].disconnect"),
        (one_turn("{say: a, fail: [{body: x, retry_after: 1}]}"), "belong to a status"),
        (one_turn("{say: a, repeat: 0}"), "turns[0].repeat"),
        (one_turn("{say: a, repeat: always}"), "turns[0].repeat"),
        (
            "conversations: [{turns: [{say: a, repeat: forever}, {say: b}]}]",
            "conversations[0]: only the last turn can have repeat: forever",
        ),
        ("conversations: [{sample: 0, turns: [{say: a}]}]", "conversations[0].sample"),
        ("prices: {input: 1}\n" + one_turn("say: a"), ":1: prices.output: is missing"),
        ("prices: {input: -1, output: 1}\n" + one_turn("say: a"), "prices.input"),
        ("prices: {input: '1', output: 1}\n" + one_turn("say: a"), "prices.input"),
        ("prices: {input: .5, output: 1}\n" + one_turn("say: a"), "prices.input"),
        (one_turn("submit: {[1]: x}"), "turns[0].submit: a key must be plain text"),
        (one_turn("submit: !!binary aGk="), "turns[0].submit: the tag `tag:yaml.org,2002:binary`"),
        (one_turn("submit: !!python/object:os.system {}"), "is not supported"),
        (one_turn("submit: &a [*a]"), "turns[0].submit[0]: the alias `*a` stands before the end"),
        (one_turn("submit: {<<: {a: 1}}"), "turns[0].submit: merge keys (`<<`) are not supported"),
        ("[" * 50_000, "nested more than 64 levels deep"),
        (one_turn("submit: " + "9" * 5000), "turns[0].submit: a number has more than 400 digits"),
        (one_turn('calls: [{"\\ud83d": 1}]'), "turns[0].calls[0]"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, problem: str) -> None:
    message = refused(text)
    assert message.startswith("script s.yaml:")
    assert problem in message
    assert "\n" not in message


def test_bytes_that_are_no_text_are_named_with_their_place() -> None:
    with pytest.raises(ModelSetupError) as caught:
        parse(b"a: \xff", file_name="s.yaml")
    assert str(caught.value) == "script s.yaml:1: not UTF-8 (byte 0xff): save it as UTF-8"


def test_a_script_may_be_json() -> None:
    raw = b'{"conversations": [{"turns": [{"submit": {"x": "\\ud83d\\ude00 \\ud83d"}}]}]}'
    for name in ("s.json", "s"):
        turn = parse(raw, file_name=name).content.conversations[0].turns[0]
        assert turn.submit == {"x": "\U0001f600 \ud83d"}
    with pytest.raises(ModelSetupError, match=r"^script s\.json:1: not valid JSON: "):
        parse(one_turn("say: a").encode(), file_name="s.json")


@pytest.mark.parametrize("name", ["s.yaml", "s.json"])
def test_a_script_is_read_up_to_its_depth_and_refused_past_it(name: str) -> None:
    def nested(levels: int) -> bytes:
        inner = "[" * (levels - 6) + "]" * (levels - 6)  # six levels stand around it
        text = f'{{"conversations": [{{"turns": [{{"submit": {{"x": {inner}}}}}]}}]}}'
        return text.encode()

    parse(nested(MAX_SCRIPT_DEPTH), file_name=name)
    with pytest.raises(ModelSetupError, match="nested more than 64 levels deep"):
        parse(nested(MAX_SCRIPT_DEPTH + 1), file_name=name)


def test_a_few_aliases_cannot_make_a_script_large() -> None:
    text = f"x: &a {'x' * 20_000}\ny: [{', '.join(['*a'] * 60)}]\n"
    assert refused(text) == (
        "script s.yaml:2: y: larger than 1048576 bytes once aliases are expanded"
    )


def test_a_file_that_cannot_be_read_is_refused_with_the_next_step(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    places = [
        (tmp_path, "it is a folder: name the file itself"),
        (tmp_path / "none", "no such file: check the path"),
        (tmp_path / "fifo", "not a regular file: save it as one"),
        (tmp_path / "a\0b", "its name holds a NUL: check the path"),
    ]
    for path, reason in places:
        with pytest.raises(ModelSetupError) as caught:
            load(path)
        shown = str(path).replace("\0", "\\u0000")
        assert str(caught.value) == f"script {shown} cannot be read: {reason}"


def test_the_name_of_a_file_cannot_act_on_the_terminal() -> None:
    name = "\x1b[31m\nred.yaml"
    assert parse(one_turn("say: a").encode(), file_name=name).file_name == "\\u001b[31m\\nred.yaml"
    with pytest.raises(ModelSetupError) as caught:
        parse(b"", file_name=name)
    assert str(caught.value) == "script \\u001b[31m\\nred.yaml: the file is empty"


def test_a_file_is_read_up_to_its_limit_and_refused_past_it(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    text = one_turn("say: hi") + "#"
    path.write_text(text + "x" * (MAX_SCRIPT_BYTES - len(text)))
    assert load(path).file_name == "big.yaml"
    path.write_text(text + "x" * (MAX_SCRIPT_BYTES - len(text) + 1))
    with pytest.raises(ModelSetupError, match="larger than 1048576 bytes"):
        load(path)


@pytest.mark.parametrize(
    ("key", "limit"), [("delay_s", MAX_SCRIPT_DELAY_S), ("repeat", MAX_SCRIPT_REPEATS)]
)
def test_a_turn_is_taken_up_to_its_limits_and_refused_past_them(key: str, limit: float) -> None:
    script(one_turn(f"{{say: a, {key}: {limit}}}"))
    assert f"turns[0].{key}" in refused(one_turn(f"{{say: a, {key}: {limit + 1}}}"))


def test_the_digest_is_that_of_the_content() -> None:
    same, other = one_turn("say: a"), one_turn("say: b")
    assert script(same).sha256 == script(same).sha256 != script(other).sha256


@pytest.mark.parametrize(
    ("context", "turns"),
    [
        (CallContext("good-1", "audit", "rubric", 2), 2),
        (CallContext("good-1", "audit", "rubric", 1), 1),
        (CallContext("good-1", "other", "rubric", 2), 1),
        (CallContext("bad", "audit", "rubric", 2), 1),
    ],
)
def test_the_first_conversation_that_matches_is_played(context: CallContext, turns: int) -> None:
    conversation = script(WHOLE).content.conversation_for(context)
    assert conversation is not None
    assert len(conversation.turns) == turns


@pytest.mark.parametrize(
    ("pattern", "entry", "matches"),
    [
        ("*", "any/thing", True),
        ("run-?", "run-1", True),
        ("run-?", "run-12", False),
        ("run-[ab]", "run-a", True),
        ("run-[!ab]", "run-a", False),
        ("RUN", "run", False),
        ("a[[]1]", "a[1]", True),
    ],
)
def test_an_entry_is_matched_by_wildcards(pattern: str, entry: str, matches: bool) -> None:
    text = f'conversations: [{{entry: "{pattern}", judge: "r*", turns: [{{say: a}}]}}]'
    found = script(text).content.conversation_for(CallContext(entry, "x", "rubric"))
    assert (found is not None) is matches


def test_repeated_turns_are_counted_out() -> None:
    conversation = script(WHOLE).content.conversations[0]
    assert [conversation.turn_at(n) for n in range(4)] == [
        conversation.turns[0],
        conversation.turns[0],
        conversation.turns[1],
        None,
    ]
    forever = script(WHOLE).content.conversations[1]
    assert forever.turn_at(10_000) == forever.turns[0]


def test_what_the_page_says_of_mistakes_and_of_depth_is_so() -> None:
    page = (Path(__file__).parents[3] / "docs" / "script-model.md").read_text("utf-8")
    with pytest.raises(ModelSetupError) as caught:
        parse(one_turn("sya: hi").encode(), file_name="demo.yaml")
    assert f"```text\n{caught.value}\n```" in page
    assert f"nested at most {MAX_SCRIPT_DEPTH} levels" in page
