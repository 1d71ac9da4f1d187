"""Seen from inside: what a sandbox can reach, hold, write and use up.

As long as it is because of the table of system calls.
"""

import asyncio
import json
import platform
from pathlib import Path
from typing import Any

import pytest

from judge_bundles.limits import (
    MIB,
    SANDBOX_FILE_BYTES,
    SANDBOX_OPEN_FILES,
    SANDBOX_PIDS,
    SANDBOX_TMP_BYTES,
    SANDBOX_TMP_INODES,
    SANDBOX_USER,
)
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.options import SandboxOptions
from tests.support import probe

pytestmark = pytest.mark.docker

EPERM = 1
EROFS = 30
EACCES = 13
ENOSPC = 28
EMFILE = 24

on_x86_64 = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="system calls are tried by their numbers on x86_64"
)

# Name and number on x86_64 of calls that a tool server has no use for.
FORBIDDEN_CALLS = {
    "socket": 41,
    "socketpair": 53,
    "connect": 42,
    "ptrace": 101,
    "process_vm_readv": 310,
    "mount": 165,
    "umount2": 166,
    "chroot": 161,
    "pivot_root": 155,
    "unshare": 272,
    "setns": 308,
    "mknod": 133,
    "mknodat": 259,
    "setuid": 105,
    "setgroups": 116,
    "keyctl": 250,
    "add_key": 248,
    "bpf": 321,
    "perf_event_open": 298,
    "io_uring_setup": 425,
    "userfaultfd": 323,
    "memfd_create": 319,
    "kexec_load": 246,
    "init_module": 175,
    "open_by_handle_at": 304,
    "prctl": 157,
    "link": 86,
    "symlink": 88,
    "sendfile": 40,
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("isolation")
    (root / "report.md").write_text("content\n")
    # Modes that would let anyone write: only the mount stands against it.
    (root / "report.md").chmod(0o666)
    root.chmod(0o777)
    return root


def test_the_kernel_reports_full_isolation(docker_engine: Engine, bundle: Path) -> None:
    code = "import json; from sandbox_image.facts import hello; print(json.dumps(hello('/bundle')))"

    seen = probe.run(docker_engine, bundle, code)

    assert seen["interfaces"] == ["lo"]
    assert (seen["uid"], seen["gid"]) == (SANDBOX_USER, SANDBOX_USER)
    assert set("".join(seen["capabilities"].values())) == {"0"}
    assert seen["no_new_privileges"] is True
    assert seen["seccomp"] == "2"
    assert seen["bundle_read_only"] is True
    assert seen["root_read_only"] is True


def test_no_supplementary_groups_are_held(docker_engine: Engine, bundle: Path) -> None:
    code = """
import json
lines = open('/proc/self/status').read().splitlines()
print(json.dumps([line.split()[1:] for line in lines if line.startswith('Groups:')]))
"""

    assert probe.run(docker_engine, bundle, code) in ([[]], [[str(SANDBOX_USER)]])


def test_no_secret_of_the_host_is_in_any_environment(
    docker_engine: Engine, bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    canary = "sk-ant-JBCANARY-0123456789"
    for name in ("ANTHROPIC_API_KEY", "HTTPS_PROXY", "http_proxy", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, canary)
    # The client would hand proxies of this file to every container if it were let.
    proxies = {"default": {"httpProxy": canary, "httpsProxy": canary, "noProxy": canary}}
    (tmp_path / "config.json").write_text(json.dumps({"proxies": proxies}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    code = """
import json, os
found = {}
for pid in os.listdir('/proc'):
    if pid.isdigit():
        for name in ('environ', 'cmdline'):
            try:
                found[pid + name] = open(f'/proc/{pid}/{name}', 'rb').read().decode('latin-1')
            except OSError as error:
                found[pid + name] = error.strerror
print(json.dumps(found))
"""

    seen = probe.run(docker_engine, bundle, code)

    assert canary not in json.dumps(seen)
    assert "PATH=" in seen["1environ"]
    assert "proxy" not in json.dumps(seen).lower()


@on_x86_64
@pytest.mark.parametrize("call", FORBIDDEN_CALLS)
def test_a_system_call_without_use_is_refused(
    docker_engine: Engine, bundle: Path, call: str
) -> None:
    code = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall({FORBIDDEN_CALLS[call]}, 0, 0, 0, 0, 0, 0)
print([result, ctypes.get_errno()])
"""

    assert probe.run(docker_engine, bundle, code) == [-1, EPERM]


@on_x86_64
@pytest.mark.parametrize("flag", ["CLONE_NEWUSER", "CLONE_NEWNET", "CLONE_NEWNS"])
def test_no_namespace_can_be_made(docker_engine: Engine, bundle: Path, flag: str) -> None:
    flags = {"CLONE_NEWUSER": 0x10000000, "CLONE_NEWNET": 0x40000000, "CLONE_NEWNS": 0x00020000}
    code = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print([libc.syscall(56, {flags[flag] | 17}, 0, 0, 0, 0), ctypes.get_errno()])
"""

    assert probe.run(docker_engine, bundle, code) == [-1, EPERM]


@pytest.mark.parametrize(
    ("path", "errors"),
    [
        ("/bundle/new", {EROFS}),
        ("/bundle/report.md", {EROFS}),
        ("/new", {EROFS}),
        ("/opt/judge-bundles/sandbox_image/server.py", {EACCES}),
        ("/etc/passwd", {EACCES}),
        ("/dev/new", {EACCES}),
        ("/proc/sys/kernel/core_pattern", {EACCES, EROFS}),
        ("/sys/kernel/mm/ksm/run", {EACCES, EROFS}),
    ],
)
def test_nothing_can_be_written(
    docker_engine: Engine, bundle: Path, path: str, errors: set[int]
) -> None:
    code = f"""
try:
    open({path!r}, 'ab').write(b'x')
    print(0)
except OSError as error:
    print(error.errno)
"""

    assert probe.run(docker_engine, bundle, code) in errors
    assert (bundle / "report.md").read_text() == "content\n"


def test_the_only_scratch_space_is_small(docker_engine: Engine, bundle: Path) -> None:
    code = """
import json
written = 0
try:
    for number in range(1000):
        with open(f'/tmp/{number}', 'wb', buffering=0) as file:
            written += file.write(bytes(1024 * 1024))
except OSError as error:
    print(json.dumps([written, error.errno]))
"""

    assert probe.run(docker_engine, bundle, code) == [SANDBOX_TMP_BYTES, ENOSPC]


def test_the_only_scratch_space_holds_few_files(docker_engine: Engine, bundle: Path) -> None:
    code = """
import json
made = 0
try:
    for made in range(1_000_000):
        open(f'/tmp/{made}', 'wb').close()
except OSError as error:
    print(json.dumps([made, error.errno]))
"""

    made, error = probe.run(docker_engine, bundle, code)

    assert SANDBOX_TMP_INODES - 8 <= made <= SANDBOX_TMP_INODES
    assert error == ENOSPC


def test_nothing_in_the_scratch_space_can_be_run(docker_engine: Engine, bundle: Path) -> None:
    code = """
import json
mounts = [line.split() for line in open('/proc/self/mounts')]
print(json.dumps({fields[1]: fields[3].split(',') for fields in mounts}))
"""

    mounts = probe.run(docker_engine, bundle, code)

    assert {"rw", "noexec", "nosuid", "nodev"} <= set(mounts["/tmp"])
    assert "ro" in mounts["/"]
    assert "ro" in mounts["/bundle"]
    assert "/dev/shm" not in mounts


def test_the_scratch_space_is_the_only_folder_that_can_be_written(
    docker_engine: Engine, bundle: Path
) -> None:
    code = """
import json, os
found = []
for folder, folders, _ in os.walk('/'):
    if folder == '/':
        folders.remove('proc')
    if os.access(folder, os.W_OK):
        found.append(folder)
print(json.dumps(found))
"""

    # No message queue can be made, which is all that /dev/mqueue is for: see below.
    assert set(probe.run(docker_engine, bundle, code)) - {"/dev/mqueue"} == {"/tmp"}


def test_no_message_queue_can_be_made(docker_engine: Engine, bundle: Path) -> None:
    code = """
try:
    open('/dev/mqueue/new', 'xb').close()
    print(0)
except OSError as error:
    print(error.errno)
"""

    assert probe.run(docker_engine, bundle, code) == EMFILE


def test_processes_are_counted(docker_engine: Engine, bundle: Path) -> None:
    code = """
import os, signal, time
children = []
try:
    for _ in range(1000):
        child = os.fork()
        if child == 0:
            time.sleep(60)
        children.append(child)
except OSError:
    print(len(children))
for child in children:
    os.kill(child, signal.SIGKILL)
"""

    # The init process and the probe itself count too.
    assert probe.run(docker_engine, bundle, code) == SANDBOX_PIDS - 2


def test_process_limits_are_set(docker_engine: Engine, bundle: Path) -> None:
    code = """
import json, resource
names = ('RLIMIT_NOFILE', 'RLIMIT_CORE', 'RLIMIT_FSIZE')
print(json.dumps([resource.getrlimit(getattr(resource, name)) for name in names]))
"""

    assert probe.run(docker_engine, bundle, code) == [
        [SANDBOX_OPEN_FILES, SANDBOX_OPEN_FILES],
        [0, 0],
        [SANDBOX_FILE_BYTES, SANDBOX_FILE_BYTES],
    ]


def test_memory_and_processors_are_those_of_the_options(
    docker_engine: Engine, bundle: Path
) -> None:
    options = SandboxOptions(memory_bytes=96 * MIB, cpus=0.5, pids=40)
    sandbox = docker_engine.sandbox(bundle, run_id="options", entry_id="e", options=options)

    async def inspect() -> dict[str, Any]:
        async with sandbox:
            assert sandbox.container_id is not None
            found: dict[str, Any] = docker_engine.api.inspect_container(sandbox.container_id)
            return found

    host = asyncio.run(inspect())["HostConfig"]

    assert host["Memory"] == host["MemorySwap"] == 96 * MIB
    assert host["NanoCpus"] == 500_000_000
    assert host["PidsLimit"] == 40
