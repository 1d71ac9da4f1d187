"""Where in a bundle the parts of the record lie, unless the rule says otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from judge_prechecks.patterns import Pattern

KEYS: Final = (
    "files",
    "modified_files",
    "conversation",
    "events",
    "tool_calls",
    "annotations",
    "inputs",
    "exit_code",
    "duration_s",
    "token_usage",
    "total_tokens",
    "cost_usd",
    "num_turns",
    "stdout",
    "stderr",
    "main_content",
)
"""The keys of every record; each configured output adds `<name>_content`."""

DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    "events": ("events.json", "events.jsonl"),  # followed by what the readers name
    "annotations": ("annotations.yaml", "annotations.yml", "annotations.json"),
    "input": ("input.yaml", "input.yml", "input.json"),
    "run_result": ("run_result.json",),
    "stdout": ("stdout.log",),
    "stderr": ("stderr.log",),
}
"""What is looked for where the rule names no path, in this order."""


@dataclass(frozen=True, slots=True)
class RecordPaths:
    """Paths or patterns inside a bundle, matched as the gate matches them; None is the default.

    Raises `ValueError` naming the key when a path cannot be one, or a name of `outputs` is taken.
    """

    events: str | None = None
    annotations: str | None = None
    input: str | None = None
    run_result: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    main: str | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, path in self._configured():
            try:
                Pattern.compile(path)
            except ValueError as error:
                raise ValueError(f"{name} {error}") from error
        for name in self.outputs:
            if not name or content_key(name) in KEYS:
                raise ValueError(f"outputs: the name {name!r} is taken")

    def _configured(self) -> Iterator[tuple[str, str]]:
        for name in (*DEFAULTS, "main"):
            path: str | None = getattr(self, name)
            if path is not None:
                yield name, path
        for name, path in self.outputs.items():
            yield f"outputs.{name}", path


def content_key(name: str) -> str:
    """Return the key under which the text of a configured output stands."""
    return f"{name}_content"
