"""One attack under way: what was tried, and what came of it. Shared by the host and the container.

The text of this file is sent into the container with the attack, so it imports the standard library
only and keeps to Python 3.9. It decides nothing; `attack.result_of` does.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

REFUSALS = frozenset(
    {
        *(errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS, errno.ENODEV, errno.ENXIO),
        *(errno.ENOENT, errno.ENOTDIR, errno.EMFILE, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT),
        *(errno.ESOCKTNOSUPPORT, errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.ECONNREFUSED),
        errno.EHOSTUNREACH,
    }
)
"""What a request is answered with that got nowhere. Anything else means that it was looked at."""
FILTERED = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS})

MACHINES = ("x86_64", "aarch64")
# Of each system call its number on either.
NUMBERS = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "clone": (56, 220),
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "pidfd_open": (434, 434),
    "kcmp": (312, 272),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "syslog": (103, 116),
    "personality": (135, 92),
    "settimeofday": (164, 170),
    "sethostname": (170, 161),
    "swapoff": (168, 225),
    "memfd_create": (319, 279),
    "capset": (126, 91),
}


class Trial:
    """Collects what an attack saw. `given` are the values it was started with."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.facts: dict[str, Any] = {}
        self.held: list[str] = []
        self.broken: list[str] = []
        self.untried: list[str] = []

    @property
    def own_kernel(self) -> bool:
        """True where the runtime answers system calls itself, so that none reaches the engine's."""
        engine_kernel = self.given.get("engine_kernel")
        return bool(engine_kernel) and os.uname().release != engine_kernel

    def refused(self, what: str, action: Callable[..., object], *arguments: object) -> None:
        """It holds when `action` is refused; that it is done, or fails on the way, is a breach."""
        self._attempt(what, action, arguments, REFUSALS, spared=False)

    def machine_refuses(self, what: str, action: Callable[..., object], *arguments: object) -> None:
        """As `refused`; but what a kernel of the runtime answers does the machine no harm."""
        self._attempt(what, action, arguments, REFUSALS, spared=self.own_kernel)

    def kernel_refuses(self, name: str, *arguments: object) -> None:
        """It holds when the system call is refused before the kernel looks at its arguments.

        A kernel that the runtime brings is no part of the machine, so it may answer what it likes.
        """
        self._attempt(name, system_call, (name, *arguments), FILTERED, spared=self.own_kernel)

    def bounded(self, things: str, action: Callable[[int], object], most: int, beyond: int) -> None:
        """Do something again and again; it holds when it is refused after `most` times or before."""
        done, end = 0, "no end"
        try:
            for done in range(most + beyond):
                action(done)
        except OSError as error:
            end = errno.errorcode.get(error.errno or 0, type(error).__name__)
        self.holds(f"{done:,} {things} of at most {most:,}, then {end}", done <= most)

    def holds(self, what: str, condition: object) -> None:
        """State what was found, and whether it is as it must be."""
        (self.held if condition else self.broken).append(what)

    def impossible(self, why: str) -> None:
        """State that something could not be tried."""
        self.untried.append(why)

    def report(self) -> dict[str, Any]:
        """Return everything as JSON."""
        names = ("facts", "held", "broken", "untried")
        return {name: getattr(self, name) for name in names}

    def take(self, report: dict[str, Any]) -> None:
        """Add what a trial elsewhere reported."""
        self.facts.update(report["facts"])
        self.held += report["held"]
        self.broken += report["broken"]
        self.untried += report["untried"]

    def _attempt(
        self,
        what: str,
        action: Callable[..., object],
        arguments: tuple[object, ...],
        refusals: frozenset[int],
        *,
        spared: bool,
    ) -> None:
        try:
            action(*arguments)
        except NoNumberError:
            self.impossible(f"{what}: its number on {os.uname().machine} is not known")
            return
        except OSError as error:
            end = errno.errorcode.get(error.errno or 0, type(error).__name__)
            refused = error.errno in refusals
        else:
            end, refused = "done", False
        by_whom = ", by the kernel of the runtime" if spared and not refused else ""
        self.holds(f"{what}: {end}{by_whom}", refused or spared)


Inside = Callable[[Trial], None]
"""An attack that runs in the container: it may use the standard library and the names of this file."""


def conduct(attack: Inside, given: str) -> None:
    """In the container: make an attack and print its report. Its own fault is no defence."""
    trial = Trial(json.loads(given))
    try:
        attack(trial)
    except Exception as error:  # noqa: BLE001 - whatever it is, it has to be reported
        trial.impossible(f"the attack itself failed: {type(error).__name__}: {error}")
    print(json.dumps(trial.report()), flush=True)


class NoNumberError(Exception):
    """The number of a system call is not known for this processor."""


def open_file(path: str, flags: int = os.O_RDONLY) -> None:
    """Open and close; files that are made may be run."""
    os.close(os.open(path, flags, 0o777))


def make_socket(family: int, kind: int, protocol: int) -> None:
    """Make and close one."""
    socket.socket(family, kind, protocol).close()


def connect(family: int, kind: int, address: Any) -> None:
    """Connect and close; an answer is waited for a second."""
    with socket.socket(family, kind) as connection:
        connection.settimeout(1)
        connection.connect(address)


def greet() -> None:
    """In the container: begin as the tool server does, and wait for the first request."""
    sys.path.append("/opt/judge-bundles")
    facts = importlib.import_module("sandbox_image.facts")
    print(json.dumps({"hello": facts.hello("/bundle")}), flush=True)
    sys.stdin.readline()


def write_all(descriptor: int, size: int) -> None:
    """Write so many bytes, whatever a single write takes."""
    while size > 0:
        size -= os.write(descriptor, b"x" * min(size, 1 << 16))


def system_call(name: str, *arguments: object) -> int:
    """Make a system call by its number; integers, bytes and ctypes buffers are taken."""
    machine = os.uname().machine
    if machine not in MACHINES:
        raise NoNumberError
    number = NUMBERS[name][MACHINES.index(machine)]
    library = ctypes.CDLL(None, use_errno=True)
    passed = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = int(library.syscall(ctypes.c_long(number), *passed))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
