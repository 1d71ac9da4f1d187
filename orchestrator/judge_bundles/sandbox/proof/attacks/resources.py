"""Use up what others need: processes, memory, files, disk."""

import os
import resource
import signal
import time

from judge_bundles.limits import MIB, PROOF_FLOOD_BYTES
from judge_bundles.sandbox.failure import classify_end
from judge_bundles.sandbox.proof import shipping
from judge_bundles.sandbox.proof.attack import inside, outside
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Trial, open_file, write_all

_OVER_BYTES = 256 * MIB
"""How far over its limit an attack on memory goes."""


@outside("fork-bomb", "start processes without end")
def fork_bomb(target: Target, trial: Trial) -> None:
    """A runtime with a kernel of its own may end the container instead of refusing."""
    ended = target.run(shipping.program(fork_without_end, target.given()))
    if ended.report is not None:
        trial.take(ended.report)
    else:
        running = ended.container["State"]["Running"]
        trial.holds(f"the container ended of it: {ended.end}", not running)


def fork_without_end(trial: Trial) -> None:
    """Sent by `fork_bomb`."""
    children = []

    def start(_number: int) -> None:
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        children.append(child)

    trial.bounded("processes", start, trial.given["pids"], 200)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@outside("memory", "use more memory than allowed")
def memory(target: Target, trial: Trial) -> None:
    """It ends as what a judge's bundle would be told: out of memory."""
    given = target.given(over=_OVER_BYTES)
    ended = target.run(shipping.program(use_memory, given))
    error = classify_end(ended.container["State"], "")
    said = f"{_OVER_BYTES // MIB} MiB over {given['memory_bytes'] // MIB} MiB: {ended.end}"
    trial.holds(said, error.kind == "sandbox_oom" and ended.report is None)


def use_memory(trial: Trial) -> None:
    """Sent by `memory`."""
    mebibytes = (trial.given["memory_bytes"] + trial.given["over"]) >> 20
    kept = [b"x" * (1 << 20) for _ in range(mebibytes)]
    trial.holds(f"{len(kept)} MiB are held", condition=False)


@inside("fill-tmp", "fill the disk by way of /tmp")
def fill_tmp(trial: Trial) -> None:
    """/tmp is memory with a limit of its own."""

    def write(number: int) -> None:
        with open(f"/tmp/{number}", "wb", buffering=0) as file:
            file.write(bytes(1 << 20))

    trial.bounded("MiB", write, trial.given["tmp_bytes"] >> 20, 16)


@inside("fill-tmp-inodes", "make files without end in /tmp")
def fill_tmp_inodes(trial: Trial) -> None:
    """Each takes memory of the kernel; one that the runtime brings has only the container's own."""

    def make(number: int) -> None:
        open_file(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY)

    if trial.own_kernel:
        trial.holds("the kernel is the runtime's, within the limit on memory", condition=True)
    else:
        trial.bounded("files", make, trial.given["tmp_inodes"], 1_000)


@inside("open-files", "hold files open without end")
def open_files(trial: Trial) -> None:
    """Each is memory of the kernel."""

    def hold(_number: int) -> None:
        os.open("/dev/null", os.O_RDONLY)

    trial.bounded("open files", hold, trial.given["open_files"], 100)


@inside("core-dumps", "leave a core file by crashing")
def core_dumps(trial: Trial) -> None:
    """It would be written where the host's kernel says, outside."""
    limit = resource.getrlimit(resource.RLIMIT_CORE)
    trial.holds(f"the limit is {limit[0]} of {limit[1]} bytes", limit == (0, 0))
    child = os.fork()
    if child == 0:
        os.abort()
    status = os.waitpid(child, 0)[1]
    trial.holds(f"a crash ends with signal {os.WTERMSIG(status)}", not os.WCOREDUMP(status))
    trial.holds("nothing is left in /tmp", not os.listdir("/tmp"))


@outside("fill-the-log", "fill the host's disk with output")
def fill_the_log(target: Target, trial: Trial) -> None:
    """Of what is printed nothing may stay with the engine."""
    ended = target.run(shipping.program(print_much, target.given(size=PROOF_FLOOD_BYTES)))
    log = str(ended.container.get("LogPath") or "")
    driver = ended.container["HostConfig"]["LogConfig"]["Type"]
    trial.holds(f"the engine's log driver is {driver}", driver == "none")
    trial.holds(f"the engine's log is {log or 'none'}", not log)
    if ended.printed < PROOF_FLOOD_BYTES:
        trial.impossible(f"only {ended.printed:,} bytes were printed")


def print_much(trial: Trial) -> None:
    """Sent by `fill_the_log`."""
    for _ in range((trial.given["size"] >> 17) + 1):
        write_all(1, 1 << 16)
        write_all(2, 1 << 16)
