import asyncio
import time
from typing import Any

import pytest
from anthropic import AsyncAnthropicBedrock, AsyncAnthropicVertex

from judge_bundles.error_kinds import ErrorKind
from judge_bundles.models.anthropic_model import AnthropicModel, Client
from judge_bundles.models.base import ModelCallError, Reply
from judge_bundles.models.retry import RetryPolicy
from judge_bundles.verdict import Usage
from tests.orchestrator.models.model_cases import CONTEXT, KEY, QUICK, REQUEST, ask, model_at
from tests.support import messages_server as fake
from tests.support.messages_server import MessagesServer

OK = fake.message(fake.text("done"))
PATIENT = RetryPolicy(max_attempts=3, backoff_first_s=0.001, backoff_max_s=0.002)


def test_a_reply_carries_blocks_calls_usage_and_request_id() -> None:
    answer = fake.message(
        fake.text("Looking."),
        fake.call("list_files", {"path": "."}, "toolu_a"),
        fake.call("submit_verdict", {"passed": "false"}, "toolu_b"),
        cache_read_input_tokens=7,
        cache_creation_input_tokens=9,
    )
    with MessagesServer([answer]) as server:
        reply = ask(model_at(server.url))
    assert server.violations == []
    assert reply.text == "Looking."
    assert [(c.id, c.name, c.input) for c in reply.tool_calls] == [
        ("toolu_a", "list_files", {"path": "."}),
        ("toolu_b", "submit_verdict", {"passed": "false"}),
    ]
    assert reply.usage == Usage(100, 20, 7, 9, calls=1)
    assert (reply.stop_reason, reply.request_id, reply.attempts) == ("tool_use", "req_test", 1)
    assert reply.raw == answer.body
    assert list(reply.content) == answer.body["content"]


def test_what_is_sent_is_exactly_the_wire_body() -> None:
    with MessagesServer([OK]) as server:
        model = model_at(server.url)
        ask(model)
    assert server.requests[0].body == model.wire_body(REQUEST)
    assert server.violations == []


@pytest.mark.parametrize(
    ("step", "kind", "attempts"),
    [
        (fake.Status(400), "model_request", 1),
        (fake.Status(404), "model_request", 1),
        (fake.Status(413), "model_request", 1),
        (fake.Status(422), "model_request", 1),
        (
            fake.Status(400, "prompt is too long: 210000 tokens > 200000 maximum"),
            "context_exceeded",
            1,
        ),
        (fake.Status(401, "invalid x-api-key"), "model_auth", 1),
        (fake.Status(403), "model_auth", 1),
        (fake.Status(429), "model_rate_limited", 3),
        (fake.Status(529), "model_overloaded", 3),
        (fake.Status(500), "model_server", 3),
        (fake.Status(502, text="<html>bad gateway</html>"), "model_server", 3),
        (fake.Status(429, headers={"x-should-retry": "false"}), "model_rate_limited", 1),
        (fake.Status(400, headers={"x-should-retry": "true"}), "model_request", 3),
        (fake.Text("not json"), "model_response", 3),
        (fake.Text("<p>a portal</p>", "text/html"), "model_response", 3),
        (fake.Text('{"type": "message"}'), "model_response", 3),
        (fake.Cut(), "model_unreachable", 3),
        (fake.Reset(), "model_unreachable", 3),
    ],
)
def test_a_lasting_fault_ends_as_its_kind_after_its_attempts(
    step: fake.Step, kind: ErrorKind, attempts: int
) -> None:
    with MessagesServer(lambda _: step) as server, pytest.raises(ModelCallError) as caught:
        ask(model_at(server.url, policy=PATIENT))
    assert (caught.value.kind, caught.value.attempts) == (kind, attempts)
    assert server.count == attempts
    assert server.violations == []


@pytest.mark.parametrize(
    ("step", "unaccounted"),
    [
        (fake.Status(429), 0),
        (fake.Status(529), 0),
        (fake.Status(500), 0),
        (fake.Text("not json"), 1),
        (fake.Cut(), 1),
        (fake.Reset(), 1),
    ],
)
def test_a_passing_fault_is_retried_and_counted(step: fake.Step, unaccounted: int) -> None:
    with MessagesServer([step, OK]) as server:
        reply = ask(model_at(server.url))
    assert (reply.text, reply.attempts, server.count) == ("done", 2, 2)
    assert reply.unaccounted_attempts == unaccounted


def test_unreadable_answers_are_asked_for_again_less_often_than_other_faults() -> None:
    policy = RetryPolicy(max_attempts=6, backoff_first_s=0.001, max_unreadable_replies=1)
    with (
        MessagesServer(lambda _: fake.Text("{")) as server,
        pytest.raises(ModelCallError) as caught,
    ):
        ask(model_at(server.url, policy=policy))
    assert (caught.value.kind, server.count) == ("model_response", 2)
    assert caught.value.unaccounted_attempts == 2


def test_a_server_that_is_not_there_is_unreachable_and_costs_nothing() -> None:
    with MessagesServer([]) as server:
        url = server.url
    with pytest.raises(ModelCallError) as caught:
        ask(model_at(url, policy=PATIENT))
    assert (caught.value.kind, caught.value.attempts) == ("model_unreachable", 3)
    assert caught.value.unaccounted_attempts == 0


@pytest.mark.parametrize(
    ("headers", "least_s"),
    [({"retry-after": "0.2"}, 0.2), ({"retry-after-ms": "150"}, 0.15)],
)
def test_retry_after_is_waited_for(headers: dict[str, str], least_s: float) -> None:
    with MessagesServer([fake.Status(429, headers=headers), OK]) as server:
        ask(model_at(server.url))
    first, second = (request.arrived for request in server.requests)
    assert least_s <= second - first < least_s + 0.5


def test_retry_after_is_capped() -> None:
    policy = RetryPolicy(backoff_first_s=0.001, retry_after_max_s=0.05)
    with MessagesServer([fake.Status(529, headers={"retry-after": "3600"}), OK]) as server:
        ask(model_at(server.url, policy=policy))
    first, second = (request.arrived for request in server.requests)
    assert 0.05 <= second - first < 0.5


def test_a_wait_that_does_not_fit_the_deadline_ends_at_once_with_the_real_reason() -> None:
    busy = fake.Status(429, headers={"retry-after": "60"})
    started = time.monotonic()
    with MessagesServer(lambda _: busy) as server, pytest.raises(ModelCallError) as caught:
        ask(model_at(server.url), timeout_s=1.0)
    assert (caught.value.kind, server.count) == ("model_rate_limited", 1)
    assert "too late" in caught.value.message
    assert time.monotonic() - started < 0.9


@pytest.mark.parametrize("step", [fake.Hang(), fake.Drip()])
def test_the_deadline_cuts_a_call_that_hangs_or_drips(step: fake.Step) -> None:
    started = time.monotonic()
    with MessagesServer(lambda _: step) as server, pytest.raises(ModelCallError) as caught:
        ask(model_at(server.url), timeout_s=0.2)
    assert (caught.value.kind, caught.value.attempts) == ("timeout", 1)
    assert caught.value.unaccounted_attempts == 1
    assert 0.2 <= time.monotonic() - started < 1.0


def test_the_deadline_cuts_endless_retries() -> None:
    policy = RetryPolicy(max_attempts=10_000, backoff_first_s=0.001, backoff_max_s=0.01)
    started = time.monotonic()
    with (
        MessagesServer(lambda _: fake.Status(500)) as server,
        pytest.raises(ModelCallError) as caught,
    ):
        ask(model_at(server.url, policy=policy), timeout_s=0.2)
    assert caught.value.kind in {"timeout", "model_server"}
    assert "HTTP 500" in caught.value.message
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize("step", [fake.Hang(), fake.Drip()])
def test_an_attempt_that_takes_too_long_is_tried_again(step: fake.Step) -> None:
    policy = RetryPolicy(attempt_timeout_s=0.1, backoff_first_s=0.001)
    with MessagesServer([step, OK]) as server:
        reply = ask(model_at(server.url, policy=policy))
    assert (reply.attempts, reply.unaccounted_attempts) == (2, 1)


def test_the_deadline_bounds_the_wait_for_a_slot() -> None:
    async def two_at_once(model: AnthropicModel) -> list[Any]:
        calls = (model.create(REQUEST, CONTEXT, timeout_s=limit) for limit in (0.3, 0.1))
        results = await asyncio.gather(*calls, return_exceptions=True)
        await model.close()
        return results

    with MessagesServer(lambda _: fake.Hang()) as server:
        results = asyncio.run(two_at_once(model_at(server.url, concurrency=1)))
    assert [(error.kind, error.attempts) for error in results] == [("timeout", 1), ("timeout", 0)]


def test_rate_limits_halve_what_is_in_flight_for_all_calls() -> None:
    refusals = iter([fake.Status(429)] * 4)

    async def four(model: AnthropicModel) -> list[Reply]:
        calls = (model.create(REQUEST, CONTEXT, timeout_s=5) for _ in range(4))
        replies = await asyncio.gather(*calls)
        await model.close()
        return list(replies)

    with MessagesServer(lambda _: next(refusals, OK)) as server:
        model = model_at(server.url, concurrency=8)
        replies = asyncio.run(four(model))
    assert [reply.text for reply in replies] == ["done"] * 4
    assert server.count == 8
    assert model.pace.limit in {2, 4}


def test_the_key_is_in_no_exception_even_when_the_server_repeats_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with (
        MessagesServer(
            [fake.Status(401, f"bad key {KEY} in Authorization: Bearer {KEY}")]
        ) as server,
        pytest.raises(ModelCallError) as caught,
    ):
        ask(model_at(server.url))
    assert KEY in server.requests[0].headers["authorization"]
    chain: list[BaseException] = [caught.value]
    while following := (chain[-1].__cause__ or chain[-1].__context__):
        chain.append(following)
    assert all(KEY not in f"{error} {error!r}" for error in chain)


def test_thinking_goes_back_to_the_server_with_its_signature() -> None:
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk=="}
    hidden = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
    with MessagesServer([fake.message(thought, hidden, fake.call("list_files", {})), OK]) as server:
        first = ask(model_at(server.url))
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "report.md"}
        following = [
            *REQUEST.messages,
            {"role": "assistant", "content": list(first.content)},
            {"role": "user", "content": [result]},
        ]
        ask(model_at(server.url), _with_messages(following))
    assert server.violations == []
    assert server.requests[1].body["messages"][1]["content"][:2] == [thought, hidden]


def _with_messages(messages: list[Any]) -> Any:
    return type(REQUEST)(REQUEST.system, messages, REQUEST.tools, REQUEST.max_tokens)


def test_text_that_json_cannot_hold_is_sent_as_escapes() -> None:
    odd = fake.call("list_files", {"path": "half \ud83d of an emoji"})
    with MessagesServer([fake.message(odd), OK]) as server:
        first = ask(model_at(server.url))
        ask(
            model_at(server.url),
            _with_messages(
                [*REQUEST.messages, {"role": "assistant", "content": list(first.content)}]
            ),
        )
    sent = server.requests[1].body["messages"][1]["content"][0]["input"]["path"]
    assert sent == "half \\ud83d of an emoji"


@pytest.mark.parametrize("cloud", ["bedrock", "vertex"])
def test_the_clouds_get_the_same_body_at_their_own_address(cloud: str) -> None:
    with MessagesServer([OK]) as server:
        options: dict[str, Any] = {
            "base_url": server.url,
            "max_retries": 0,
            "open_telemetry": False,
        }
        client: Client = (
            AsyncAnthropicBedrock(api_key=KEY, aws_region="eu-west-1", **options)
            if cloud == "bedrock"
            else AsyncAnthropicVertex(access_token=KEY, region="global", project_id="p", **options)
        )
        model = AnthropicModel(
            client,
            name=f"{cloud}/m",
            wire_model="m",
            identity="m",
            price=None,
            concurrency=1,
            policy=QUICK,
        )
        reply = ask(model)
    assert reply.text == "done"
    assert server.violations == []
    assert server.requests[0].path != "/v1/messages"
    assert server.requests[0].body == model.wire_body(REQUEST)


def test_a_cloud_without_usable_credentials_is_an_auth_error() -> None:
    client = AsyncAnthropicVertex(
        region="global", project_id="p", max_retries=0, open_telemetry=False
    )
    model = AnthropicModel(
        client,
        name="vertex/m",
        wire_model="m",
        identity="m",
        price=None,
        concurrency=1,
        policy=QUICK,
    )
    with pytest.raises(ModelCallError) as caught:
        ask(model)
    assert (caught.value.kind, caught.value.attempts) == ("model_auth", 1)
