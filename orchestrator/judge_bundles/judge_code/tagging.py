"""Mark text from a bundle so that it is clear where it ends, whatever it says itself."""

import hashlib
import re
from typing import Any, Final

_TAG: Final = re.compile("[a-z][a-z0-9_-]{0,39}")
_ID_DIGITS: Final = 16


def as_data(value: Any, name: Any = "data") -> str:
    """Return the text of a value between two tags called `name`; templates have it as a filter.

    The tags carry a mark made from the text, so no text holds the mark of its own end. The same text
    is always marked in the same way. ValueError for a name that is no tag.
    """
    if not isinstance(name, str) or _TAG.fullmatch(name) is None:
        raise ValueError("as_data takes a name of lower-case letters, digits, - and _")
    text = str(value)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]
    return f'<{name} id="{digest}">\n{text}\n</{name} id="{digest}">'
