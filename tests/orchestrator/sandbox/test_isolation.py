"""In doubt a container is not isolated."""

from typing import Any

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.limits import SANDBOX_USER
from judge_bundles.sandbox.isolation import (
    engine_problems,
    option_problems,
    reported_problems,
    require_as_asked,
    require_isolated,
)

ZERO = "0000000000000000"
HELLO: dict[str, Any] = {
    "protocol": 1,
    "kernel": "6.1.0",
    "uid": SANDBOX_USER,
    "gid": SANDBOX_USER,
    "interfaces": ["lo"],
    "bundle_read_only": True,
    "root_read_only": True,
    "no_new_privileges": True,
    "capabilities": dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), ZERO),
    "seccomp": "2",
}
ASKED = {"NetworkMode": "none", "Memory": 1, "Mounts": [{"Target": "/bundle"}]}
CONTAINER: dict[str, Any] = {
    "HostConfig": {"NetworkMode": "none", "Memory": 1, "Privileged": False, "CapAdd": None},
    "Config": {"User": f"{SANDBOX_USER}:{SANDBOX_USER}"},
    "Mounts": [{"Destination": "/bundle", "RW": False}],
}
INFO: dict[str, Any] = {
    "OSType": "linux",
    "MemoryLimit": True,
    "SwapLimit": True,
    "CpuCfsQuota": True,
    "PidsLimit": True,
    "SecurityOptions": ["name=seccomp,profile=default"],
}


def test_an_isolated_container_has_no_problems() -> None:
    assert reported_problems(HELLO) == []
    require_isolated(HELLO)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"interfaces": ["eth0", "lo"]}, "eth0"),
        ({"interfaces": []}, "network"),
        ({"interfaces": None}, "network"),
        ({"uid": 0}, "user id 0"),
        ({"uid": 65534}, "user id"),
        ({"uid": True}, "user id"),
        ({"gid": 0}, "group id"),
        ({"no_new_privileges": False}, "privileges"),
        ({"no_new_privileges": "1"}, "privileges"),
        ({"seccomp": "0"}, "filtered"),
        ({"seccomp": None}, "filtered"),
        ({"bundle_read_only": False}, "bundle"),
        ({"root_read_only": False}, "root file system"),
        ({"capabilities": None}, "capabilities"),
        ({"capabilities": {}}, "capabilities"),
        ({"capabilities": {**HELLO["capabilities"], "CapEff": "0000000000000400"}}, "capabilities"),
        ({"capabilities": {**HELLO["capabilities"], "CapBnd": ""}}, "capabilities"),
    ],
)
def test_each_hole_is_named_and_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(JudgementError) as raised:
        require_isolated({**HELLO, **change})
    assert raised.value.kind == "sandbox_isolation"
    assert said in raised.value.message


def test_a_report_that_leaves_something_out_is_refused() -> None:
    for name in HELLO.keys() - {"protocol", "kernel"}:
        assert reported_problems({key: value for key, value in HELLO.items() if key != name})


GVISOR = HELLO | {
    "kernel": "4.4.0",
    "seccomp": "0",
    "capabilities": HELLO["capabilities"] | {"CapAmb": None},
}


def test_a_kernel_of_the_runtimes_own_needs_no_filter_before_the_engines() -> None:
    assert reported_problems(GVISOR, engine_kernel="6.1.0") == []
    require_isolated(GVISOR, engine_kernel="6.1.0")
    require_isolated(HELLO, engine_kernel="6.1.0")


@pytest.mark.parametrize(
    ("change", "engine_kernel"),
    [
        ({}, None),
        ({}, ""),
        ({"kernel": "6.1.0"}, "6.1.0"),
        ({"kernel": None}, "6.1.0"),
        ({"kernel": ""}, "6.1.0"),
        ({"kernel": 4}, "6.1.0"),
    ],
)
def test_a_kernel_that_may_be_the_engines_gets_no_allowance(
    change: dict[str, Any], engine_kernel: str | None
) -> None:
    assert reported_problems(GVISOR | change, engine_kernel=engine_kernel) == [
        "system calls are not filtered",
        "capabilities are held",
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"interfaces": ["eth0", "lo"]},
        {"uid": 0},
        {"no_new_privileges": False},
        {"bundle_read_only": False},
        {"root_read_only": False},
        {"capabilities": GVISOR["capabilities"] | {"CapEff": "1"}},
        {"capabilities": GVISOR["capabilities"] | {"CapEff": None}},
        {"capabilities": GVISOR["capabilities"] | {"CapAmb": "1"}},
        {"capabilities": {}},
    ],
)
def test_a_kernel_of_its_own_excuses_nothing_else(change: dict[str, Any]) -> None:
    assert reported_problems(GVISOR | change, engine_kernel="6.1.0")


def test_options_taken_as_asked_are_no_problem() -> None:
    assert option_problems(ASKED, CONTAINER) == []
    require_as_asked(ASKED, CONTAINER)


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("HostConfig", {"NetworkMode": "default"}, "NetworkMode is 'default'"),
        ("HostConfig", {"Memory": 0}, "Memory is 0"),
        ("HostConfig", {"Privileged": True}, "Privileged is on"),
        ("HostConfig", {"CapAdd": ["SYS_ADMIN"]}, "CapAdd is not empty"),
        ("HostConfig", {"Devices": [{}]}, "Devices is not empty"),
        ("Config", {"User": ""}, "User is ''"),
    ],
)
def test_options_that_the_engine_changed_are_refused(
    part: str, change: dict[str, Any], said: str
) -> None:
    container = {**CONTAINER, part: {**CONTAINER[part], **change}}

    with pytest.raises(JudgementError) as raised:
        require_as_asked(ASKED, container)

    assert raised.value.kind == "sandbox_isolation"
    assert said in raised.value.message


@pytest.mark.parametrize(
    "mounts",
    [
        [],
        [{"Destination": "/bundle", "RW": True}],
        [{"Destination": "/bundle", "RW": False}, {"Destination": "/data", "RW": True}],
    ],
)
def test_only_the_bundle_is_mounted(mounts: list[dict[str, Any]]) -> None:
    assert option_problems(ASKED, {**CONTAINER, "Mounts": mounts})


def test_an_engine_that_can_do_everything_has_no_problems() -> None:
    assert engine_problems(INFO) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"MemoryLimit": False}, "limit memory"),
        ({"SwapLimit": False}, "limit swap"),
        ({"CpuCfsQuota": False}, "limit CPU time"),
        ({"PidsLimit": False}, "limit processes"),
        ({"SecurityOptions": None}, "filter system calls"),
        ({"SecurityOptions": ["name=apparmor"]}, "filter system calls"),
        ({"OSType": "windows"}, "run Linux containers"),
    ],
)
def test_what_an_engine_cannot_do_is_named(change: dict[str, Any], said: str) -> None:
    assert engine_problems({**INFO, **change}) == [said]
