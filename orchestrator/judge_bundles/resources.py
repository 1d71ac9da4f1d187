"""Find the files that are shipped beside the code: prompts, example rules, the image's sources.

In a wheel they lie inside the package; in a checkout beside the source roots.
"""

from functools import cache
from pathlib import Path
from string import Template

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def folder(name: str) -> Path:
    """Return the folder `rubrics` or `sandbox_image`."""
    packaged = _PACKAGE / name
    return packaged if packaged.is_dir() else _CHECKOUT / name


@cache
def prompt(name: str) -> Template:
    """Return the prompt `rubrics/NAME.md`."""
    return Template((folder("rubrics") / f"{name}.md").read_text(encoding="utf-8"))
