from decimal import Decimal
from pathlib import Path

import pytest

from judge_bundles.errors import ModelSetupError
from judge_bundles.limits import MAX_SCRIPT_BYTES, MAX_SCRIPT_DELAY_S, MAX_SCRIPT_REPEATS
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
        ("submit: {when: 2026-11-30}", {"when": "2026-11-30"}),
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
        ("[]", "the document: Input should be a valid dictionary"),
        ("a: [", "not YAML"),
        ("a: \x07", "not YAML"),
        ("conversations: []", "conversations: List should have at least 1 item"),
        ("conversation: []", "conversations: is missing (line 1)"),
        (
            "conversations: [{turns: []}]",
            "conversations[0].turns: List should have at least 1 item",
        ),
        ("conversations: [{entry: a}]", "conversations[0].turns: is missing"),
        (
            one_turn("{}"),
            "turns[0]: a turn needs say, calls, submit, thinking or stop_reason (line 3)",
        ),
        (one_turn("sya: hi"), "conversations[0].turns[0].sya: is not known here (line 3)"),
        (one_turn("{say: hi, say: ho}"), "conversations[0].turns[0].say: given twice (line 3)"),
        (one_turn("say: 5"), "turns[0].say: Input should be a valid string (line 3)"),
        (one_turn('say: ""'), "turns[0].say"),
        (
            one_turn("calls: [{a: {}, b: {}}]"),
            "turns[0].calls[0]: Dictionary should have at most 1",
        ),
        (one_turn("calls: [{}]"), "turns[0].calls[0]: Dictionary should have at least 1"),
        (one_turn("calls: [list_files]"), "turns[0].calls[0]: Input should be a valid dictionary"),
        (one_turn("calls: [{a: 1}]"), "turns[0].calls[0].a: Input should be a valid dictionary"),
        (one_turn("submit: [1]"), "turns[0].submit: Input should be a valid dictionary"),
        (one_turn("submit: null"), "turns[0]: a turn needs say"),
        (one_turn("stop_reason: bored"), "turns[0].stop_reason: Input should be 'end_turn'"),
        (one_turn("{say: a, usage: {input_tokens: -1}}"), "turns[0].usage.input_tokens"),
        (one_turn("{say: a, usage: {input_tokens: 1.5}}"), "turns[0].usage.input_tokens"),
        (one_turn("{say: a, delay_s: true}"), "turns[0].delay_s"),
        (one_turn("{say: a, delay_s: .inf}"), "turns[0].delay_s: not a finite number (line 3)"),
        (one_turn("submit: {x: .nan}"), "turns[0].submit.x: not a finite number"),
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
        ("prices: {input: 1}\n" + one_turn("say: a"), "prices.output: is missing (line 1)"),
        ("prices: {input: -1, output: 1}\n" + one_turn("say: a"), "prices.input"),
        ("prices: {input: '1', output: 1}\n" + one_turn("say: a"), "prices.input"),
        (one_turn("submit: {1: x}"), "turns[0].submit: a key is not text"),
        (one_turn("submit: {yes: x}"), "turns[0].submit: a key is not text"),
        (one_turn("submit: !!binary aGk="), "turns[0].submit: tag:yaml.org,2002:binary"),
        (one_turn("submit: !!python/object:os.system {}"), "is not a JSON value"),
        (one_turn("submit: [&a {x: 1}, *a]"), "turns[0].submit[1]: anchors and aliases"),
        (one_turn("submit: &a [*a]"), "anchors and aliases"),
        (one_turn("submit: {<<: {a: 1}}"), "a key is not text"),
        (one_turn("submit: " + "[" * 70 + "]" * 70), "nested too deeply"),
        ("[" * 50_000, "nested too deeply"),
        (one_turn("submit: " + "9" * 5000), "not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, problem: str) -> None:
    message = refused(text)
    assert message.startswith("script s.yaml: ")
    assert problem in message
    assert "\n" not in message


def test_bytes_that_are_no_text_are_named_with_their_place() -> None:
    with pytest.raises(ModelSetupError, match="not UTF-8 at byte 3"):
        parse(b"a: \xff", file_name="s.yaml")


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
