"""`python -m judge_bundles.sandbox` makes sure of the sandbox image and prints its tag and id."""

import asyncio
import sys

from judge_bundles.errors import EXIT_OK, UserError
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.image import Image


async def _prepared() -> Image:
    engine = await Engine.connect()
    try:
        return await engine.prepare_image()
    finally:
        await engine.close()


def main() -> int:
    """Return an exit code; what went wrong is said on stderr."""
    try:
        image = asyncio.run(_prepared())
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(f"{image.tag} {image.id} on {image.base}\n")
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
