"""Whether a process grows, and what /proc says of one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import procfs
from bench.sampling import Sample, growth


def test_growth_is_the_slope_of_a_warm_process() -> None:
    cold = [Sample(judged, 10**9, 0, 0) for judged in range(5)]
    warm = [Sample(judged, 1_000 + 3 * judged, 0, 0) for judged in range(20, 100, 10)]

    assert growth([*cold, *warm], 100, lambda one: one.resident) == pytest.approx(3)


def test_too_few_samples_are_no_growth() -> None:
    samples = [Sample(judged, 1, 1, 1) for judged in (30, 30, 50, 70)]

    with pytest.raises(ValueError, match="only 4 samples"):
        growth(samples, 100, lambda one: one.resident)


def test_a_tree_of_processes_counts_all_of_them(tmp_path: Path) -> None:
    work = "import sys; [i * i for i in range(3_000_000)]; print(flush=True); sys.stdin.read()"
    parent = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1]]); "
        "child.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent, work],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the child has worked
        pids = procfs.tree(process.pid)

        assert pids[0] == process.pid
        assert len(pids) == 2
        assert procfs.cpu_s(pids) > procfs.cpu_s(pids[:1]) > 0
        assert procfs.proportional_bytes(pids) > procfs.proportional_bytes(pids[:1]) > 0
        process.communicate()


def test_open_files_of_this_process_are_counted(tmp_path: Path) -> None:
    before = procfs.open_files(os.getpid())
    with (tmp_path / "file").open("w"):
        assert procfs.open_files(os.getpid()) == before + 1
    assert procfs.resident_bytes(os.getpid()) > 1024 * 1024


def test_a_process_that_is_gone_counts_as_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()

    assert procfs.cpu_s([process.pid]) == 0
    assert procfs.resident_bytes(process.pid) == 0
    assert procfs.open_files(process.pid) == 0
