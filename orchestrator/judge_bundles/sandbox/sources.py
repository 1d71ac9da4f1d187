"""The sources of the sandbox image: what is built, and the digest that names it.

The digest covers names and content of every file that goes into the image, and nothing of the
machine: the same sources have the same digest in a checkout and in an installed package.
"""

import hashlib
import io
import tarfile
from dataclasses import dataclass
from functools import cache
from typing import Final

from judge_bundles import resources

FOLDER: Final = "sandbox_image"
_DOCKERFILE: Final = "Dockerfile"


@dataclass(frozen=True, slots=True)
class Sources:
    """Files by their path in the build context, in order."""

    files: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """SHA-256 over all names, lengths and contents, in hexadecimal."""
        digest = hashlib.sha256()
        for name, content in self.files:
            digest.update(f"{len(name)} {name} {len(content)} ".encode())
            digest.update(content)
        return digest.hexdigest()

    def context(self) -> io.BytesIO:
        """Return the build context as a tar archive, the same bytes every time."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, content in self.files:
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(content), 0o444
                tar.addfile(member, io.BytesIO(content))
        archive.seek(0)
        return archive


@cache
def sources() -> Sources:
    """Read the sources that are installed with this package."""
    folder = resources.folder(FOLDER)
    files = [(_DOCKERFILE, (folder / _DOCKERFILE).read_bytes())]
    files += [
        (f"{FOLDER}/{path.relative_to(folder).as_posix()}", path.read_bytes())
        for path in sorted(folder.rglob("*.py"))
    ]
    return Sources(tuple(files))
