"""The list of system calls: short, for both processors, and without what leads out of a container."""

import json
from importlib import resources
from typing import Any

import pytest

PROFILE: dict[str, Any] = json.loads(
    resources.files("judge_bundles.sandbox").joinpath("seccomp.json").read_bytes()
)
ALLOWED = [
    name
    for rule in PROFILE["syscalls"]
    if rule["action"] == "SCMP_ACT_ALLOW"
    for name in rule["names"]
]


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
    assert len(ALLOWED) < 90


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


@pytest.mark.parametrize(
    "call",
    ["openat", "newfstatat", "dup3", "ppoll", "pipe2", "readlinkat", "faccessat", "epoll_pwait"],
)
def test_calls_that_stand_in_for_older_ones_on_arm64_are_listed(call: str) -> None:
    assert call in ALLOWED
