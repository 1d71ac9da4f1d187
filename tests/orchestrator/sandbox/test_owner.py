"""A container's owner is dead only when that is certain."""

import subprocess
import sys
from dataclasses import replace

import pytest

from judge_bundles.sandbox.owner import BOOT, HOST, PROCESS, STARTED, Owner, is_dead


def labels(owner: Owner) -> dict[str, str]:
    return owner.labels("run", "entry")


def test_this_process_is_alive() -> None:
    assert not is_dead(labels(Owner.this_process()))


def test_a_process_that_has_ended_is_dead() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    assert is_dead(labels(replace(Owner.this_process(), pid=ended.pid, started="1")))


def test_a_process_id_that_is_used_again_does_not_keep_the_dead_alive() -> None:
    assert is_dead(labels(replace(Owner.this_process(), started="1")))


def test_an_earlier_boot_is_dead_wherever_it_was() -> None:
    assert is_dead(labels(replace(Owner.this_process(), host="elsewhere", boot="earlier")))


def test_nothing_is_known_of_another_host() -> None:
    assert not is_dead(labels(replace(Owner.this_process(), host="elsewhere", pid=1, started="1")))


@pytest.mark.parametrize("missing", [HOST, PROCESS, BOOT])
def test_a_container_with_half_the_labels_is_left_alone(missing: str) -> None:
    known = labels(Owner.this_process())

    assert not is_dead({name: value for name, value in known.items() if name != missing})


@pytest.mark.parametrize("pid", ["", "x", "-1", "²", "1 2"])
def test_a_process_id_that_is_none_is_left_alone(pid: str) -> None:
    assert not is_dead({**labels(Owner.this_process()), PROCESS: pid})


def test_a_container_without_labels_is_left_alone() -> None:
    assert not is_dead({})


def test_an_entry_is_labelled_by_its_hash_whatever_its_name() -> None:
    owner = Owner.this_process()

    hashes = {owner.labels("r", name)["judge-bundles.entry"] for name in ("a", "b", "\udcff")}

    assert len(hashes) == 3
    assert all(len(value) == 16 for value in hashes)


def test_the_start_time_is_part_of_the_labels() -> None:
    assert labels(Owner.this_process())[STARTED].isdigit()
