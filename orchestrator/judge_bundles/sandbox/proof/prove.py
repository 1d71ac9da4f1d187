"""Make every attack, one after another. A fault of an attack is never taken for a defence."""

import time
from collections.abc import Iterable, Iterator

from judge_bundles.errors import JudgementError
from judge_bundles.sandbox.failure import ENGINE_ERRORS, reason
from judge_bundles.sandbox.proof.attack import Attack, Result, load, result_of
from judge_bundles.sandbox.proof.target import Target


def prove(target: Target, attacks: Iterable[Attack] | None = None) -> Iterator[Result]:
    """Yield the result of each attack (default: all that are registered) as soon as it is known."""
    for attack in load() if attacks is None else attacks:
        yield attempt(target, attack)


def attempt(target: Target, attack: Attack) -> Result:
    """Make one attack."""
    trial = target.trial()
    started = time.monotonic()
    try:
        attack.run(target, trial)
    except JudgementError as error:
        trial.impossible(f"{error.kind}: {error.message}")
    except ENGINE_ERRORS as error:
        trial.impossible(f"the engine failed: {reason(error)}")
    if not target.decoy.is_untouched():
        trial.holds("the bundle was changed", condition=False)
    return result_of(attack, trial, time.monotonic() - started)
