"""Read a script file: bounded, plain YAML, and every mistake named with its place.

Nothing but JSON values can come out; dates stay text, and anchors are refused since they can make
a small file large.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from judge_bundles import escape
from judge_bundles.errors import ModelSetupError
from judge_bundles.limits import MAX_SCRIPT_BYTES, MAX_SCRIPT_DEPTH
from judge_bundles.models.base import Price
from judge_bundles.models.script.format import ScriptFile
from judge_bundles.models.script.source import Source

_TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"


class _JSONLoader(yaml.SafeLoader):
    """YAML without dates."""

    yaml_implicit_resolvers = {  # noqa: RUF012  PyYAML's own form of configuration
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True, slots=True)
class Script:
    """A script that was read: its file's name, the digest of its bytes, and what it says."""

    file_name: str
    sha256: str
    content: ScriptFile

    @property
    def price(self) -> Price | None:
        """The declared price."""
        return self.content.prices.price() if self.content.prices else None


def load(path: Path) -> Script:
    """Return the script in `path`; raises `ModelSetupError` with file, key path and line."""
    raw = _read(path)
    return parse(raw, file_name=path.name)


def parse(raw: bytes, *, file_name: str) -> Script:
    """Return the script in the bytes of a file called `file_name`."""
    source = Source(escape.line(file_name))
    text = source.decoded(raw)
    try:
        data, root = _composed(text, source)
    except yaml.MarkedYAMLError as error:
        source.refuse(f"not YAML: {error.problem}", error.problem_mark)
    except RecursionError:
        source.refuse("nested too deeply")
    except (yaml.YAMLError, ValueError) as error:
        source.refuse(f"not YAML: {' '.join(str(error).split())}")
    try:
        content = ScriptFile.model_validate(data)
    except ValidationError as error:
        source.refuse_invalid(error, root)
    return Script(source.name, hashlib.sha256(raw).hexdigest(), content)


def _read(path: Path) -> bytes:
    shown = escape.line(str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SCRIPT_BYTES + 1)
    except OSError as error:
        raise ModelSetupError(f"script {shown} cannot be read: {error.strerror}") from None
    if len(raw) > MAX_SCRIPT_BYTES:
        raise ModelSetupError(f"script {shown} is larger than {MAX_SCRIPT_BYTES} bytes")
    return raw


def _composed(text: str, source: Source) -> tuple[Any, yaml.Node]:
    """Return the value of the one document in `text` and the node it was made from."""
    loader = _JSONLoader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            source.refuse("the file is empty")
        source.check(root, (), set(), MAX_SCRIPT_DEPTH)
        data = loader.construct_document(root)
    finally:
        loader.dispose()
    source.require_finite(data, root)
    return data, root
