"""See anything of the host, of the run, or of another bundle."""

import os
import re
import socket

from judge_bundles.sandbox.proof.attack import inside, outside
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Trial, open_file

_MEANINGLESS = re.compile(r".*/judge-bundles-[0-9a-f]{16}/[0-9a-f]{16,}|/")
"""Where a bundle may be seen to come from; a runtime with a kernel of its own shows nothing."""
_SET_BY_THE_ENGINE = frozenset(
    {
        *("HOSTNAME=sandbox", "HOME=/"),
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }
)
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "uts")


@outside("environment", "find a key, a proxy or anything else of the host's environment")
def environment(target: Target, trial: Trial) -> None:
    """Whatever is neither the image's nor the engine's is a leak, whatever it is. Only names are told."""
    target.send(read_environments, trial)
    found: dict[str, str] = trial.facts.pop("environments", {})
    expected = _SET_BY_THE_ENGINE | target.image_environment()
    for process, text in found.items():
        entries = {entry for entry in text.split("\0") if entry}
        surplus = sorted(entry.partition("=")[0] for entry in entries - expected)
        said = f"beyond the image's {', '.join(surplus) or 'nothing'}"
        trial.holds(f"process {process} has {len(entries)} variables, {said}", not surplus)


def read_environments(trial: Trial) -> None:
    """Sent by `environment`."""
    found = {}
    for process in os.listdir("/proc"):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                found[process] = file.read(100_000).decode("latin-1")
        except OSError:
            continue
    trial.facts["environments"] = found


@outside("other-bundles", "read another bundle of the run")
def other_bundles(target: Target, trial: Trial) -> None:
    """It lies beside this one on the host."""
    decoy = target.decoy
    target.send(read_neighbour, trial, secret=str(decoy.secret), token=decoy.token)


def read_neighbour(trial: Trial) -> None:
    """Sent by `other_bundles`."""
    secret = trial.given["secret"]
    name, folder = os.path.basename(secret), os.path.basename(os.path.dirname(secret))
    for path in (
        secret,
        f"/proc/1/root{secret}",
        f"/proc/self/root{secret}",
        f"/bundle/../{folder}/{name}",
        f"/bundle/../../..{secret}",
        "/bundle/link.txt",
        f"/bundle/linked/{name}",
    ):
        trial.refused(path.replace(folder, "OTHER"), open_file, path)
    above = sorted(os.listdir("/bundle/.."))
    trial.holds("above the bundle is the root of the container", above == sorted(os.listdir("/")))


@outside("mounts-seen", "learn anything from where the bundle is mounted from")
def mounts_seen(target: Target, trial: Trial) -> None:
    """The kernel shows the place on the host, so that place must mean nothing."""
    target.send(read_mounts, trial)
    for source in trial.facts.pop("sources", []):
        trial.holds(f"the bundle comes from {source}", _MEANINGLESS.fullmatch(source))


def read_mounts(trial: Trial) -> None:
    """Sent by `mounts_seen`."""
    with open("/proc/self/mountinfo", encoding="utf-8") as lines:
        mounts = [line.split() for line in lines]
    trial.facts["sources"] = [fields[3] for fields in mounts if fields[4] == "/bundle"]


@inside("host-files", "reach files or services of the host")
def host_files(trial: Trial) -> None:
    """With the engine's socket the whole host could be had."""
    for path in (
        *("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"),
        *("/run/podman/podman.sock", "/run/systemd/private", "/run/dbus/system_bus_socket"),
        *("/var/lib/docker", "/var/lib/containerd", "/host", "/mnt/host", "/rootfs"),
        *("/root/.ssh", "/root/.aws", "/root/.config", "/home/user", "/run/secrets"),
    ):
        trial.refused(path, os.stat, path)
    for path in ("/etc/shadow", "/etc/gshadow", "/etc/ssh/ssh_host_rsa_key"):
        trial.refused(path, open_file, path)
    trial.refused("/root", os.listdir, "/root")


@outside("namespaces-shared", "share a namespace, or the name, with the host")
def namespaces_shared(target: Target, trial: Trial) -> None:
    """Each is compared with this process's own."""
    target.send(read_namespaces, trial)
    inside_ids: dict[str, str] = trial.facts.pop("namespaces", {})
    for name in _NAMESPACES:
        seen = inside_ids.get(name)
        here = os.readlink(f"/proc/self/ns/{name}")
        if seen is not None:
            trial.holds(f"{name} {seen}", seen != here)
        elif not trial.facts.get("own_kernel"):
            trial.impossible(f"the namespace {name} is not told")
    hostname = trial.facts.pop("hostname", "")
    trial.holds(f"it is called {hostname}", hostname == "sandbox" != socket.gethostname())
    processes = trial.facts.pop("processes", [])
    trial.holds(f"{len(processes)} processes are seen", 0 < len(processes) <= 3)


def read_namespaces(trial: Trial) -> None:
    """Sent by `namespaces_shared`."""
    trial.facts["namespaces"] = {}
    for name in ("cgroup", "ipc", "mnt", "net", "pid", "uts"):
        try:
            trial.facts["namespaces"][name] = os.readlink(f"/proc/self/ns/{name}")
        except OSError:
            continue
    trial.facts["own_kernel"] = trial.own_kernel
    trial.facts["hostname"] = os.uname().nodename
    trial.facts["processes"] = [name for name in os.listdir("/proc") if name.isdigit()]
