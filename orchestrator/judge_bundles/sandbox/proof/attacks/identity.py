"""Be, or become, somebody with rights."""

import ctypes
import os
import signal
import struct

from judge_bundles.sandbox.proof.attack import inside
from judge_bundles.sandbox.proof.trial import Trial


@inside("rights", "hold a capability or a group, or be root")
def rights(trial: Trial) -> None:
    """As the kernel tells it."""
    with open("/proc/self/status", encoding="ascii") as lines:
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    user = str(trial.given["user"])
    for name in ("Uid", "Gid"):
        trial.holds(f"{name} {status[name].split()[0]}", set(status[name].split()) == {user})
    trial.holds(f"groups {status['Groups'] or 'none'}", set(status["Groups"].split()) <= {user})
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        held = status.get(name, "0" if trial.own_kernel else "unknown")
        trial.holds(f"{name} {held}", set(held) == {"0"})
    new_privileges = status.get("NoNewPrivs")
    if new_privileges is None:
        new_privileges = str(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))
    trial.holds(f"NoNewPrivs {new_privileges}", new_privileges == "1")
    trial.holds(
        f"Seccomp {status.get('Seccomp')}", status.get("Seccomp") == "2" or trial.own_kernel
    )


@inside("become-root", "become root or gain a capability")
def become_root(trial: Trial) -> None:
    """By asking for it."""
    trial.refused("setuid(0)", os.setuid, 0)
    trial.refused("setgid(0)", os.setgid, 0)
    trial.refused("setresuid(0, 0, 0)", os.setresuid, 0, 0, 0)
    trial.refused("setgroups([0])", os.setgroups, [0])
    header = struct.pack("Ii", 0x20080522, 0)
    everything = struct.pack("IIIIII", *(0xFFFFFFFF,) * 6)
    trial.kernel_refuses("capset", header, everything)
    trial.holds(f"the user is {os.geteuid()} afterwards", os.geteuid() == trial.given["user"])


@inside("set-uid", "gain rights by running a program with the set-uid bit")
def set_uid(trial: Trial) -> None:
    """Each that the image has is run, and looked at while it runs."""
    names = {
        os.path.realpath(os.path.join(folder, name))
        for folder in ("/bin", "/usr/bin", "/sbin", "/usr/sbin")
        if os.path.isdir(folder)
        for name in os.listdir(folder)
    }
    found = [
        path for path in sorted(names) if os.path.isfile(path) and os.stat(path).st_mode & 0o4000
    ]
    trial.holds(f"the image has {len(found)} such programs", condition=True)
    for path in found:
        quiet = [
            action
            for descriptor in (0, 1, 2)
            for action in (
                (os.POSIX_SPAWN_CLOSE, descriptor),
                (os.POSIX_SPAWN_OPEN, descriptor, "/dev/null", os.O_RDWR, 0),
            )
        ]
        process = os.posix_spawn(path, [path], {}, file_actions=quiet)
        # It is looked at while it runs, or once it has ended and nobody has asked for that yet.
        with open(f"/proc/{process}/status", encoding="ascii") as lines:
            [users] = [line.split()[1:] for line in lines if line.startswith("Uid:")]
        trial.holds(f"{path} runs as {users[1]}", set(users) == {str(trial.given["user"])})
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
