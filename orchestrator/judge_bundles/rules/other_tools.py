"""Keys of an evaluation config that belong to other tools: let through, and named in one warning.

Only a file with `judges` may have them; in any other an unknown key is a mistake.
"""

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

_MAX_NAMED: Final = 12


def known_keys(keys: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return `keys` without those of other tools, if it may have any."""
    if "judges" not in keys:
        return dict(keys)
    return {key: value for key, value in keys.items() if key in known}


def foreign_keys_warning(keys: Mapping[str, Any], known: Collection[str]) -> str | None:
    """Return the warning that names the keys of other tools; None when there are none."""
    foreign = list(_foreign(keys, known))
    if not foreign:
        return None
    more = f" and {len(foreign) - _MAX_NAMED} more" if len(foreign) > _MAX_NAMED else ""
    named = ", ".join(_with_nearest(key, known) for key in foreign[:_MAX_NAMED])
    return f"ignored, as settings of other tools: {named}{more}"


def _foreign(keys: Mapping[str, Any], known: Collection[str]) -> Iterator[str]:
    if "judges" in keys:
        yield from (key for key in keys if key not in known)
    models = keys.get("models")
    if isinstance(models, dict):
        yield from (f"models.{key}" for key in models if key != "judge")


def _with_nearest(key: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(key[:80], list(known), n=1, cutoff=0.8)
    return f"`{key[:80]}`" + (f" (did you mean `{close[0]}`?)" if close else "")
