"""Every file an agent looked into, by its own tools or by the shell, as the trajectory shows it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judge_bundles.limits import RECORD_MAX_COMMANDS_CHARACTERS, RECORD_MAX_READS
from judge_bundles.record.agent_paths import normalized
from judge_bundles.record.shell_reads import shell_reads
from judge_bundles.record.tools import paths_read, paths_searched, shell_command
from judge_prechecks.present import counted

if TYPE_CHECKING:
    from judge_bundles.record.record import Record


@dataclass(frozen=True, slots=True)
class FileRead:
    """One look into one file.

    `path` is what the call says, `normalized` has `/` between components and follows a `cd` of the
    same command. `tool` is the tool's name; `program` what the shell ran, None for other tools.
    """

    path: str
    normalized: str
    tool: str
    subagent: str | None = None
    searched: bool = False
    """Whether it was searched (Grep, `grep`), so that the agent saw some of it at most."""
    program: str | None = None


def files_read(record: "Record") -> tuple[FileRead, ...]:
    """Return all looks in the order of the calls; a call that failed showed nothing.

    What was not searched, because the commands of a run are too long together, is noted.
    """
    reads: list[FileRead] = []
    left = RECORD_MAX_COMMANDS_CHARACTERS
    unsearched = 0
    for call in record["tool_calls"]:
        if call["is_error"] is True:
            continue
        if len(reads) >= RECORD_MAX_READS:
            record.note(f"only the first {RECORD_MAX_READS:,} files that were read are looked at")
            break
        reads += _by_tool(call)
        command = shell_command(call)
        if command is None:
            continue
        left -= len(command) if isinstance(command, str) else sum(map(len, command))
        if left < 0:
            unsearched += 1
        else:
            reads += _by_shell(call, command)
    if unsearched:
        record.note(f"{counted(unsearched, 'shell command')} not searched for files they read")
    return tuple(reads[:RECORD_MAX_READS])


def _by_tool(call: Mapping[str, Any]) -> Iterator[FileRead]:
    for path in paths_read(call):
        yield FileRead(path, normalized(path), call["name"], call["subagent"])
    for path in paths_searched(call):
        yield FileRead(path, normalized(path), call["name"], call["subagent"], searched=True)


def _by_shell(call: Mapping[str, Any], command: str | list[str]) -> Iterator[FileRead]:
    for read in shell_reads(command):
        yield FileRead(
            path=read.path,
            normalized=read.resolved,
            tool=call["name"],
            subagent=call["subagent"],
            searched=read.searched,
            program=read.program,
        )
