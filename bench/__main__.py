"""`python -m bench`: measure, print a table, keep the numbers.

Exit codes: 0 measured, whatever the figures say; 1 with `--strict` when a target is missed or was
not measured; 2 bad usage; 3 a section broke.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench import machine, report
from bench.budget import Budget
from bench.running import run
from bench.sections import PEERS, SECTIONS, TOTAL_SECONDS, Section
from bench.targets import TARGETS, Target

_RESULTS: Final = Path(__file__).parent / "results"
_TERMINATED: Final = 143
_BUSY_LOAD: Final = 0.5
"""Load for each core from which on the machine counts as busy with something else."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for and return the exit code."""
    options = _parser().parse_args(arguments)
    sections, budget = _chosen(options)
    facts = {**machine.facts(), "started": _now(), "load_start": machine.load()}
    if facts["load_start"] > _BUSY_LOAD * facts["cores"]:
        _say(f"the machine is busy: load {facts['load_start']:.1f} on {facts['cores']} cores")
    with tempfile.TemporaryDirectory(prefix="judge-bundles-bench-") as place:
        outcomes = run(sections, budget, Path(place), quick=options.quick, say=_say)
    facts |= {"finished": _now(), "load_end": machine.load(), "quick": options.quick}
    targets: Mapping[str, Target] = {} if options.quick else TARGETS
    data = report.as_data(facts, outcomes, targets)
    print(report.as_text(data))
    _say(f"kept in {_keep(data, options.output)}")
    return _code(data, strict=options.strict)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sections", default="", help="some sections, separated by commas")
    parser.add_argument("--peer", choices=sorted(PEERS), help="measure another tool as well")
    parser.add_argument("--quick", action="store_true", help="a smoke run without an engine")
    parser.add_argument("--strict", action="store_true", help="a missed target is exit code 1")
    parser.add_argument("--output", type=Path, help="where to write JSON")
    return parser


def _chosen(options: argparse.Namespace) -> tuple[list[Section], Budget]:
    """Return the sections to run and the time for them; exits with 2 on one that is not there."""
    known = {section.name: section for section in SECTIONS}
    names = [name for name in options.sections.split(",") if name] or list(known)
    if unknown := [name for name in names if name not in known]:
        _parser().error(f"no section {', '.join(unknown)}: there are {', '.join(known)}")
    chosen = [known[name] for name in names]
    if options.quick:
        chosen = [section for section in chosen if not section.engine]
    seconds = TOTAL_SECONDS
    if options.peer:
        peer = PEERS[options.peer]
        chosen.append(peer)
        seconds += peer.seconds
    return chosen, Budget(seconds)


def _keep(data: Mapping[str, Any], output: Path | None) -> Path:
    path = output or _RESULTS / f"{data['machine']['started'].replace(':', '')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")
    return path


def _code(data: Mapping[str, Any], *, strict: bool) -> int:
    if broken := [one for one in data["sections"] if one["state"] == "broken"]:
        for section in broken:
            _say(section["detail"])
        return 3
    if not strict:
        return 0
    wanting = [*report.missed(data), *report.absent(data)]
    if wanting:
        _say(f"missed or not measured: {', '.join(wanting)}")
    return 1 if wanting else 0


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    # Ended from outside, it still removes what it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    sys.exit(main())
