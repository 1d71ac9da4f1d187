"""A proof that cannot fail proves nothing: without its defence, each attack is seen to succeed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.proof.attack import ATTACKS, load
from judge_bundles.sandbox.proof.decoy import Decoy, decoy
from judge_bundles.sandbox.proof.prove import attempt
from judge_bundles.sandbox.proof.target import Launch, Target
from tests.support.weak_containers import ROOT, UNFILTERED, Credulous, mounted, tmpfs, without

pytestmark = pytest.mark.docker
load()

TMP = "mode=1777,noexec,nosuid,nodev"
ENGINE = "/var/run/docker.sock"


def able(*capabilities: str) -> Launch:
    """Return a container whose user is root, with some capabilities and any system call."""
    return without({**UNFILTERED, "CapAdd": list(capabilities)}, user=ROOT)


WEAK: dict[str, Launch] = {
    "interfaces": without({"NetworkMode": "host"}),
    "host-loopback": without({"NetworkMode": "host", **UNFILTERED}),
    "raw-socket": able("NET_RAW"),
    "vsock": without(UNFILTERED),
    "kernel-sockets": without(UNFILTERED),
    "io-uring": without(UNFILTERED),
    "keyctl": without(UNFILTERED),
    "ptrace": without(UNFILTERED),
    "namespaces": without(UNFILTERED),
    "kernel-doors": without(UNFILTERED),
    "bpf": able("SYS_ADMIN"),
    "mounts": able("SYS_ADMIN"),
    "clock-and-name": able("SYS_ADMIN"),
    "become-root": able("SETUID", "SETGID"),
    "rights": able("CHOWN"),
    "set-uid": without({"SecurityOpt": ["seccomp=unconfined"]}),
    "write-root": without({"ReadonlyRootfs": False}, user=ROOT),
    "kernel-files": without({"ReadonlyPaths": [], "MaskedPaths": []}, user=ROOT),
    "shared-memory": without({"IpcMode": "private"}),
    "devices": without(
        {
            "Devices": [
                {
                    "PathOnHost": "/dev/null",
                    "PathInContainer": "/dev/kvm",
                    "CgroupPermissions": "rw",
                }
            ]
        }
    ),
    "run-from-tmp": without(tmpfs("mode=1777,exec")),
    "fill-tmp": without(tmpfs(f"{TMP},size=64m")),
    "fill-tmp-inodes": without(tmpfs(f"{TMP},nr_inodes=10000")),
    "fork-bomb": without({"PidsLimit": 0}),
    "memory": without({"Memory": 0, "MemorySwap": 0}),
    "open-files": without({"Ulimits": []}),
    "core-dumps": without({"Ulimits": [{"Name": "core", "Soft": -1, "Hard": -1}]}),
    "cpu-quota": without({"NanoCpus": 0}),
    "fill-the-log": without({"LogConfig": {"Type": "json-file", "Config": {}}}),
    "environment": without({}, environment=("ANTHROPIC_API_KEY=sk-ant-JBCANARY-0123456789",)),
    "namespaces-shared": without({"PidMode": "host"}),
}
WEAK_TOOLS = ("endless-pattern", "links", "paths", "huge-window", "endless-loop", "flood-stdout")


@pytest.fixture
def shown() -> Iterator[Decoy]:
    with decoy() as made:
        yield made


@pytest.mark.parametrize("name", WEAK)
def test_an_attack_succeeds_where_its_defence_is_missing(
    name: str, docker_engine: Engine, shown: Decoy
) -> None:
    result = attempt(Target(docker_engine, shown, launched=WEAK[name]), ATTACKS[name])

    assert result.outcome == "broken", result


def with_mounts(shown: Decoy, tmp_path: Path, name: str) -> list[dict[str, Any]]:
    telling = tmp_path / "audit-of-a-client"
    telling.mkdir()
    root = str(shown.root)
    return {
        "write-bundle": [mounted("/bundle", root, read_only=False)],
        "other-bundles": [
            mounted("/bundle", root),
            mounted(str(shown.secret.parent), str(shown.secret.parent)),
        ],
        "mounts-seen": [mounted("/bundle", str(telling))],
        "host-files": [mounted("/bundle", root), mounted(ENGINE, ENGINE)],
    }[name]


@pytest.mark.parametrize("name", ["write-bundle", "other-bundles", "mounts-seen", "host-files"])
def test_an_attack_succeeds_where_too_much_is_mounted(
    name: str, docker_engine: Engine, shown: Decoy, tmp_path: Path
) -> None:
    weak = without({"Mounts": with_mounts(shown, tmp_path, name)})
    result = attempt(Target(docker_engine, shown, launched=weak), ATTACKS[name])

    assert result.outcome == "broken", result


@pytest.mark.parametrize("name", WEAK_TOOLS)
def test_an_attack_on_the_tools_succeeds_where_they_give_everything_to_anyone(
    name: str, docker_engine: Engine, shown: Decoy
) -> None:
    result = attempt(Credulous(docker_engine, shown), ATTACKS[name])

    assert result.outcome == "broken", result


def test_what_is_not_shown_to_fail_here_is_known() -> None:
    needs_a_way_out_of_this_machine = {"outside-address", "name-lookup"}
    needs_a_kernel_with_modules = {"modules"}
    is_as_its_twin = {"flood-stderr"}
    mounts = {"write-bundle", "other-bundles", "mounts-seen", "host-files"}
    shown_to_fail = {*WEAK, *WEAK_TOOLS, *mounts}

    assert set(ATTACKS) - shown_to_fail == {
        *needs_a_way_out_of_this_machine,
        *needs_a_kernel_with_modules,
        *is_as_its_twin,
    }
