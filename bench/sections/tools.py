"""Tool calls by kind and size, beside the same look through an exec in the same container.

And beside a raw request to the tool server, which shows what the host adds to each call.
"""

import asyncio
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.context import Context
from bench.figure import Figure
from bench.raw_engine import RawContainer, RawEngine, engine
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.engine import Engine

_LINE: Final = b"A line of a log that nobody is going to read, 64 bytes of it. \n\n"
_TIMES: Final = 20
_EXEC_TIMES: Final = 4
_DEPTH: Final = 60


@dataclass(frozen=True, slots=True)
class Look:
    """One tool call, and the command that shows the same."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    command: tuple[str, ...]


SMALL: Final = (
    Look("read 1 KB", "read_file", {"path": "1k.txt"}, ("cat", "/bundle/1k.txt")),
    Look(
        "read 1 MB, its end",
        "read_file",
        {"path": "1m.txt", "start_line": 32_600, "line_count": 100},
        ("sed", "-n", "32600,32700p", "/bundle/1m.txt"),
    ),
    Look("list 10 files", "list_files", {"path": "few"}, ("ls", "-sR", "/bundle/few")),
    Look(
        "search 1 MB",
        "search_files",
        {"pattern": "needle", "glob": "1m.txt"},
        ("grep", "-n", "needle", "/bundle/1m.txt"),
    ),
    Look(
        "query 100 KB of JSON",
        "json_query",
        {"path": "100k.json", "query": "items[*].id"},
        ("python3", "-I", "-S", "-c", "import json; json.load(open('/bundle/100k.json'))['items']"),
    ),
    Look("facts of 1 MB", "file_info", {"path": "1m.txt"}, ("sha256sum", "/bundle/1m.txt")),
)
LARGE: Final = (
    Look("list 10,000 files", "list_files", {"path": "many"}, ("ls", "-sR", "/bundle/many")),
    Look(
        f"list a tree {_DEPTH} deep", "list_files", {"path": "deep"}, ("ls", "-sR", "/bundle/deep")
    ),
    Look(
        "read 50 MB in one line",
        "read_file",
        {"path": "50m.txt", "start_byte": 50_996_000, "byte_count": 4_000},
        ("tail", "-c", "4000", "/bundle/50m.txt"),
    ),
    Look(
        "search 50 MB in one line",
        "search_files",
        {"pattern": "needle", "glob": "50m.txt"},
        ("grep", "-c", "needle", "/bundle/50m.txt"),
    ),
)
"""In a bundle of 10,000 files, which every call there has to live with."""


def measure(context: Context) -> Iterator[Figure]:
    """Yield one figure for each look, and the raw server for the smallest."""
    small, large = _write_small(context.place / "small"), _write_large(context.place / "large")
    with engine() as connected:
        for bundle, looks in ((small, SMALL), (large, LARGE)):
            with RawEngine(connected, bundle) as raw, _open(connected, bundle) as opened:
                yield from _looks(context, looks, *opened, raw)
        with RawEngine(connected, small) as raw, _open(connected, small) as opened:
            yield _host_share(context, SMALL[0], *opened, raw)


@contextmanager
def _open(connected: Engine, bundle: Path) -> Iterator[tuple[asyncio.Runner, DockerSandbox]]:
    """Start a sandbox, and an event loop to call it in."""
    sandbox = connected.sandbox(bundle, run_id="bench", entry_id="bench")
    with asyncio.Runner() as runner:
        runner.run(sandbox.__aenter__())
        try:
            yield runner, sandbox
        finally:
            runner.run(sandbox.__aexit__(None, None, None))


def _looks(
    context: Context,
    looks: Iterable[Look],
    runner: asyncio.Runner,
    sandbox: DockerSandbox,
    raw: RawEngine,
) -> Iterator[Figure]:
    identity = sandbox.container_id
    assert identity is not None
    for look in looks:
        yield context.compare(
            f"tools.{look.name}",
            unit="s",
            against="exec",
            product=partial(_run_calls, runner, sandbox, look),
            floor=partial(_exec_s, raw, identity, look),
        )


def _host_share(
    context: Context, look: Look, runner: asyncio.Runner, sandbox: DockerSandbox, raw: RawEngine
) -> Figure:
    with raw.container() as container:
        container.start()
        return context.compare(
            f"tools.{look.name}, host's share",
            unit="s",
            against="raw request",
            product=partial(_run_calls, runner, sandbox, look),
            floor=partial(_raw_s, container, look),
        )


def _run_calls(runner: asyncio.Runner, sandbox: DockerSandbox, look: Look) -> float:
    return runner.run(_calls_s(sandbox, look))


async def _calls_s(sandbox: DockerSandbox, look: Look) -> float:
    async def once() -> float:
        begun = time.perf_counter()
        reply = await sandbox.call(look.tool, look.arguments)
        took = time.perf_counter() - begun
        if reply.error_kind is not None:
            raise AssertionError(f"{look.name}: {reply.text:.200}")
        return took

    return median([await once() for _ in range(_TIMES)])


def _exec_s(raw: RawEngine, container: str, look: Look) -> float:
    return median(raw.exec_s(container, list(look.command)) for _ in range(_EXEC_TIMES))


def _raw_s(container: RawContainer, look: Look) -> float:
    def once() -> float:
        begun = time.perf_counter()
        container.ask(look.tool, look.arguments)
        return time.perf_counter() - begun

    return median(once() for _ in range(_TIMES))


def _write_small(bundle: Path) -> Path:
    (bundle / "few").mkdir(parents=True)
    (bundle / "1k.txt").write_bytes(_LINE * 16)
    (bundle / "1m.txt").write_bytes(_LINE * 16_383 + b"needle\n" * 9)
    items = [{"id": number, "name": f"item {number}" + "." * 60} for number in range(1_000)]
    (bundle / "100k.json").write_text(json.dumps({"items": items}))
    for number in range(10):
        (bundle / "few" / f"f{number}.txt").write_bytes(b"")
    return bundle


def _write_large(bundle: Path) -> Path:
    """Write a wide folder, a deep one, and a file that is one line."""
    for folder in ("many", "deep/" + "/".join("d" * _DEPTH)):
        (bundle / folder).mkdir(parents=True)
    (bundle / "50m.txt").write_bytes(b"0123456789" * 5_100_000 + b"needle")
    for number in range(10_000):
        (bundle / "many" / f"f{number}.txt").write_bytes(b"")
    return bundle
