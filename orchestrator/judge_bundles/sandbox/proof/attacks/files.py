"""Write, run or open what is not the sandbox's own."""

import ctypes
import errno
import os
import stat

from judge_bundles.sandbox.proof.attack import inside
from judge_bundles.sandbox.proof.trial import Trial, open_file, system_call


@inside("write-bundle", "change the bundle")
def write_bundle(trial: Trial) -> None:
    """Its modes would let anyone; only the mount stands against it."""
    report, new = "/bundle/report.md", "/bundle/new"
    trial.refused("new file", open_file, new, os.O_CREAT | os.O_WRONLY)
    trial.refused("new folder", os.mkdir, new)
    trial.refused("append", open_file, report, os.O_APPEND | os.O_WRONLY)
    trial.refused("truncate", os.truncate, report, 0)
    trial.refused("remove", os.unlink, report)
    trial.refused("rename", os.rename, report, new)
    trial.refused("mode", os.chmod, report, 0o600)
    trial.refused("times", os.utime, report)
    trial.refused("link", os.link, report, new)
    trial.refused("symbolic link", os.symlink, report, new)
    read_only = os.fstatvfs(os.open("/bundle", os.O_RDONLY)).f_flag & os.ST_RDONLY
    trial.holds("the mount is read-only", read_only or trial.own_kernel)


@inside("write-root", "write anywhere but in /tmp")
def write_root(trial: Trial) -> None:
    """A few places are tried, and every folder is asked about."""
    for folder in ("", "/root", "/etc", "/usr/bin", "/var/tmp", "/run", "/opt", "/dev"):
        trial.refused(f"{folder}/new", open_file, f"{folder}/new", os.O_CREAT | os.O_WRONLY)
    server = "/opt/judge-bundles/sandbox_image/server.py"
    for path in ("/etc/passwd", "/etc/hosts", server):
        trial.refused(path, open_file, path, os.O_APPEND | os.O_WRONLY)
    elsewhere = ("/proc/", "/dev/mqueue", "/dev/shm")  # each is an attack of its own
    writable = [
        folder
        for folder, _, _ in os.walk("/")
        if not folder.startswith(elsewhere) and os.access(folder, os.W_OK)
    ]
    trial.holds(f"folders that can be written: {', '.join(writable[:5])}", writable == ["/tmp"])


@inside("shared-memory", "leave data in shared memory or message queues")
def shared_memory(trial: Trial) -> None:
    """The engine mounts /dev/mqueue writable, so that only a limit keeps queues from being made."""
    for path in ("/dev/shm/new", "/dev/mqueue/new"):
        trial.machine_refuses(path, open_file, path, os.O_CREAT | os.O_WRONLY)


@inside("kernel-files", "change or read the kernel by its files")
def kernel_files(trial: Trial) -> None:
    """What is written to these acts on the host."""
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sysrq-trigger",
        "/proc/irq/default_smp_affinity",
        "/sys/kernel/mm/ksm/run",
        "/sys/kernel/uevent_helper",
        "/sys/fs/cgroup/cgroup.procs",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ):
        trial.machine_refuses(f"write {path}", open_file, path, os.O_WRONLY)

    def read(path: str) -> None:
        with open(path, "rb") as file:
            if not file.read(16):
                raise FileNotFoundError(errno.ENOENT, "an empty file covers it")

    for name in ("kcore", "kmsg", "keys", "timer_list", "sched_debug", "scsi/scsi"):
        trial.refused(f"read /proc/{name}", read, f"/proc/{name}")
    trial.refused("list /sys/firmware/efi", os.listdir, "/sys/firmware/efi")


@inside("devices", "make or open a device")
def devices(trial: Trial) -> None:
    """Disks hold every file of the host."""

    def make_and_open(name: str, kind: int) -> None:
        os.mknod(f"/tmp/{name}", kind | 0o666, os.makedev(1, 1))
        open_file(f"/tmp/{name}")

    trial.refused("a character device of its own", make_and_open, "character", stat.S_IFCHR)
    trial.refused("a block device of its own", make_and_open, "block", stat.S_IFBLK)
    for name in ("sda", "vda", "nvme0n1", "xvda", "dm-0", "loop0", "mem", "port", "kmsg"):
        trial.refused(f"/dev/{name}", open_file, f"/dev/{name}")
    for name in ("kvm", "fuse", "net/tun", "vhost-vsock", "vsock"):
        trial.machine_refuses(f"/dev/{name}", open_file, f"/dev/{name}", os.O_RDWR)
    disks = [name for name in os.listdir("/dev") if stat.S_ISBLK(os.lstat(f"/dev/{name}").st_mode)]
    trial.holds(f"{len(disks)} block devices in /dev", not disks)


@inside("run-from-tmp", "run a program that was written")
def run_from_tmp(trial: Trial) -> None:
    """From /tmp, as a library, and from memory without a file."""
    program, library = "/tmp/program", "/tmp/library.so"
    with open("/proc/self/maps", encoding="utf-8") as lines:
        loaded = next(line.split()[-1] for line in lines if "libc.so" in line or "/ld-" in line)
    for source, copy in (("/bin/true", program), (loaded, library)):
        with open(source, "rb") as original:
            written = os.open(copy, os.O_CREAT | os.O_WRONLY, 0o6777)
            os.write(written, original.read())
            os.close(written)

    def load() -> None:
        try:
            ctypes.CDLL(library)
        except OSError as error:  # the loader tells only in words why
            refused = "failed to map segment" in str(error) or "not permitted" in str(error)
            raise PermissionError(errno.EPERM if refused else errno.EINVAL, str(error)) from None

    def run_from_memory() -> None:
        memory = system_call("memfd_create", b"program", 0)
        with open("/bin/true", "rb") as original:
            os.write(memory, original.read())
        os.posix_spawn(f"/proc/self/fd/{memory}", ["program"], {})

    trial.refused(f"run {program}", os.posix_spawn, program, ["program"], {})
    trial.machine_refuses(f"load {library}", load)
    trial.machine_refuses("run from memory", run_from_memory)
    with open("/proc/self/mounts", encoding="utf-8") as lines:
        mounts = {line.split()[1]: line.split()[3].split(",") for line in lines}
    wanted = {"noexec"} if trial.own_kernel else {"noexec", "nosuid", "nodev"}
    trial.holds(f"/tmp is mounted {','.join(mounts['/tmp'][:5])}", wanted <= set(mounts["/tmp"]))
