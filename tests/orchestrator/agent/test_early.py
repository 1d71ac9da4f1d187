import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

import pytest

from judge_bundles.agent.early import EarlySandbox
from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.protocol import ToolReply


class Slow:
    """A sandbox that takes its time, and remembers what happened to it."""

    image_id = "sha256:0"

    def __init__(self, *, start_s: float = 0.0, clean_s: float = 0.0, fails: bool = False) -> None:
        self._start_s, self._clean_s, self._fails = start_s, clean_s, fails
        self.happened: list[str] = []

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolReply:
        return ToolReply(f"{tool} {len(arguments)}")

    async def __aenter__(self) -> Self:
        try:
            await asyncio.sleep(self._start_s)
        except asyncio.CancelledError:
            await asyncio.sleep(self._clean_s)
            self.happened.append("cleaned")
            raise
        if self._fails:
            raise JudgementError("sandbox_start", "no")
        self.happened.append("started")
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.happened.append("removed")


def test_the_first_call_waits_for_the_start_and_the_sandbox_is_removed() -> None:
    async def run() -> list[str]:
        inner = Slow(start_s=0.05)
        async with EarlySandbox(inner) as sandbox:
            assert inner.happened == []
            assert (await sandbox.call("x", {})).text == "x 0"
        return inner.happened

    assert asyncio.run(run()) == ["started", "removed"]


def test_a_judgement_that_needed_no_look_still_removes_what_was_started() -> None:
    async def run() -> list[str]:
        inner = Slow(start_s=0.05)
        async with EarlySandbox(inner):
            pass
        return inner.happened

    assert asyncio.run(run()) == ["started", "removed"]


def test_a_failed_start_is_raised_by_the_first_call_and_at_the_latest_at_the_end() -> None:
    async def run(*, look: bool) -> None:
        async with EarlySandbox(Slow(fails=True)) as sandbox:
            if look:
                await sandbox.call("x", {})

    for look in (True, False):
        with pytest.raises(JudgementError, match="no"):
            asyncio.run(run(look=look))


async def fails_at_once(inner: Slow) -> str:
    """A judgement whose model fails while the sandbox still starts, and is kept as a result."""
    with suppress(JudgementError):
        async with EarlySandbox(inner):
            await asyncio.sleep(0.01)
            raise JudgementError("model_auth", "the model failed at once")
    return "a result"


def test_a_judgement_that_fails_at_once_cancels_the_start_and_waits_for_its_clean_up() -> None:
    inner = Slow(start_s=10, clean_s=0.05)
    assert asyncio.run(fails_at_once(inner)) == "a result"
    assert inner.happened == ["cleaned"]


def test_an_interruption_during_the_clean_up_is_not_swallowed() -> None:
    inner = Slow(start_s=10, clean_s=0.2)

    async def run() -> None:
        task = asyncio.create_task(fails_at_once(inner))
        await asyncio.sleep(0.1)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert inner.happened == ["cleaned"]
