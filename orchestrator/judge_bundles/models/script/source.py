"""A script file as its author sees it: what is wrong, under which key, on which line.

Looks at YAML nodes, which still know their place; it makes nothing of what they say.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import yaml
from pydantic import ValidationError

from judge_bundles import escape
from judge_bundles.errors import ModelSetupError

_JSON_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null")
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file as the author sees it: where in it a mistake stands."""

    name: str

    def decoded(self, raw: bytes) -> str:
        """Return the text of the file's bytes."""
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.refuse(f"not UTF-8 at byte {error.start}")

    def check(self, node: yaml.Node, path: tuple[Any, ...], seen: set[int], left: int) -> None:
        """Refuse what is not plain JSON in YAML's clothes."""
        if id(node) in seen:
            self.refuse(f"{_shown(path)}: anchors and aliases are not used here", node.start_mark)
        if node.tag not in _JSON_TAGS:
            self.refuse(f"{_shown(path)}: {node.tag} is not a JSON value", node.start_mark)
        if left == 0:
            self.refuse(f"{_shown(path)}: nested too deeply", node.start_mark)
        seen.add(id(node))
        for key, child in self._children(node, path):
            self.check(child, (*path, key), seen, left - 1)

    def _children(self, node: yaml.Node, path: tuple[Any, ...]) -> list[tuple[Any, yaml.Node]]:
        if isinstance(node, yaml.SequenceNode):
            return list(enumerate(node.value))
        if not isinstance(node, yaml.MappingNode):
            return []
        keys: list[str] = []
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:str":
                self.refuse(f"{_shown(path)}: a key is not text; quote it", key.start_mark)
            if key.value in keys:
                self.refuse(f"{_shown((*path, key.value))}: given twice", key.start_mark)
            keys.append(key.value)
        return [(key.value, value) for key, value in node.value]

    def require_finite(self, value: Any, root: yaml.Node, path: tuple[Any, ...] = ()) -> None:
        """Refuse infinity and not-a-number anywhere in `value`."""
        if isinstance(value, float) and not math.isfinite(value):
            mark = _node_at(root, path)[0].start_mark
            self.refuse(f"{_shown(path)}: not a finite number", mark)
        if isinstance(value, (dict, list)):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in pairs:
                self.require_finite(item, root, (*path, key))

    def refuse_invalid(self, error: ValidationError, root: yaml.Node) -> NoReturn:
        """Name the first thing the format does not take."""
        first = error.errors(include_url=False)[0]
        node, path = _node_at(root, first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] in {"missing", "extra_forbidden"}:
            path = (*path, first["loc"][-1]) if path != first["loc"] else path
            message = "is missing" if first["type"] == "missing" else "is not known here"
        self.refuse(f"{_shown(path)}: {message}", node.start_mark)

    def refuse(self, problem: str, mark: yaml.Mark | None = None) -> NoReturn:
        """Raise `ModelSetupError` with the file, the problem and, if known, the line."""
        line = f" (line {mark.line + 1})" if mark else ""
        raise ModelSetupError(f"script {self.name}: {problem}{line}")


def _node_at(root: yaml.Node, loc: Sequence[Any]) -> tuple[yaml.Node, tuple[Any, ...]]:
    """Follow `loc` as far as the document goes; the validator adds names of its own to it."""
    node, path = root, []
    for step in loc:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            found = [value for key, value in node.value if key.value == step]
            if not found:
                break
            node = found[0]
        else:
            break
        path.append(step)
    return node, tuple(path)


def _shown(path: Sequence[Any]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return escape.line(text.removeprefix(".")) or "the document"
