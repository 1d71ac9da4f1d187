"""Check rule files, and check the machine."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.text import Text

from judge_bundles.errors import EXIT_ERROR, EXIT_OK, EngineSetupError, JudgeBundlesError
from judge_bundles.reports.style import console, counted, hanging, plain
from judge_bundles.rules.describe import describe
from judge_bundles.rules.load import load_rules

LABEL_COLUMNS: Final = 10
"""How wide the labels of `describe` are."""


def check_rules(
    files: Sequence[Path], project_root: Path | None, *, color: bool | None = None
) -> None:
    """Print what each rule will check; a rule that cannot be used is raised."""
    screen = console(sys.stdout, color=color)
    for rule in load_rules(files, project_root=project_root):
        for text in describe(rule):
            key, value = text[:LABEL_COLUMNS], text[LABEL_COLUMNS:]
            screen.print(hanging(plain(key), plain(value)))


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    fine: bool
    text: str


def doctor(model: str | None, url: str | None, *, color: bool | None = None) -> int:
    """Look at everything a judging run needs, say what was found, and return the exit code."""
    checks: list[tuple[str, Callable[[], str]]] = [
        ("store", lambda: _check_store(url)),
        ("sandbox", lambda: asyncio.run(_check_sandbox())),
    ]
    if model is not None:
        checks.append(("model", lambda: _check_model(model)))
    screen = console(sys.stdout, color=color)
    fine = True
    for subject, check in checks:
        finding = _look(subject, check)
        mark = Text("ok      ", "green") if finding.fine else Text("problem ", "red")
        lead = Text.assemble(mark, f"{finding.subject:<9}")
        screen.print(hanging(lead, plain(finding.text)))
        fine = fine and finding.fine
    return EXIT_OK if fine else EXIT_ERROR


def _look(subject: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, fine=True, text=check())
    except JudgeBundlesError as error:
        return Finding(subject, fine=False, text=str(error))


def _check_store(url: str | None) -> str:
    from judge_bundles.store import location
    from judge_bundles.store.store import Store

    place = location.find(url)
    if place.file is not None and not place.file.exists():
        return f"none yet at {place.shown}; judging makes one"
    with Store.open(url, create=False) as store:
        return f"{counted(store.run_count(), 'run')} in {store.shown}"


async def _check_sandbox() -> str:
    """Prove the sandbox from inside: the host refuses one that is not isolated as asked."""
    from judge_bundles.sandbox.engine import Engine

    engine = await Engine.connect()
    try:
        image = await engine.prepare_image()
        with _probe() as folder:
            async with engine.sandbox(folder, run_id="doctor", entry_id="probe") as sandbox:
                reply = await sandbox.call("read_file", {"path": "probe.txt"})
        if "probe" not in reply.text:
            raise EngineSetupError(f"The sandbox started but could not read a file: {reply.text}")
        return f"engine at {engine.address}, image {image.tag} on {image.base}, isolated"
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
