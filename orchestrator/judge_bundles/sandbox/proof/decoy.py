"""What the attacks are let loose on: a bundle as a judge would get it, and a neighbour to steal from.

Made like the snapshots of a run: below a private folder, under names that mean nothing. Modes would
let anyone write, so that only the sandbox stands against it.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_bundles.bundles.workspace import Workspace

REPORT: Final = "A report.\n"
SLOW: Final = "slow.txt"
"""A file with a line on which some patterns take for ever."""
LARGE: Final = "large.txt"
LARGE_BYTES: Final = 16 * 1024 * 1024
LINK: Final = "link.txt"
LINKED_FOLDER: Final = "linked"
_NEIGHBOURS_FILE: Final = "secret.txt"


@dataclass(frozen=True, slots=True)
class Decoy:
    """`root` is what is shown; `secret`, the file with `token` in it, lies beside it."""

    root: Path
    secret: Path
    token: str

    def is_untouched(self) -> bool:
        """Tell whether the bundle still is what it was."""
        names = {path.name for path in self.root.iterdir()}
        expected = {"report.md", SLOW, LARGE, LINK, LINKED_FOLDER}
        return names == expected and (self.root / "report.md").read_text("utf-8") == REPORT


@contextmanager
def decoy() -> Iterator[Decoy]:
    """Make one, and remove it afterwards."""
    with Workspace.create() as workspace:
        token = f"JB-DECOY-{secrets.token_hex(8)}"
        other = workspace.path / secrets.token_hex(8)
        other.mkdir()
        secret = other / _NEIGHBOURS_FILE
        secret.write_text(token, encoding="ascii")
        root = workspace.path / secrets.token_hex(8)
        root.mkdir()
        (root / "report.md").write_text(REPORT, encoding="ascii")
        (root / SLOW).write_text(f"{'a' * 60}b\n", encoding="ascii")
        (root / LARGE).write_bytes(b"x" * 79 + b"\n" + b"y" * (LARGE_BYTES - 80))
        (root / LINK).symlink_to(secret)
        (root / LINKED_FOLDER).symlink_to(other)
        for path in (other, root):
            path.chmod(0o777)
        for path in (secret, root / "report.md", root / SLOW, root / LARGE):
            path.chmod(0o666)
        yield Decoy(root, secret, token)
