import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.verdict import PrecheckResult
from judge_prechecks import (
    CheckCrashedError,
    File,
    Gate,
    Held,
    Outcome,
    Parameters,
    Tree,
    UnmetError,
    View,
    precheck,
)
from judge_prechecks.limits import MAX_MESSAGE_CHARACTERS, SMALL_JSON_BYTES

Bundle = Callable[..., Path]
EVERY_TYPE: list[dict[str, Any]] = [
    {"type": "file_present", "path": "findings.json"},
    {"type": "file_complete", "path": "**", "must_end_with": "}"},
    {"type": "json_valid", "path": "**/*.json"},
    {"type": "map_values_in", "file": "state.json", "path": "phases", "allowed": ["done", 1]},
    {"type": "map_values_in", "file": "state.json", "path": "$..a", "allowed": [True]},
    {
        "type": "count_equals",
        "left": {"file": "state.json", "field": "a.b"},
        "right": {"file": "findings.json", "len": "findings[*].a"},
    },
    {
        "type": "count_equals",
        "left": {"file": "state.json", "len": "phases.`keys`"},
        "right": {"files": "*"},
    },
    {
        "type": "field_any_non_empty",
        "file": "findings.json",
        "array": "findings",
        "fields": ["a", "a.b", "phases[?(@.a =~ 'd')]", "a.`sub(/d/, e)`"],
    },
    {
        "type": "refs_exist",
        "file": "findings.json",
        "array": "findings",
        "field": "a",
        "in": "bundle",
    },
    {
        "type": "refs_exist",
        "file": "findings.json",
        "array": "$..a",
        "field": "",
        "in": {"file": "state.json", "path": "phases"},
    },
]


def test_outcomes_come_in_order_and_all_failures_are_reported(bundle: Bundle) -> None:
    gate = Gate.parse(
        [
            {"type": "file_present", "path": "a"},
            {"type": "file_present", "path": "b"},
            {"type": "file_present", "path": "c"},
        ]
    )
    outcomes = gate.run(bundle({"b": "x"}))
    assert [(o.index, o.held) for o in outcomes] == [(0, False), (1, True), (2, False)]


def test_a_folder_and_its_tree_give_the_same_outcomes(bundle: Bundle) -> None:
    root = bundle({"state.json": {"phases": {}}, "findings.json": {"findings": [{"a": "x"}]}})
    gate = Gate.parse(EVERY_TYPE)
    assert gate.run(root) == gate.run(str(root)) == gate.run(Tree.scan(root))


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Gate.parse([]).run(tmp_path / "nothing")


def test_an_outcome_becomes_the_record_of_a_verdict(bundle: Bundle) -> None:
    (outcome,) = Gate.parse(EVERY_TYPE[:1]).run(bundle({"x": "x"}))
    assert [field.name for field in fields(Outcome)] == [f.name for f in fields(PrecheckResult)]
    assert asdict(PrecheckResult(**asdict(outcome))) == asdict(outcome)


class CountingTree(Tree):
    """Notes every file that is read whole."""

    reads: list[str]

    def read(self, file: File, max_bytes: int) -> bytes:
        self.reads.append(file.path)
        return super().read(file, max_bytes)


@pytest.mark.parametrize("order", [EVERY_TYPE, EVERY_TYPE[::-1]])
@pytest.mark.parametrize("broken", ["", "oops"])
def test_each_file_is_parsed_once_in_a_run(
    bundle: Bundle, order: list[dict[str, Any]], broken: str
) -> None:
    root = bundle(
        {
            "state.json": json.dumps({"phases": {"x": "done"}}) + broken,
            "findings.json": {"findings": []},
            "other.json": "[]",
        }
    )
    scanned = Tree.scan(root)
    tree = CountingTree(scanned.root, scanned.files, scanned.skipped)
    object.__setattr__(tree, "reads", [])
    Gate.parse([spec for spec in order if spec["type"] != "file_complete"]).run(tree)
    assert sorted(tree.reads) == ["findings.json", "other.json", "state.json"]


def test_one_gate_runs_on_many_bundles_at_once(tmp_path: Path) -> None:
    gate = Gate.parse(EVERY_TYPE)
    roots = []
    for number in range(20):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "state.json").write_text(json.dumps({"phases": {}, "a.b": number}))
        (root / "findings.json").write_text(
            json.dumps({"findings": [{"a": "state.json"}] * number})
        )
        roots.append(root)
    one_by_one = [gate.run(root) for root in roots]
    started = threading.Barrier(4)

    def run(root: Path) -> tuple[Outcome, ...]:
        if root in roots[:4]:
            started.wait(timeout=10)
        return gate.run(root)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, roots)) == one_by_one


def test_ten_megabytes_in_a_value_do_not_reach_the_outcome(bundle: Bundle) -> None:
    huge = "x" * 10_000_000
    root = bundle(
        {
            "state.json": {"phases": huge, "a.b": huge},
            "findings.json": {"findings": [{"a": huge}, huge, {huge: huge}]},
        }
    )
    for outcome in Gate.parse(EVERY_TYPE).run(root):
        assert len(json.dumps(asdict(outcome))) < 20_000


def test_a_million_keys_do_not_reach_the_outcome(bundle: Bundle) -> None:
    root = bundle({"state.json": {"phases": {str(number): None for number in range(1_000_000)}}})
    outcome = Gate.parse([EVERY_TYPE[3]]).run(root)[0]
    assert outcome.message.startswith("state.json: phases: 1,000,000 of 1,000,000 values")
    assert len(json.dumps(asdict(outcome))) < 20_000


class Misbehaving(Parameters):
    """For this module's tests."""

    type: Literal["test_misbehaving"]
    way: str


@precheck(Misbehaving)
def misbehaving(spec: Misbehaving, view: View) -> Held:
    """Behave in one of the ways a plugin should not."""
    if spec.way == "flood":
        text = "x" * 1_000_000
        raise UnmetError(text, observed=[text] * 1_000, details=(text,) * 1_000)
    error = {"memory": MemoryError, "recursion": RecursionError, "bug": KeyError}[spec.way]
    raise error("what went wrong")


@pytest.mark.parametrize("way", ["recursion", "bug"])
def test_a_check_that_breaks_is_no_judgement_on_the_bundle(tmp_path: Path, way: str) -> None:
    gate = Gate.parse([{"type": "test_misbehaving", "way": way}])
    with pytest.raises(CheckCrashedError, match=r"prechecks\[0\] test_misbehaving broke: .*wrong"):
        gate.run(tmp_path)


def test_want_of_memory_is_no_judgement_on_the_bundle(tmp_path: Path) -> None:
    gate = Gate.parse([{"type": "test_misbehaving", "way": "memory"}])
    with pytest.raises(MemoryError):
        gate.run(tmp_path)


def test_a_check_that_floods_is_cut(tmp_path: Path) -> None:
    (outcome,) = Gate.parse([{"type": "test_misbehaving", "way": "flood"}]).run(tmp_path)
    assert outcome.message.endswith("… (1,000,000 characters)")
    assert len(outcome.message) < MAX_MESSAGE_CHARACTERS + 50
    assert len(json.dumps(asdict(outcome))) < 1_000_000


keys = st.sampled_from(["phases", "findings", "a", "b", "a.b", "x\ud800", "\u202e", "日"])
texts = st.sampled_from(["", "done", "state.json", "../x", "/x", "\x1b[31m", "\u200b", "a" * 500])
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)
contents = st.one_of(
    documents.map(lambda document: json.dumps(document).encode()),
    documents.map(lambda document: b" " * (SMALL_JSON_BYTES + 1) + json.dumps(document).encode()),
    st.binary(max_size=30),
)
member_names = st.sampled_from(
    [b"state.json", b"findings.json", b"x/state.json", b"x/\xff\n.json", b"**", b"[a].json"]
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("places")


@settings(max_examples=300)
@given(files=st.dictionaries(member_names, contents, max_size=5), link=st.booleans())
def test_no_bundle_makes_a_gate_raise_or_say_what_cannot_be_written(
    places: Path, files: dict[bytes, bytes], link: bool
) -> None:
    root = places / str(len(list(places.iterdir())))
    (root / "x").mkdir(parents=True)
    for name, content in files.items():
        with open(os.fsencode(root) + b"/" + name, "wb") as stream:  # noqa: PTH123  # bytes
            stream.write(content)
    if link:
        (root / "x" / "link.json").symlink_to("/etc/passwd")
    outcomes = Gate.parse(EVERY_TYPE).run(root)
    assert len(outcomes) == len(EVERY_TYPE)
    for outcome in outcomes:
        text = json.dumps(asdict(outcome), ensure_ascii=False, allow_nan=False)
        assert text.encode()
        assert outcome.message.isprintable()


PATHS = (
    *(
        "",
        "a",
        "a.b",
        "a[0]",
        "[*]",
        "a[*].b",
        "a.*.b",
        "*.*",
        "$..a",
        "$..a..b",
        "a..*",
        "$..*..*",
    ),
    *(
        "['a.b']",
        "a[0:2]",
        "a[?(@.b == 1)].a",
        "a.`len`",
        "a.`keys`",
        "a | b",
        "a[0, 1]",
        "`parent`",
    ),
)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=30)
@given(
    document=st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["a", "b", "a.b"]), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_no_path_meets_a_document_that_makes_a_gate_raise(
    places: Path, path: str, document: Any
) -> None:
    place = {"file": "d.json", "path": path}
    side = {"file": "d.json", "field": path}
    checks: list[dict[str, Any]] = [
        {"type": "map_values_in", **place, "allowed": [1]},
        {"type": "count_equals", "left": side, "right": {"file": "d.json", "len": path}},
        {"type": "field_any_non_empty", "file": "d.json", "array": path, "fields": [path, "a"]},
        {"type": "refs_exist", "file": "d.json", "array": path, "field": path, "in": "bundle"},
        {"type": "refs_exist", "file": "d.json", "array": "a", "field": path, "in": place},
    ]
    (places / "d.json").write_text(json.dumps(document))
    tree = Tree(places, (File("d.json", 1),))
    assert len(Gate.parse(checks).run(tree)) == len(checks)
