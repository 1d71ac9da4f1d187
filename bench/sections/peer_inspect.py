"""The same work in Inspect AI's docker sandbox, measured in turn with the product.

It runs in an environment of its own, beside this package, which is made when it is asked for. The
containers have the same hardening, by a compose file, as far as compose can say it.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import bench
from bench.context import Context, SkippedError
from bench.figure import Figure
from bench.material import write_agent_rule, write_bundles, write_script
from bench.product import environment, judge
from bench.raw_engine import engine
from bench.rounds import interleaved
from judge_bundles.limits import (
    SANDBOX_CPUS,
    SANDBOX_MEMORY_BYTES,
    SANDBOX_PIDS,
    SANDBOX_TMP_BYTES,
    SANDBOX_USER,
)
from judge_bundles.sandbox.image import LOCAL_BASE
from judge_bundles.sandbox.launch import BUNDLE

_HOME: Final = Path(bench.__file__).parent
_VENV: Final = _HOME / ".venv-inspect"
_INSTALLED: Final = _VENV / "installed"
_PROGRAM: Final = _HOME / "peer_inspect_program.py"
_INSTALL_S: Final = 420
_RUN_S: Final = 240
_COUNTS: Final = {4: 12, 16: 24}
_NOTE: Final = "{} samples; its check for a newer engine left out"


def measure(context: Context) -> Iterator[Figure]:
    """Yield the product's rate beside the peer's at 4 and 16 at once."""
    _require_compose()
    python = _environment()
    place = context.place
    bundles = write_bundles(place / "runs", max(_COUNTS.values()))
    rule = write_agent_rule(place / "rule.json")
    script = write_script(place / "script.json")
    with engine() as connected:
        if not connected.api.images(name=LOCAL_BASE):
            raise SkippedError(
                f"the engine has no {LOCAL_BASE}, which needs no registry: make image"
            )
    compose = _write_compose(place / "compose.yaml", next(bundles.iterdir()))
    for concurrency, count in _COUNTS.items():
        rates = interleaved(
            {
                "inspect": partial(_peer_rate, python, compose, count, concurrency),
                "product": partial(_own_rate, bundles, rule, script, place, count, concurrency),
            },
            context.budget,
            rounds=context.rounds,
        )
        yield Figure(
            f"peer_inspect.c={concurrency}",
            "bundles/s",
            rates["product"],
            rates["inspect"],
            "Inspect's",
            _NOTE.format(count),
        )


def _require_compose() -> None:
    if subprocess.run(
        ["docker", "compose", "version"], capture_output=True, check=False
    ).returncode:
        raise SkippedError(
            "`docker compose` is not there, which Inspect calls: install Docker Compose 2.24 or later "
            "as a plugin of the docker command"
        )


def _environment() -> Path:
    """Make the peer's environment if it is not there; skips where it cannot be installed."""
    python = _VENV / "bin" / "python"
    if _INSTALLED.exists():
        return python
    commands = (
        [sys.executable, "-m", "venv", str(_VENV)],
        [str(python), "-m", "pip", "install", "-q", "inspect-ai"],
    )
    for command in commands:
        try:
            subprocess.run(command, check=True, timeout=_INSTALL_S, capture_output=True)
        except subprocess.SubprocessError as error:
            raise SkippedError(f"inspect-ai cannot be installed here: {error}") from error
    _INSTALLED.touch()
    return python


def _peer_rate(python: Path, compose: Path, count: int, concurrency: int) -> float:
    logs = compose.parent / "inspect-logs"
    done = subprocess.run(
        [python, _PROGRAM, compose, str(count), str(concurrency), logs],
        capture_output=True, text=True, env=environment(), timeout=_RUN_S, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"Inspect ended with {done.returncode}: {done.stderr[-800:]}")
    return count / float(done.stdout.split()[-1])


def _own_rate(
    bundles: Path, rule: Path, script: Path, place: Path, count: int, concurrency: int
) -> float:
    options = ("--model", f"script:{script}", "-c", str(concurrency), "--fresh")
    return count / judge(bundles, rule, place, *options, count=count).judging_s


def _write_compose(path: Path, bundle: Path) -> Path:
    service: dict[str, Any] = {
        "image": LOCAL_BASE,
        "x-local": True,
        "command": ["sleep", "infinity"],
        "init": True,
        "working_dir": BUNDLE,
        "volumes": [{"type": "bind", "source": str(bundle), "target": BUNDLE, "read_only": True}],
        "network_mode": "none",
        "user": f"{SANDBOX_USER}:{SANDBOX_USER}",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "ipc": "none",
        "pids_limit": SANDBOX_PIDS,
        "mem_limit": SANDBOX_MEMORY_BYTES,
        "memswap_limit": SANDBOX_MEMORY_BYTES,
        "cpus": SANDBOX_CPUS,
        "tmpfs": [f"/tmp:size={SANDBOX_TMP_BYTES},noexec,nosuid,nodev,mode=1777"],  # noqa: S108 - in the container
        "logging": {"driver": "none"},
    }
    project = {
        "services": {"default": service},
        # Without it Inspect shows folders of the host, even read-only, with newer engines only.
        "x-inspect_docker_sandbox": {"unsafe_allow_writable_host_mounts": True},
    }
    path.write_text(json.dumps(project))
    return path
