"""The list of system calls: short, for both processors, and without what leads out of a container."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.limits import SANDBOX_RUNTIME_THREADS
from judge_bundles.sandbox.proof.trial import MACHINES, NUMBERS

PROFILE: dict[str, Any] = json.loads(
    resources.files("judge_bundles.sandbox").joinpath("seccomp.json").read_bytes()
)
ALLOWED = [
    name
    for rule in PROFILE["syscalls"]
    if rule["action"] == "SCMP_ACT_ALLOW"
    for name in rule["names"]
]
MOST = 72
"""Seen on x86_64 were 41 and clone; each further one has its reason beside it in the profile."""
STANDS_IN_ON_ARM64 = {
    "access": "faccessat",
    "epoll_wait": "epoll_pwait",
    "lstat": "newfstatat",
    "poll": "ppoll",
    "readlink": "readlinkat",
    "stat": "newfstatat",
}
ONLY_ON_X86_64 = {"arch_prctl"}


def kernel_numbers(machine: str) -> dict[str, int]:
    """Return every system call of Linux 6.1 on a machine with its number."""
    lines = (Path(__file__).parent / f"data/system-calls-{machine}.txt").read_text().splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {name: int(number) for name, number in pairs}


@pytest.mark.parametrize(("machine", "absent"), [("x86_64", set()), ("aarch64", None)])
def test_every_listed_call_is_one_of_the_kernels(machine: str, absent: set[str] | None) -> None:
    known = kernel_numbers(machine)
    expected = {*STANDS_IN_ON_ARM64, *ONLY_ON_X86_64} if absent is None else absent

    assert set(ALLOWED) - known.keys() == expected
    assert len(known) > 300


@pytest.mark.parametrize("call", STANDS_IN_ON_ARM64)
def test_what_arm64_does_not_have_is_listed_in_its_newer_form(call: str) -> None:
    assert STANDS_IN_ON_ARM64[call] in ALLOWED
    assert STANDS_IN_ON_ARM64[call] in kernel_numbers("aarch64")


@pytest.mark.parametrize("machine", MACHINES)
def test_attacks_know_the_right_numbers(machine: str) -> None:
    known = kernel_numbers(machine)

    assert {name: numbers[MACHINES.index(machine)] for name, numbers in NUMBERS.items()} == {
        name: known[name] for name in NUMBERS
    }


def test_the_guide_counts_right() -> None:
    guide = (Path(__file__).parents[3] / "docs/sandbox.md").read_text("utf-8")

    assert f"has {len(ALLOWED)} names" in guide
    assert f"{SANDBOX_RUNTIME_THREADS} come on top of `pids`" in guide


def test_every_group_says_why_it_is_there() -> None:
    assert all(len(rule["comment"]) > 20 for rule in PROFILE["syscalls"])


def test_everything_that_is_not_listed_is_refused() -> None:
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"


def test_both_processors_are_named() -> None:
    assert [arch["architecture"] for arch in PROFILE["archMap"]] == [
        "SCMP_ARCH_X86_64",
        "SCMP_ARCH_AARCH64",
    ]
    assert not any(arch["subArchitectures"] for arch in PROFILE["archMap"])


def test_no_call_is_listed_twice() -> None:
    assert len(ALLOWED) == len(set(ALLOWED))
    assert len(ALLOWED) <= MOST


@pytest.mark.parametrize(
    "call",
    [
        *("socket", "socketpair", "connect", "bind", "listen", "accept4", "sendto", "sendmsg"),
        *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"),
        *("mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "fsopen"),
        *("bpf", "perf_event_open", "io_uring_setup", "userfaultfd", "keyctl", "add_key"),
        *("init_module", "finit_module", "kexec_load", "reboot", "swapon", "settimeofday"),
        *("open_by_handle_at", "name_to_handle_at", "memfd_create", "mknodat", "prctl"),
        *("setuid", "setgid", "setgroups", "setresuid", "capset", "seccomp", "personality"),
    ],
)
def test_what_leads_out_is_not_listed(call: str) -> None:
    assert call not in ALLOWED


def test_a_child_can_be_started_only_without_new_namespaces() -> None:
    [rule] = [rule for rule in PROFILE["syscalls"] if rule["names"] == ["clone"]]
    new_namespaces = 0x7E020000  # user, pid, net, uts, ipc, cgroup, mount

    assert rule["args"] == [
        {"index": 0, "value": new_namespaces, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    ]


def test_the_newer_way_to_start_a_child_is_said_not_to_exist() -> None:
    # Its flags lie in memory, where no filter sees them; the C library then takes the older way.
    [rule] = [rule for rule in PROFILE["syscalls"] if rule["names"] == ["clone3"]]

    assert (rule["action"], rule["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)
