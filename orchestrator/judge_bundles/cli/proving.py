"""Attack the sandbox of this machine, for `doctor --sandbox`."""

import asyncio
from collections.abc import Iterator

from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.proof.attack import Result
from judge_bundles.sandbox.proof.decoy import decoy
from judge_bundles.sandbox.proof.prove import prove
from judge_bundles.sandbox.proof.target import Target


def results(runtime: str | None) -> Iterator[Result]:
    """Make every attack on a sandbox of that runtime, and yield how it ended."""
    engine = asyncio.run(_prepared())
    try:
        with decoy() as shown:
            yield from prove(Target(engine, shown, options=SandboxOptions(runtime=runtime)))
    finally:
        asyncio.run(engine.close())


async def _prepared() -> Engine:
    engine = await Engine.connect()
    await engine.prepare_image()
    return engine
