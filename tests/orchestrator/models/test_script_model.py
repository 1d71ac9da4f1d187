import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message

from judge_bundles.models.base import CallContext, ModelCallError, Reply, Request
from judge_bundles.models.retry import RetryPolicy
from judge_bundles.models.script.answer import answer
from judge_bundles.models.script.load import load, parse
from judge_bundles.models.script.model import ScriptModel
from judge_bundles.verdict import Usage
from tests.orchestrator.models.model_cases import CONTEXT, QUICK, REQUEST, ask, model_at
from tests.support import sdk_validation
from tests.support.messages_server import MessagesServer

SCRIPT = """
conversations:
  - entry: "bundle-*"
    turns:
      - thinking: Where to look?
        say: I look around.
        calls: [{list_files: {}}, {read_file: {path: report.md}}]
        usage: {input_tokens: 10, output_tokens: 5, cache_read_tokens: 3, cache_write_tokens: 2}
      - submit: {passed: "false"}
"""


def scripted(text: str, *, policy: RetryPolicy = QUICK, concurrency: int = 4) -> ScriptModel:
    script = parse(text.encode(), file_name="s.yaml")
    return ScriptModel(script, concurrency=concurrency, policy=policy)


def run(model: ScriptModel, play: Callable[[ScriptModel], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        try:
            return await play(model)
        finally:
            await model.close()

    return asyncio.run(whole())


def one(model: ScriptModel, context: CallContext = CONTEXT) -> Reply:
    reply: Reply = run(model, lambda m: m.create(REQUEST, context, timeout_s=5))
    return reply


def following(request: Request, reply: Reply) -> Request:
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": "ok"}
        for call in reply.tool_calls
    ]
    user = {"role": "user", "content": results or [{"type": "text", "text": "go on"}]}
    assistant = {"role": "assistant", "content": list(reply.content)}
    return replace(request, messages=[*request.messages, assistant, user])


async def conversation(
    model: ScriptModel, turns: int, context: CallContext = CONTEXT
) -> list[Reply]:
    request, replies = REQUEST, []
    for _ in range(turns):
        replies.append(await model.create(request, context, timeout_s=5))
        request = following(request, replies[-1])
    assert sdk_validation.problem(dict(model.wire_body(request))) is None
    return replies


def test_a_conversation_is_replayed_turn_by_turn() -> None:
    first, second, past_the_end = run(scripted(SCRIPT), lambda model: conversation(model, 3))
    assert [block["type"] for block in first.content] == [
        "thinking",
        "text",
        "tool_use",
        "tool_use",
    ]
    assert first.content[0]["signature"]
    assert (first.text, first.stop_reason) == ("I look around.", "tool_use")
    assert [(c.name, c.input) for c in first.tool_calls] == [
        ("list_files", {}),
        ("read_file", {"path": "report.md"}),
    ]
    assert first.usage == Usage(10, 5, 3, 2, calls=1)
    assert [(c.name, c.input) for c in second.tool_calls] == [
        ("submit_verdict", {"passed": "false"})
    ]
    assert past_the_end.text == "the script has no further turns"
    assert past_the_end.stop_reason == "end_turn"


def test_ids_of_calls_differ_within_and_between_turns() -> None:
    replies = run(scripted(SCRIPT), lambda model: conversation(model, 2))
    ids = [call.id for reply in replies for call in reply.tool_calls]
    assert len(set(ids)) == len(ids) == 3


def test_the_same_request_gets_the_same_answer_again_and_in_another_process() -> None:
    again = run(scripted(SCRIPT), lambda model: conversation(model, 2))
    assert run(scripted(SCRIPT), lambda model: conversation(model, 2)) == again


@pytest.mark.parametrize(
    "turn",
    [
        "say: hello",
        "{thinking: hm, calls: [{a: {}}], submit: {}}",
        "{stop_reason: refusal}",
        "{calls: [{a: {b: 1}}], stop_reason: max_tokens}",
        "{stop_reason: pause_turn}",
        "{say: full, stop_reason: model_context_window_exceeded}",
    ],
)
def test_every_answer_is_a_message_the_sdk_accepts(turn: str) -> None:
    script = parse(f"conversations: [{{turns: [{turn}]}}]".encode(), file_name="s.yaml")
    body = scripted(SCRIPT).wire_body(REQUEST)
    made = answer(script.content.conversations[0], body)
    assert Message.model_validate(made).to_dict()["content"] == made["content"]
    assert made["usage"]["input_tokens"] > 10


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("{status: 401}", "model_auth"),
        ("{status: 400, message: prompt is too long}", "context_exceeded"),
        ("{status: 429, retry_after: 0.001, times: 9}", "model_rate_limited"),
        ("{status: 529, times: 9}", "model_overloaded"),
        ("{status: 500, times: 9}", "model_server"),
        ("{disconnect: true, times: 9}", "model_unreachable"),
        ('{body: "not json", times: 9}', "model_response"),
    ],
)
def test_a_lasting_fault_of_the_script_ends_as_its_kind(fault: str, kind: str) -> None:
    with pytest.raises(ModelCallError) as caught:
        one(scripted(f"conversations: [{{turns: [{{say: a, fail: [{fault}]}}]}}]"))
    assert caught.value.kind == kind


def test_faults_come_before_their_turn_in_order_and_once_for_each_judgement() -> None:
    text = (
        "conversations: [{turns: [{say: a, fail: [{status: 429, retry_after: 0.001}, {status: 529},"
        " {disconnect: true}]}]}]"
    )

    async def twice(model: ScriptModel) -> list[int]:
        other = replace(CONTEXT, sample=2)
        calls = [await model.create(REQUEST, c, timeout_s=5) for c in (CONTEXT, CONTEXT, other)]
        return [reply.attempts for reply in calls]

    assert run(scripted(text), twice) == [4, 1, 4]


def test_calls_in_flight_together_each_get_their_own_conversation() -> None:
    text = (
        "conversations: [{entry: a, turns: [{say: for a, delay_s: 0.02}]},"
        " {entry: b, turns: [{say: for b, delay_s: 0.01}]}]"
    )

    async def together(model: ScriptModel) -> list[str]:
        contexts = [replace(CONTEXT, entry_id=name) for name in ("a", "b", "a", "b")]
        calls = (model.create(REQUEST, context, timeout_s=5) for context in contexts)
        return [reply.text for reply in await asyncio.gather(*calls)]

    assert run(scripted(text), together) == ["for a", "for b", "for a", "for b"]


def test_half_an_emoji_arrives_as_a_model_would_send_it() -> None:
    model = scripted('conversations: [{turns: [{calls: [{a: {x: "\\ud83d"}}]}]}]')
    assert one(model).tool_calls[0].input == {"x": "\ud83d"}


def test_an_entry_without_a_conversation_is_named() -> None:
    with pytest.raises(ModelCallError) as caught:
        one(scripted(SCRIPT), replace(CONTEXT, entry_id="prompt is too long"))
    assert caught.value.kind == "model_request"
    expected = "script s.yaml has no conversation for entry prompt is too long (rule rule"
    assert expected in caught.value.message


def test_the_deadline_cuts_a_delay() -> None:
    model = scripted("conversations: [{turns: [{say: a, delay_s: 30}]}]")
    with pytest.raises(ModelCallError) as caught:
        run(model, lambda m: m.create(REQUEST, CONTEXT, timeout_s=0.05))
    assert caught.value.kind == "timeout"


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = one(scripted(SCRIPT))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-0123456789")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "canary-9876543210")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-other: ü\ncontent-type: text/plain")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert one(scripted(SCRIPT)) == expected


def test_the_model_is_known_by_its_content_and_priced_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text("prices: {input: 3, output: 15}\n" + SCRIPT)
    script = load(path)
    model = ScriptModel(script, concurrency=1)
    asyncio.run(model.close())
    assert (model.name, model.identity) == ("script:demo.yaml", f"script:sha256:{script.sha256}")
    assert model.scripted
    assert model.price == script.price
    assert model.wire_body(REQUEST)["model"] == "script"


def test_the_same_script_over_http_gives_the_same_answers(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SCRIPT)
    with MessagesServer.from_script(path, lambda _: CONTEXT) as server:
        over_http = ask(model_at(server.url))
    in_process = one(scripted(SCRIPT))
    assert server.violations == []
    assert over_http.content == in_process.content
    assert over_http.usage == in_process.usage
    assert over_http.stop_reason == in_process.stop_reason


def test_faults_of_a_script_are_served_over_http_too(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "conversations: [{entry: bundle-1, turns: [{say: a, fail: [{status: 429, retry_after: 0.01},"
        " {disconnect: true}, {body: oops}]}]}]"
    )
    with MessagesServer.from_script(path, lambda _: CONTEXT) as server:
        assert ask(model_at(server.url)).attempts == 4
    with (
        MessagesServer.from_script(path, lambda _: CallContext("x", "y", "z")) as server,
        pytest.raises(ModelCallError, match="no conversation for entry x"),
    ):
        ask(model_at(server.url))
