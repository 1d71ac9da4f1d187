"""Ask the kernel for what a tool server has no use for: each system call is a way out if it has a fault."""

import ctypes
import os
import signal
import socket
import struct
import time

from judge_bundles.sandbox.proof.attack import inside
from judge_bundles.sandbox.proof.trial import Trial, system_call


@inside("io-uring", "use io_uring")
def io_uring(trial: Trial) -> None:
    """It does what other system calls do, past the list of those that are allowed."""
    trial.kernel_refuses("io_uring_setup", 1, ctypes.create_string_buffer(120))


@inside("bpf", "load programs or maps into the kernel (bpf)")
def bpf(trial: Trial) -> None:
    """A map is the least that can be asked for."""
    attributes = ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 8, 1, 0), 128)
    trial.kernel_refuses("bpf", 0, attributes, 72)


@inside("keyctl", "reach the kernel's keyrings")
def keyctl(trial: Trial) -> None:
    """They are not part of any namespace."""
    session = -3
    trial.kernel_refuses("keyctl", 0, session, 1)
    trial.kernel_refuses("add_key", b"user", b"judge-bundles", b"x", 1, session)
    trial.kernel_refuses("request_key", b"user", b"judge-bundles", 0, 0)


@inside("ptrace", "look into or control another process")
def ptrace(trial: Trial) -> None:
    """The other process is a child, which nothing else protects."""
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    attach, seize = 16, 0x4206
    trial.kernel_refuses("ptrace", attach, child, 0, 0)
    trial.kernel_refuses("ptrace", seize, child, 0, 0)
    trial.kernel_refuses("process_vm_readv", child, 0, 0, 0, 0, 0)
    trial.kernel_refuses("pidfd_open", child, 0)
    trial.kernel_refuses("kcmp", child, os.getpid(), 0, 0, 0)
    os.kill(child, signal.SIGKILL)


@inside("namespaces", "make or enter a namespace")
def namespaces(trial: Trial) -> None:
    """A user namespace gives its maker every capability inside, and with them most of the kernel."""
    flags = {
        "user": 0x10000000,
        "mount": 0x00020000,
        "network": 0x40000000,
        "process": 0x20000000,
        "IPC": 0x08000000,
        "UTS": 0x04000000,
        "cgroup": 0x02000000,
    }
    sigchld = 17

    arguments = ctypes.create_string_buffer(
        struct.pack("QQQQQ", flags["user"], 0, 0, 0, sigchld), 88
    )

    def start_child(name: str, *arguments: object) -> None:
        # Where it is allowed, the child goes on from here as well.
        if system_call(name, *arguments) == 0:
            os._exit(0)

    for name, flag in flags.items():
        trial.machine_refuses(f"clone {name}", start_child, "clone", flag | sigchld, 0, 0, 0, 0)
    trial.machine_refuses("clone3 user", start_child, "clone3", arguments, 88)
    trial.kernel_refuses("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0)
    for flag in flags.values():
        trial.kernel_refuses("unshare", flag)


@inside("mounts", "mount, unmount or change the root")
def mounts(trial: Trial) -> None:
    """Read-only mounts could be made writable, masked files be uncovered."""
    bind, remount, clone_tree = 4096, 32, 1
    trial.kernel_refuses("mount", b"none", b"/tmp", b"tmpfs", 0, 0)
    trial.kernel_refuses("mount", b"/proc", b"/tmp", 0, bind, 0)
    trial.kernel_refuses("mount", b"none", b"/bundle", 0, bind | remount, 0)
    trial.kernel_refuses("umount2", b"/bundle", 0)
    trial.kernel_refuses("pivot_root", b"/tmp", b"/tmp")
    trial.kernel_refuses("fsopen", b"tmpfs", 0)
    trial.kernel_refuses("open_tree", -100, b"/", clone_tree)
    trial.kernel_refuses("mount_setattr", -100, b"/bundle", 0, bytes(32), 32)
    trial.refused("chroot", os.chroot, "/tmp")


@inside("modules", "load a kernel module or another kernel")
def modules(trial: Trial) -> None:
    """Nothing that is handed over could be loaded."""
    trial.kernel_refuses("init_module", b"x", 1, b"")
    trial.kernel_refuses("finit_module", 0, b"", 0)
    trial.kernel_refuses("delete_module", b"judge_bundles_none", 0)
    trial.kernel_refuses("kexec_load", 0, 0, 0, 0)
    trial.kernel_refuses("kexec_file_load", 0, 0, 0, b"", 0)


@inside("kernel-doors", "open other doors that faults of the kernel have been reached through")
def kernel_doors(trial: Trial) -> None:
    """Performance events, page faults, file handles, notifications, the kernel's log."""
    software_events = ctypes.create_string_buffer(struct.pack("II", 1, 128), 128)
    trial.kernel_refuses("perf_event_open", software_events, 0, -1, -1, 0)
    trial.kernel_refuses("userfaultfd", 1)
    trial.kernel_refuses("name_to_handle_at", -100, b"/bundle", bytes(144), bytes(8), 0)
    trial.kernel_refuses("open_by_handle_at", -100, bytes(144), 0)
    trial.kernel_refuses("fanotify_init", 0, 0)
    trial.kernel_refuses("syslog", 3, ctypes.create_string_buffer(64), 64)
    trial.kernel_refuses("personality", 0x0400000)
    trial.kernel_refuses("swapoff", b"/nonexistent")


@inside("clock-and-name", "set the clock or the name of the machine")
def clock_and_name(trial: Trial) -> None:
    """Where it were allowed, the clock would be set to what it is."""
    trial.refused("clock_settime", time.clock_settime, time.CLOCK_REALTIME, time.time())
    trial.kernel_refuses("settimeofday", 0, bytes(8))
    trial.refused("sethostname", socket.sethostname, "broken")
