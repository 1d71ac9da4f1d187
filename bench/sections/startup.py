"""How long commands take as whole processes, beside the help of a typer program that is empty."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench import empty_program
from bench.context import Context
from bench.figure import Figure
from bench.material import write_bundles, write_gate_rule
from bench.product import PROGRAM, environment, quietly
from bench.rounds import interleaved

_ROUNDS = 5
_FLOOR = "empty --help"


def measure(context: Context) -> Iterator[Figure]:
    """Yield one figure for each command, all measured in the same rounds."""
    place = context.place
    rule = write_gate_rule(place / "rule.json")
    bundles = write_bundles(place / "runs", 1)
    known = place / "known.db"

    gate_known = partial(quietly, bundles, rule, place, count=1, store=known)
    gate_known()  # makes the store
    empty = [sys.executable, str(Path(empty_program.__file__))]
    contestants: dict[str, Callable[[], float]] = {
        _FLOOR: partial(_timed, *empty, "--help"),
        "help": partial(_program, "--help"),
        "show --help": partial(_program, "show", "--help"),
        "check-rule": partial(_program, "check-rule", str(rule)),
        "runs": partial(_program, "runs", "--store", f"sqlite:///{known}"),
        "gate-one, known store": gate_known,
        "gate-one, new store": partial(quietly, bundles, rule, place, count=1),
    }
    times = interleaved(contestants, context.budget, rounds=1 if context.quick else _ROUNDS)
    for name, seconds in times.items():
        if name != _FLOOR:
            yield Figure(f"startup.{name}", "s", seconds, times[_FLOOR], _FLOOR)


def _program(*arguments: str) -> float:
    return _timed(str(PROGRAM), *arguments)


def _timed(*command: str) -> float:
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=60, env=environment())
    return time.perf_counter() - begun
