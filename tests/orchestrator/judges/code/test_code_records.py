"""What judges of one bundle share, and what none of them sees of another."""

import json
import os
from pathlib import Path
from typing import Any

from judge_bundles.judge_code.records import Records
from judge_bundles.judges.code.runner import CodeAnswer
from judge_bundles.record import Record, RecordPaths
from judge_prechecks.tree import Tree
from tests.orchestrator.record.bundles import STREAM, write
from tests.support.judge_code import all_evaluated, bundle, check, prompt, rendered, seen

FILES: dict[str, Any] = {
    "events.jsonl": json.dumps(STREAM[0]) + "\nbroken\n" + "\n".join(map(json.dumps, STREAM[1:])),
    "report.md": "# R",
    "annotations.json": {"tags": ["a"]},
}
SPOILS = (
    "outputs['events'].clear()\n"
    "outputs['tool_calls'][0]['input']['file_path'] = 'changed'\n"
    "outputs['files']['report.md'] = 'changed'\n"
    "outputs['annotations']['tags'].append('b')\n"
    "return outputs['files']['report.md'] == 'changed'"
)
LOOKS = (
    "call = outputs['tool_calls'][0]\n"
    "return len(outputs['events']), ' '.join([call['input']['file_path'],"
    " outputs['files']['report.md'], str(outputs['annotations'])])"
)


def described(tree: Tree) -> dict[str, Any]:
    return {
        "root": str(tree.root),
        "files": [(file.path, file.size) for file in tree.files],
        "skipped": [(one.path, one.kind) for one in tree.skipped],
    }


def test_no_judge_sees_what_another_changed(tmp_path: Path) -> None:
    judges = [check(LOOKS, "before"), check(SPOILS, "spoils"), check(LOOKS, "after")]
    found = all_evaluated(judges, bundle(tmp_path, FILES))
    spoils, before = found["spoils"], found["before"]
    assert isinstance(spoils, CodeAnswer)
    assert spoils.value is True
    assert before == found["after"]
    assert isinstance(before, CodeAnswer)
    assert (before.value, before.rationale) == (
        len(STREAM),
        "/work/project/docs/setup.md # R {'tags': ['a']}",
    )


def test_a_record_of_a_kept_trajectory_is_the_one_that_is_read(tmp_path: Path) -> None:
    tree = write(tmp_path, FILES)
    records = Records()
    fresh = Record.of(tree)
    for _ in range(3):
        record = records.record(described(tree), RecordPaths())
        assert dict(record) == dict(fresh)
        assert record.notes == fresh.notes
        assert record.trajectory == fresh.trajectory
        assert any("1 broken line skipped" in note for note in record.notes)


def test_a_trajectory_is_read_from_disk_once(tmp_path: Path) -> None:
    tree = write(tmp_path, FILES)
    records = Records()
    first = records.record(described(tree), RecordPaths())["tool_calls"]
    (tmp_path / "events.jsonl").unlink()  # whoever would read it again finds nothing
    second = records.record(described(tree), RecordPaths())["tool_calls"]
    assert second == first
    assert second is not first


def test_trajectories_are_kept_within_a_budget_and_the_oldest_goes_first(tmp_path: Path) -> None:
    trees = [write(tmp_path / str(number), FILES) for number in range(3)]
    one = Records()
    one.record(described(trees[0]), RecordPaths())["events"]
    size = sum(kept.size for kept in one._kept.values())
    records = Records(max_bytes=2 * size)
    for number in (0, 1, 0, 2):
        records.record(described(trees[number]), RecordPaths())["events"]
    assert [key[0] for key in records._kept] == [str(trees[0].root), str(trees[2].root)]
    small = Records(max_bytes=size - 1)
    assert small.record(described(trees[0]), RecordPaths())["events"]
    assert not small._kept


def test_other_paths_for_the_events_are_another_trajectory(tmp_path: Path) -> None:
    tree = write(tmp_path, {**FILES, "other.jsonl": STREAM[:4]})
    records = Records()
    lengths = [
        len(records.record(described(tree), RecordPaths(events=events))["events"])
        for events in (None, "other.jsonl", None)
    ]
    assert lengths == [len(STREAM), 4, len(STREAM)]


def test_a_bundle_without_a_trajectory_has_none_each_time(tmp_path: Path) -> None:
    tree = write(tmp_path, {"a.md": "x", "events.json": "[broken"})
    records = Records()
    notes = []
    for _ in range(2):
        record = records.record(described(tree), RecordPaths())
        assert record.trajectory is None
        notes.append(record.notes)
    assert notes[0] == notes[1] != ()


def test_names_that_are_no_text_travel_to_the_process(tmp_path: Path) -> None:
    odd = os.fsdecode(b"r\xe9port\n.md")
    (tmp_path / odd).write_text("odd")
    (tmp_path / "link").symlink_to("/etc/passwd")
    source = "return outputs['files'] == {'r\\\\xe9port\\\\n.md': 'odd'}, outputs['main_content']"
    answer = all_evaluated([check(source)], seen(tmp_path))["c"]
    assert answer == CodeAnswer(True, "odd", ())
    assert "r\\xe9port\\n.md (3 bytes)" in rendered(prompt("{{ outputs }}"), seen(tmp_path)).text
