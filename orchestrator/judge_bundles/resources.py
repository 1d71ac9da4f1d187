"""Find the files that are shipped beside the code: prompts, example rules, the image's sources.

In a wheel they lie inside the package; in a checkout beside the source roots.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def folder(name: str) -> Path:
    """Return the folder `rubrics` or `sandbox_image`."""
    packaged = _PACKAGE / name
    return packaged if packaged.is_dir() else _CHECKOUT / name
