"""The record: a read-only mapping over what a run left, each key worked out when it is first used.

A key that nothing in the bundle gives a value is absent (`exit_code`, `cost_usd`, …) or empty
(`files`, `events`, `conversation`, …), never invented. What was noticed on the way is in `notes`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

from judge_bundles.limits import (
    RECORD_MAX_DOCUMENT_BYTES,
    RECORD_MAX_FILE_BYTES,
    RECORD_MAX_LOG_BYTES,
)
from judge_bundles.record import trajectory
from judge_bundles.record.amounts import total_tokens
from judge_bundles.record.artifacts import Artifacts
from judge_bundles.record.content import read_content, reason, without_text
from judge_bundles.record.documents_of_people import read_object
from judge_bundles.record.lenient_json import Allowance, BrokenJsonError, parse
from judge_bundles.record.paths import DEFAULTS, KEYS, RecordPaths, content_key
from judge_bundles.record.run_result import RunFacts, run_facts
from judge_bundles.record.sources import Found, Sources
from judge_bundles.record.tools import paths_written
from judge_bundles.record.trajectory import Trajectory
from judge_prechecks.names import show
from judge_prechecks.tree import File, Tree

_ABSENT: Final = object()
_ALWAYS: Final = frozenset(KEYS[: KEYS.index("exit_code")]) | {"stdout", "stderr"}
"""Keys that are empty rather than absent."""
_CUT: Final = "\n[… the middle of this log was left out …]\n"

LoadTrajectory = Callable[[Sources, Sequence[File]], Trajectory | None]
"""Reads a trajectory as `trajectory.load` does, its notes included."""


class Record(Mapping[str, Any]):
    """The `outputs` of one bundle. Values are plain dicts, lists, texts and numbers."""

    def __init__(
        self, tree: Tree, paths: RecordPaths, load: LoadTrajectory = trajectory.load
    ) -> None:
        self._sources = Sources(tree)
        self._paths = paths
        self._load = load
        self._values: dict[str, Any] = {}
        self._compute: dict[str, Callable[[], Any]] = {
            name: getattr(self, f"_{name}") for name in KEYS
        }
        for name, path in paths.outputs.items():
            key = content_key(name)
            self._compute[key] = partial(self._text_at, key, path)

    @classmethod
    def of(
        cls,
        tree: Tree,
        paths: RecordPaths | None = None,
        *,
        load: LoadTrajectory = trajectory.load,
    ) -> "Record":
        """Return the record of a bundle; nothing of it is opened yet.

        Who makes several records of one bundle can give a `load` that parses only once.
        """
        return cls(tree, paths or RecordPaths(), load)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed so far, one printable line each."""
        return self._sources.notes.lines

    def note(self, text: str) -> None:
        """Add to `notes`, for those who derive more from a record."""
        self._sources.notes.add(text)

    @property
    def trajectory(self) -> Trajectory | None:
        """The agent's trajectory; None without one. Its `format` is None when nobody knows it."""
        return self._trajectory

    @property
    def artifacts(self) -> Artifacts:
        """The files behind `files`, without reading them."""
        return self._artifacts

    @property
    def main_file(self) -> File | None:
        """The file behind `main_content`."""
        if self._paths.main is None:
            return self._artifacts.main()
        found = self._sources.configured("main_content", self._paths.main)
        return found.files[0] if found else None

    @cached_property
    def modified(self) -> dict[str, File | None]:
        """The files behind `modified_files`, None for one that is not in the bundle."""
        done = [call for call in self["tool_calls"] if call["is_error"] is not True]
        written = [path for call in done for path in paths_written(call)]
        cwd = self._trajectory.cwd if self._trajectory else None
        return self._artifacts.located([*self._facts.modified_files, *written], cwd)

    def __getitem__(self, key: str) -> Any:
        if key not in self._values:
            self._values[key] = self._compute[key]()
        value = self._values[key]
        if value is _ABSENT:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        return key in _ALWAYS or super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._compute if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Record({show(str(self._sources.tree.root))!r})"

    # ---- where things lie -----------------------------------------------------------------------

    @cached_property
    def _found(self) -> dict[str, Found | None]:
        """Return the files of each part of the record by its name; nothing is opened for it."""
        found: dict[str, Found | None] = {}
        found["events"] = trajectory.find(self._sources, self._paths.events)
        for role, defaults in DEFAULTS.items():
            if role != "events":
                configured: str | None = getattr(self._paths, role)
                found[role] = (
                    self._sources.one(role, defaults)
                    if configured is None
                    else self._sources.configured(role, configured)
                )
        return found

    @cached_property
    def _artifacts(self) -> Artifacts:
        at_home = (found for found in self._found.values() if found is not None and found.home)
        return Artifacts(self._sources, (file.path for found in at_home for file in found.files))

    @cached_property
    def _trajectory(self) -> Trajectory | None:
        found = self._found["events"]
        return None if found is None else self._load(self._sources, found.files)

    @cached_property
    def _facts(self) -> RunFacts:
        found = self._found["run_result"]
        if found is None:
            return RunFacts()
        file = found.files[0]
        data = self._sources.read("run_result", file, RECORD_MAX_DOCUMENT_BYTES)
        if data is None:
            return RunFacts()
        try:
            value = parse(data, Allowance())
        except BrokenJsonError as error:
            self.note(f"run_result: {show(file.path)} cannot be used: {error}")
            return RunFacts()
        if not isinstance(value, dict):
            self.note(f"run_result: {show(file.path)} holds no object with keys")
            return RunFacts()
        return run_facts(value, self.note)

    # ---- one method for each key ----------------------------------------------------------------

    def _files(self) -> Any:
        return self._artifacts.all()

    def _modified_files(self) -> Any:
        return {
            path: without_text("_missing", path) if file is None else self._artifacts.content(file)
            for path, file in self.modified.items()
        }

    def _conversation(self) -> Any:
        return self["stdout"] if self._trajectory is None else self._trajectory.conversation

    def _events(self) -> Any:
        return [] if self._trajectory is None else self._trajectory.events

    def _tool_calls(self) -> Any:
        return [] if self._trajectory is None else self._trajectory.tool_calls

    def _annotations(self) -> Any:
        return self._object("annotations", "annotations")

    def _inputs(self) -> Any:
        return self._object("input", "inputs")

    def _exit_code(self) -> Any:
        return _known(self._facts.exit_code)

    def _duration_s(self) -> Any:
        return self._stated("duration_s")

    def _token_usage(self) -> Any:
        return self._stated("token_usage")

    def _total_tokens(self) -> Any:
        if self._facts.total_tokens is not None or self._facts.token_usage is not None:
            return _known(self._facts.total_tokens)
        usage = self._stated("token_usage")
        return _ABSENT if usage is _ABSENT else _known(total_tokens(usage))

    def _cost_usd(self) -> Any:
        return self._stated("cost_usd")

    def _num_turns(self) -> Any:
        return self._stated("num_turns")

    def _stdout(self) -> Any:
        return self._log("stdout")

    def _stderr(self) -> Any:
        return self._log("stderr")

    def _main_content(self) -> Any:
        file = self.main_file
        if file is None:
            if self._paths.main is None:
                self.note("main_content: no single top-level .md file and no single file at all")
            return _ABSENT
        return self._text_of("main_content", file)

    # ---- shared ---------------------------------------------------------------------------------

    def _stated(self, fact: str) -> Any:
        """Return what the run's result states, else the trajectory, which is read only then."""
        value = getattr(self._facts, fact)
        if value is None and self._trajectory is not None:
            value = getattr(self._trajectory, fact)
        return _known(value)

    def _object(self, role: str, key: str) -> dict[str, Any]:
        found = self._found[role]
        return {} if found is None else read_object(self._sources, key, found.files[0])

    def _log(self, role: str) -> str:
        found = self._found[role]
        if found is None:
            return ""
        file = found.files[0]
        beginning, end = self._sources.read_ends(role, file, RECORD_MAX_LOG_BYTES)
        text = beginning.decode("utf-8", "replace")
        return f"{text}{_CUT}{end.decode('utf-8', 'replace')}" if end else text

    def _text_at(self, key: str, path: str) -> Any:
        found = self._sources.configured(key, path)
        if found is None:
            return _ABSENT
        return self._text_of(key, found.files[0])

    def _text_of(self, key: str, file: File) -> Any:
        content = read_content(self._sources.tree, file, RECORD_MAX_FILE_BYTES)
        if isinstance(content, str):
            return content
        self.note(f"{key}: {show(file.path)} is {reason(content)}")
        return _ABSENT


def _known(value: Any) -> Any:
    return _ABSENT if value is None else value
