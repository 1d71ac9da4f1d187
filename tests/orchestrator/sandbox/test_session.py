"""One request at a time, each with a deadline and a cap; after a failure nothing more is asked."""

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.limits import MAX_TOOL_REPLY_BYTES, MAX_TOOL_REQUEST_BYTES
from judge_bundles.sandbox.session import ToolSession
from judge_bundles.sandbox.stream import StreamEnded
from tests.support.fake_server import session_with


def run(code: str, use: Callable[[ToolSession], Awaitable[Any]], *, timeout_s: float = 20.0) -> Any:
    async def main() -> Any:
        async with session_with(code, timeout_s=timeout_s) as session:
            return await use(session)

    return asyncio.run(main())


async def call(session: ToolSession) -> str:
    return (await session.call("list_files", {})).text


def test_a_call_returns_the_reply() -> None:
    assert run("reply(text='here')", call) == "here"


def test_calls_at_once_wait_for_each_other() -> None:
    async def several(session: ToolSession) -> list[str]:
        return await asyncio.gather(*(call(session) for _ in range(5)))

    texts = run("for n in range(5): reply(text=str(n))", several)

    assert texts == ["0", "1", "2", "3", "4"]


LIES = {
    "another shape": "reply(text=[])",
    "no object": "print('[1, 2]', flush=True)",
    "another answer first": "reply(number=2); reply()",
    "an answer nobody asked for": "reply(number=1); reply(number=1)",
    "more shown than sent": "reply(shown=[{'file': 'a', 'start': 0, 'end': 10**9}])",
    "a range backwards": "reply(shown=[{'file': 'a', 'start': 9, 'end': 0}])",
    "no number": "reply(cut=float('nan'))",
    "a key twice": 'print(\'{"id": 1, "id": 1}\', flush=True)',
    "nested without end": "print('[' * 4_000_000, flush=True)",
    "a number without end": "print('9' * 4_000_000, flush=True)",
    "not UTF-8": "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()",
    "an empty line": "print(flush=True)",
}


@pytest.mark.parametrize("code", LIES.values(), ids=LIES)
def test_what_is_no_answer_is_a_failure_at_once(code: str) -> None:
    async def twice(session: ToolSession) -> None:
        await call(session)
        await call(session)

    with pytest.raises(JudgementError) as raised:
        run(f"{code}; time.sleep(60)", twice)
    assert raised.value.kind == "sandbox_protocol"


@pytest.mark.parametrize(
    "code", ["print('{', end='')", "print('{\"id\": 1, \"te', end='')", "pass"]
)
def test_half_an_answer_and_then_nothing_is_an_end(code: str) -> None:
    with pytest.raises(StreamEnded):
        run(f"sys.stdin.readline(); {code}", call)


def test_a_line_without_end_costs_little_more_than_the_cap() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(JudgementError):
            run("sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)", call)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 3 * MAX_TOOL_REPLY_BYTES


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("print('garbage', flush=True); time.sleep(60)", "sandbox_protocol"),
        ("reply(number=99); time.sleep(60)", "sandbox_protocol"),
        ("sys.stdin.readline(); time.sleep(60)", "sandbox_timeout"),
        ("sys.stdin.readline(); print('{', end='', flush=True); time.sleep(60)", "sandbox_timeout"),
    ],
)
def test_what_is_not_an_answer_in_time_is_a_failure(code: str, kind: str) -> None:
    with pytest.raises(JudgementError) as raised:
        run(code, call, timeout_s=1.0)
    assert raised.value.kind == kind


def test_a_reply_of_exactly_the_cap_is_taken() -> None:
    empty = len('{"id": 1, "text": "", "shown": [], "media": [], "cut": false, "error_kind": null}')
    size = MAX_TOOL_REPLY_BYTES - empty

    assert run(f"reply(text='x' * {size})", call) == "x" * size


def test_a_reply_over_the_cap_is_a_failure() -> None:
    with pytest.raises(JudgementError) as raised:
        run(f"reply(text='x' * {MAX_TOOL_REPLY_BYTES})", call)
    assert raised.value.kind == "sandbox_protocol"
    assert f"{MAX_TOOL_REPLY_BYTES:,}" in raised.value.message


def test_a_flood_is_ended() -> None:
    with pytest.raises(JudgementError) as raised:
        run("while True: sys.stdout.write('x' * 65536)", call)
    assert raised.value.kind == "sandbox_protocol"


def test_a_server_that_is_gone_is_told_to_the_owner() -> None:
    with pytest.raises(StreamEnded):
        run("sys.stdin.readline()", call)


def test_an_answer_nobody_asked_for_is_not_taken_for_the_next_one() -> None:
    async def two_calls(session: ToolSession) -> None:
        await call(session)
        await call(session)

    code = "reply(); print(json.dumps({'id': 1, 'text': 'old', 'shown': [], 'media': [], 'cut': False, 'error_kind': None}), flush=True); time.sleep(60)"
    with pytest.raises(JudgementError) as raised:
        run(code, two_calls)
    assert raised.value.kind == "sandbox_protocol"


def test_a_session_is_of_no_use_after_a_failure() -> None:
    async def again(session: ToolSession) -> str:
        with pytest.raises(JudgementError):
            await call(session)
        with pytest.raises(JudgementError) as raised:
            await call(session)
        return raised.value.kind

    assert run("reply(number=2); reply()", again) == "sandbox_died"


def test_a_session_is_of_no_use_after_a_cancelled_call() -> None:
    async def again(session: ToolSession) -> str:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await call(session)
        with pytest.raises(JudgementError) as raised:
            await call(session)
        return raised.value.kind

    assert run("time.sleep(60)", again) == "sandbox_died"


def test_arguments_at_and_over_the_cap() -> None:
    async def sized(session: ToolSession) -> list[str | None]:
        empty = len('{"id": 1, "tool": "read_file", "input": {"path": ""}}\n')
        room = MAX_TOOL_REQUEST_BYTES - empty
        kinds: list[str | None] = []
        for size in (room + 1, room):
            reply = await session.call("read_file", {"path": "x" * size})
            kinds.append(reply.error_kind)
        return kinds

    assert run("reply()", sized) == ["bad_input", None]


def test_a_greeting_is_bounded() -> None:
    async def hello(session: ToolSession) -> None:
        await session.hello()

    with pytest.raises(JudgementError) as raised:
        run("while True: sys.stdout.write('x' * 65536)", hello)
    assert raised.value.kind == "sandbox_protocol"
