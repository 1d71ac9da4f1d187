"""Run a function as a user without privileges, also when the tests run as root."""

import os
import pickle
import traceback
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
NOBODY = 65534


def as_ordinary_user(function: Callable[[], Result]) -> Result:
    """Return what `function` returns in a child process with the rights of nobody.

    Everything it uses must be imported before: the child may not be able to read the sources.
    """
    if os.geteuid() != 0:
        return function()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(function, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    ok, result = pickle.loads(answer)
    assert ok, result
    value: Result = result
    return value


def _answer(function: Callable[[], object], writing: int) -> None:
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        answer = pickle.dumps((True, function()))
    except BaseException:  # noqa: BLE001 -- the parent must hear of everything
        answer = pickle.dumps((False, traceback.format_exc()))
    with os.fdopen(writing, "wb") as stream:
        stream.write(answer)
    os._exit(0)
