"""`json_valid`: every file that matches is valid JSON."""

from typing import Literal

from judge_prechecks.names import show
from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import Held, UnmetError
from judge_prechecks.parameters import Amount, Glob, Parameters
from judge_prechecks.present import counted
from judge_prechecks.registry import precheck
from judge_prechecks.view import View


class JsonValid(Parameters):
    """Holds when every file that matches `path` is valid JSON, also when none does."""

    type: Literal["json_valid"]
    path: Glob
    min_matches: Amount = 0
    """How many files must match at least."""


@precheck(JsonValid)
def json_valid(spec: JsonValid, view: View) -> Held:
    """Hold when every matching file parses."""
    files = view.files(spec.path)
    matched = f"{counted(len(files), 'file')} matched"
    if len(files) < spec.min_matches:
        raise UnmetError(
            f"{matched} {spec.path.shown}, fewer than {spec.min_matches:,}",
            file=spec.path.shown,
            observed=len(files),
            expected=spec.min_matches,
        )
    broken = [(show(file.path), fault) for file in files if (fault := view.fault(file))]
    if not broken:
        return Held(f"all JSON files that match {spec.path.shown} are valid", details=(matched,))
    verb = "is" if len(broken) == 1 else "are"
    raise UnmetError(
        f"{len(broken):,} of {counted(len(files), 'file')} {verb} not valid JSON: "
        f"{named(broken, _describe)}",
        file=broken[0][0],
        observed=str(broken[0][1]),
        expected="valid JSON",
        details=(matched, *listed(broken, _describe)),
    )


def _describe(broken: tuple[str, Exception]) -> str:
    name, fault = broken
    return f"{name}: {fault}"
