"""What an attack saw, and what it means: in doubt it is a breach, or was not tried."""

import errno
import os
import platform
from collections.abc import Callable
from typing import Any

import pytest

from judge_bundles.sandbox.proof.attack import Attack, Outcome, result_of
from judge_bundles.sandbox.proof.trial import MACHINES, REFUSALS, Trial, system_call

ANOTHER_KERNEL = {"engine_kernel": "0.0-not-this-one"}
THIS_KERNEL = {"engine_kernel": os.uname().release}


def failing(code: int) -> Callable[[], None]:
    def fail() -> None:
        raise OSError(code, os.strerror(code))

    return fail


def done() -> None:
    return


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_a_refusal_holds(code: int) -> None:
    trial = Trial({})
    trial.refused("it", failing(code))

    assert (trial.held, trial.broken) == ([f"it: {errno.errorcode[code]}"], [])


@pytest.mark.parametrize(
    ("action", "end"),
    [
        (done, "done"),
        (failing(errno.EINVAL), "EINVAL"),
        (failing(errno.EFAULT), "EFAULT"),
        (failing(errno.ETIMEDOUT), "ETIMEDOUT"),
        (failing(errno.ENOSPC), "ENOSPC"),
    ],
)
def test_what_is_done_or_was_looked_at_is_a_breach(action: Callable[[], None], end: str) -> None:
    trial = Trial({})
    trial.refused("it", action)

    assert (trial.held, trial.broken) == ([], [f"it: {end}"])


def test_a_time_that_ran_out_is_a_breach() -> None:
    trial = Trial({})

    def wait() -> None:
        raise TimeoutError("timed out")  # as a socket does: without a number

    trial.refused("it", wait)

    assert trial.broken == ["it: TimeoutError"]


@pytest.mark.parametrize(
    ("given", "held"), [({}, False), (THIS_KERNEL, False), (ANOTHER_KERNEL, True)]
)
def test_only_a_kernel_of_the_runtime_may_answer(given: dict[str, Any], held: bool) -> None:
    trial = Trial(given)
    trial.machine_refuses("it", done)

    assert bool(trial.held) is held
    assert bool(trial.broken) is not held


def test_a_refusal_needs_no_excuse_of_the_kernel() -> None:
    trial = Trial(ANOTHER_KERNEL)
    trial.refused("it", done)

    assert trial.broken == ["it: done"]


@pytest.mark.skipif(platform.machine() not in MACHINES, reason="no numbers for this processor")
def test_a_system_call_is_made_by_its_number() -> None:
    with pytest.raises(OSError, match="Bad file descriptor") as raised:
        system_call("setns", -1, 0)
    assert raised.value.errno == errno.EBADF
    trial = Trial({})
    trial.kernel_refuses("setns", -1, 0)
    assert trial.broken == ["setns: EBADF"]


@pytest.mark.parametrize(("stops_at", "held"), [(9, True), (10, True), (11, False), (99, False)])
def test_what_is_bounded_stops_at_the_bound_or_before(stops_at: int, held: bool) -> None:
    trial = Trial({})

    def act(number: int) -> None:
        if number == stops_at:
            raise OSError(errno.EAGAIN, "no more")

    trial.bounded("times", act, 10, 5)

    assert bool(trial.held) is held
    assert bool(trial.broken) is not held


@pytest.mark.parametrize(
    ("held", "broken", "untried", "outcome", "detail"),
    [
        (["a", "b"], [], [], "held", "a; b"),
        (["a"], ["b"], [], "broken", "b"),
        (["a"], ["b"], ["c"], "broken", "b"),
        (["a"], [], ["c"], "untried", "c"),
        ([], [], [], "untried", "nothing was tried"),
    ],
)
def test_one_breach_decides_and_what_was_not_tried_is_never_held(
    held: list[str], broken: list[str], untried: list[str], outcome: Outcome, detail: str
) -> None:
    trial = Trial({})
    trial.take({"facts": {}, "held": held, "broken": broken, "untried": untried})
    result = result_of(Attack("name", "do it", lambda _target, _trial: None), trial, 1.23456)

    assert (result.outcome, result.detail, result.seconds) == (outcome, detail, 1.235)
