"""What the server says about its box is what the kernel says, or null."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox_image import facts

PR_SET_NO_NEW_PRIVS = 38


def test_everything_the_host_asks_for_is_told(tmp_path: Path) -> None:
    told = facts.hello(os.fspath(tmp_path))

    assert told["kernel"] == os.uname().release
    assert (told["uid"], told["gid"]) == (os.geteuid(), os.getegid())
    assert told["interfaces"] is None or "lo" in told["interfaces"]
    assert told["bundle_read_only"] is False
    assert set(told["capabilities"]) == {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}


@pytest.mark.parametrize(("said", "held"), [("1", True), ("0", False), ("", False)])
def test_what_the_kernel_says_about_new_privileges_counts(said: str, held: bool) -> None:
    assert facts._no_new_privileges(said) is held


def test_where_the_kernel_says_nothing_about_new_privileges_it_is_asked() -> None:
    code = (
        "import ctypes, sys; from sandbox_image import facts\n"
        f"sys.argv[1:] and ctypes.CDLL(None).prctl({PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0)\n"
        "print(facts._no_new_privileges(None))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, check=True, text=True
        ).stdout.strip()
        for arguments in ((), ("set",))
    ]

    own = ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 1
    assert said == [str(own), "True"]


def test_a_mount_is_read_only_when_the_last_one_on_it_is() -> None:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    last = {fields[1]: "ro" in fields[3].split(",") for fields in mounts}
    tried = {path: facts._mounted_read_only(path) for path in last if "\\" not in path}

    assert tried == {path: last[path] for path in tried}
    assert facts._mounted_read_only("/no/such/mount") is False
