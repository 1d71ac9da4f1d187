"""What an attack is, where attacks are found, and what their results mean.

A module in `attacks/` adds its attacks with `@inside` or `@outside`; no list names them.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from judge_bundles.sandbox.proof.trial import Inside, Trial

if TYPE_CHECKING:
    from judge_bundles.sandbox.proof.target import Target

Outcome = Literal["held", "broken", "untried"]
Outside = Callable[["Target", Trial], None]
"""Code that runs on the host, and may send other code into containers."""


@dataclass(frozen=True, slots=True)
class Attack:
    """`tried` is what must not succeed, in the infinitive."""

    name: str
    tried: str
    run: Outside


@dataclass(frozen=True, slots=True)
class Result:
    """How one attack ended. `detail` says what was observed, or why it could not be tried."""

    name: str
    tried: str
    outcome: Outcome
    detail: str
    seconds: float


ATTACKS: Final[dict[str, Attack]] = {}


def inside(name: str, tried: str) -> Callable[[Inside], Inside]:
    """Register a function that runs in a container of its own."""

    def register(attack: Inside) -> Inside:
        _add(Attack(name, tried, lambda target, trial: target.send(attack, trial)))
        return attack

    return register


def outside(name: str, tried: str) -> Callable[[Outside], Outside]:
    """Register a function that attacks from the host's side."""

    def register(attack: Outside) -> Outside:
        _add(Attack(name, tried, attack))
        return attack

    return register


def load() -> tuple[Attack, ...]:
    """Return every attack, by theme and in the order of the files."""
    from judge_bundles.sandbox.proof import attacks  # noqa: PLC0415 - its modules import this one

    for module in sorted(pkgutil.iter_modules(attacks.__path__), key=lambda found: found.name):
        importlib.import_module(f"{attacks.__name__}.{module.name}")
    return tuple(ATTACKS.values())


def result_of(attack: Attack, trial: Trial, seconds: float) -> Result:
    """Say how it ended: one breach decides, and what was not tried is never held."""
    outcome: Outcome
    if trial.broken:
        outcome, said = "broken", trial.broken
    elif trial.untried or not trial.held:
        outcome, said = "untried", trial.untried or ["nothing was tried"]
    else:
        outcome, said = "held", trial.held
    return Result(attack.name, attack.tried, outcome, "; ".join(said), round(seconds, 3))


def _add(attack: Attack) -> None:
    assert attack.name not in ATTACKS, f"two attacks are called {attack.name}"
    ATTACKS[attack.name] = attack
