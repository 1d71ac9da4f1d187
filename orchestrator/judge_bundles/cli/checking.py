"""Check rule files, and check the machine."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_bundles.cli.findings import Finding, Findings
from judge_bundles.errors import EXIT_ERROR, EXIT_OK, EngineSetupError, JudgeBundlesError
from judge_bundles.reports.style import console, counted, hanging, plain
from judge_bundles.rules.describe import describe
from judge_bundles.rules.load import load_rules

LABEL_COLUMNS: Final = 10
"""How wide the labels of `describe` are."""


def check_rules(
    files: Sequence[Path],
    project_root: Path | None,
    *,
    judges_dirs: Sequence[Path] = (),
    color: bool | None = None,
) -> None:
    """Print what each rule will check; a rule that cannot be used is raised."""
    screen = console(sys.stdout, color=color)
    for rule in load_rules(files, project_root=project_root, judges_dirs=judges_dirs):
        for text in describe(rule):
            key, value = text[:LABEL_COLUMNS], text[LABEL_COLUMNS:]
            screen.print(hanging(plain(key), plain(value)))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What doctor is to look at. `attack` asks for the attacks on the sandbox as well."""

    model: str | None = None
    store: str | None = None
    attack: bool = False
    runtime: str | None = None


def doctor(wanted: Wanted, findings: Findings) -> int:
    """Look at everything a judging run needs, tell `findings`, and return the exit code.

    3 means that something needs attention, an attack that could not be tried included.
    """
    if wanted.runtime is not None:
        asyncio.run(_require_runtime(wanted.runtime))
    looked = [
        _look("store", lambda: _check_store(wanted.store), findings),
        _look("sandbox", lambda: asyncio.run(_check_sandbox(wanted.runtime)), findings),
    ]
    if wanted.model is not None:
        model = wanted.model
        looked.append(_look("model", lambda: _check_model(model), findings))
    # A sandbox that does not even start is a problem that was told already.
    held = not wanted.attack or (looked[1].fine and _attack(wanted.runtime, findings))
    findings.end()
    return EXIT_OK if held and all(finding.fine for finding in looked) else EXIT_ERROR


def _attack(runtime: str | None, findings: Findings) -> bool:
    """Make every attack; tell whether all were held."""
    from judge_bundles.cli import proving

    held = True
    for result in proving.results(runtime):
        findings.result(result)
        held = held and result.outcome == "held"
    return held


def _look(subject: str, check: Callable[[], str], findings: Findings) -> Finding:
    try:
        finding = Finding(subject, fine=True, text=check())
    except JudgeBundlesError as error:
        finding = Finding(subject, fine=False, text=str(error))
    findings.finding(finding)
    return finding


def _check_store(url: str | None) -> str:
    from judge_bundles.store import location
    from judge_bundles.store.store import Store

    place = location.find(url)
    if place.file is not None and not place.file.exists():
        return f"none yet at {place.shown}; judging makes one"
    with Store.open(url, create=False) as store:
        return f"{counted(store.run_count(), 'run')} in {store.shown}"


async def _require_runtime(name: str) -> None:
    """Raise for a runtime that the engine has not; without an engine the check of it says so."""
    from judge_bundles.sandbox.engine import Engine

    try:
        engine = await Engine.connect()
    except EngineSetupError:
        return
    try:
        await engine.require_runtimes([name])
    finally:
        await engine.close()


async def _check_sandbox(runtime: str | None) -> str:
    """Prove the sandbox from inside: the host refuses one that is not isolated as asked."""
    from judge_bundles.sandbox.engine import Engine
    from judge_bundles.sandbox.options import SandboxOptions

    engine = await Engine.connect()
    try:
        image = await engine.prepare_image()
        options = SandboxOptions(runtime=runtime)
        with _probe() as folder:
            async with engine.sandbox(
                folder, run_id="doctor", entry_id="probe", options=options
            ) as sandbox:
                reply = await sandbox.call("read_file", {"path": "probe.txt"})
        if "probe" not in reply.text:
            raise EngineSetupError(f"The sandbox started but could not read a file: {reply.text}")
        by = f", runtime {runtime}" if runtime else ""
        return f"engine at {engine.address}{by}, image {image.tag} on {image.base}, isolated"
    finally:
        await engine.close()


@contextmanager
def _probe() -> Iterator[Path]:
    """Make a folder with one file that the sandbox's user may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.txt").write_text("probe\n", encoding="utf-8")
        folder.chmod(0o755)
        yield folder


def _check_model(name: str) -> str:
    """Say whether the model can be asked, without asking it."""
    from judge_bundles.models.resolve import resolve

    model = resolve(name, concurrency=1)
    price = "price known" if model.price else "price not known: no limit in dollars can be kept"
    note = "; scripted, no model judges" if model.scripted else ""
    return f"{model.name}: credentials found, not tried; {price}{note}"
