"""How the end of a process reads to who asked, and when there is a process at all."""

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import LIMITS, CodeRunner
from judge_bundles.limits import MIB
from tests.support.judge_code import (
    RULE,
    SHORT,
    bundle,
    check,
    children,
    evaluated,
    prompt,
    rule,
    with_runner,
)


@pytest.mark.parametrize(
    ("source", "limits", "kind", "retryable", "said"),
    [
        ("while True: pass", {"cpu_s": 1}, "judge_code", False, "all the processor time"),
        ("import time; time.sleep(60)", {"wall_s": 1}, "judge_code", False, "longer than 1 s"),
        ("return len(bytearray(2**31))", {}, "judge_code", False, "more than 1,024 MiB of memory"),
        (
            "return 1, 'x' * 5000",
            {"max_reply_bytes": 4000},
            "judge_code",
            False,
            "longer than it may",
        ),
        ("import os; os._exit(7)", {}, "judge_code", False, "(exit code 7)"),
        ("import os; os.kill(os.getpid(), 9)", {}, "worker_died", True, "was killed"),
        ("return True", {"memory_bytes": 32 * MIB}, "worker_died", True, "could not be set up"),
    ],
)
def test_every_end_of_a_process_has_its_kind(
    tmp_path: Path, source: str, limits: dict[str, Any], kind: str, retryable: bool, said: str
) -> None:
    with pytest.raises(JudgementError) as caught:
        evaluated(check(source), bundle(tmp_path), limits=replace(SHORT, **limits))
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert said in caught.value.message


def test_a_fault_of_ours_is_not_the_judges(tmp_path: Path) -> None:
    used = rule(check("return True"))
    with pytest.raises(JudgementError, match="KeyError: 'nobody'") as caught:
        with_runner(used, lambda runner: runner.evaluate(RULE, "nobody", bundle(tmp_path)))
    assert caught.value.kind == "internal"


def test_no_process_is_started_before_one_is_asked(tmp_path: Path) -> None:
    on = bundle(tmp_path)

    async def work(runner: CodeRunner) -> tuple[list[str], list[str]]:
        idle = children()
        await runner.evaluate(RULE, "c", on)
        return idle, children()

    before = children()
    idle, busy = with_runner(rule(check("return True")), work, size=3)
    assert idle == before
    assert len(busy) == len(before) + 1
    assert children() == before


def test_who_is_cancelled_takes_the_code_along(tmp_path: Path) -> None:
    sign = tmp_path / "pid"
    os.mkfifo(sign)
    source = f"import os, time\nopen({str(sign)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
    on = bundle(tmp_path / "b")

    async def work(runner: CodeRunner) -> None:
        asking = asyncio.create_task(runner.evaluate(RULE, "c", on))
        pid = await asyncio.to_thread(sign.read_text)
        assert pid in children()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert pid not in children()

    with_runner(rule(check(source)), work)


def test_several_bundles_are_judged_at_once(tmp_path: Path) -> None:
    bundles = [bundle(tmp_path / str(number)) for number in range(2)]
    meet = (
        "import os, time\n"
        "place = arguments['place']\n"
        "open(f'{place}/{os.getpid()}', 'w').close()\n"
        "while len(os.listdir(place)) < 2: time.sleep(0.01)\n"
        "return True"
    )
    (tmp_path / "place").mkdir()
    used = rule(check(meet, arguments={"place": str(tmp_path / "place")}))

    async def work(runner: CodeRunner) -> list[bool | float]:
        answers = await asyncio.gather(*(runner.evaluate(RULE, "c", one) for one in bundles))
        return [answer.value for answer in answers]

    assert with_runner(used, work, size=2, limits=replace(LIMITS, wall_s=30)) == [True, True]


def test_prompts_and_answers_come_from_the_same_processes(tmp_path: Path) -> None:
    used = rule(check("return True"), prompt("{{ outputs.files | length }}"))
    on = bundle(tmp_path)

    async def work(runner: CodeRunner) -> str:
        await runner.evaluate(RULE, "c", on)
        return (await runner.prompt(RULE, "p", on)).text

    assert with_runner(used, work) == "1"


def test_a_process_is_ready_within_moments(tmp_path: Path) -> None:
    began = time.monotonic()
    evaluated(check("return True"), bundle(tmp_path))
    assert time.monotonic() - began < 20  # about half a second
