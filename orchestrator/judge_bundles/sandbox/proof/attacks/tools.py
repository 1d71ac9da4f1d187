"""Ask the tool server itself, as a judge that a bundle has won over would."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from judge_bundles.limits import MAX_TOOL_RESULT_CHARACTERS, TOOL_TIMEOUT_S
from judge_bundles.sandbox.proof.attack import outside
from judge_bundles.sandbox.proof.decoy import LARGE, LARGE_BYTES, LINK, LINKED_FOLDER, SLOW
from judge_bundles.sandbox.proof.target import Target
from judge_bundles.sandbox.proof.trial import Trial
from judge_bundles.sandbox.protocol import ToolReply

Call = tuple[str, Mapping[str, Any]]
_HOSTS_PASSWORDS: Final = "root:x:0:0"


@outside("endless-pattern", "search for a pattern that takes for ever")
def endless_pattern(target: Target, trial: Trial) -> None:
    """The search is ended inside, and the next call is answered."""
    started = time.monotonic()
    search: Call = ("search_files", {"pattern": "(a+a+)+$", "glob": SLOW})
    slow, after = _ask(target, search, ("file_info", {"path": "report.md"}))
    seconds = time.monotonic() - started
    said = f"{slow.error_kind or 'an answer'} after {seconds:.1f} s"
    trial.holds(said, slow.error_kind == "timed_out" and seconds < TOOL_TIMEOUT_S)
    trial.holds("the next call is answered", after.error_kind is None)


@outside("links", "follow a link out of the bundle")
def links(target: Target, trial: Trial) -> None:
    """A snapshot never has one; the tools do not rely on that."""
    _nothing_leaks(
        target,
        trial,
        ("read_file", {"path": LINK}),
        ("file_info", {"path": LINK}),
        ("json_query", {"path": LINK}),
        ("view_media", {"path": LINK}),
        ("read_file", {"path": f"{LINKED_FOLDER}/secret.txt"}),
        ("list_files", {"path": LINKED_FOLDER}),
    )
    [found] = _ask(target, ("search_files", {"pattern": "JB-DECOY"}))
    trial.holds(f"search_files: {found.text.splitlines()[0]}", target.decoy.token not in found.text)


@outside("paths", "read by a path that leads out of the bundle")
def paths(target: Target, trial: Trial) -> None:
    """Relative, absolute, through /proc, and as a pattern."""
    secret = str(target.decoy.secret)
    beside = f"../{target.decoy.secret.parent.name}/{target.decoy.secret.name}"
    wanted = (
        *("..", "/", beside, secret, "/etc/passwd", "../etc/passwd", "a/../../etc/passwd"),
        *("/proc/1/environ", "/proc/self/root/etc/passwd", "/bundle/../etc/passwd", "\\x2e\\x2e/x"),
    )
    _nothing_leaks(target, trial, *(("read_file", {"path": path}) for path in wanted))
    _nothing_leaks(target, trial, *(("list_files", {"path": path}) for path in wanted[:4]))
    _nothing_leaks(target, trial, ("search_files", {"pattern": "root:", "glob": "../**"}))


@outside("huge-window", "ask for more than an answer may hold")
def huge_window(target: Target, trial: Trial) -> None:
    """The file is one long line."""
    by_bytes, by_lines, searched = _ask(
        target,
        ("read_file", {"path": LARGE, "byte_count": 2_000_000_000}),
        ("read_file", {"path": LARGE, "start_line": 2, "line_count": 2_000_000_000}),
        ("search_files", {"pattern": ".*", "context": 10**9, "max_matches": 10**9}),
    )
    for reply in (by_bytes, by_lines, searched):
        size = len(reply.text)
        trial.holds(f"{size:,} characters of {LARGE_BYTES:,}", size <= MAX_TOOL_RESULT_CHARACTERS)
    trial.holds("both windows say that they are cut", by_bytes.cut and by_lines.cut)


def _nothing_leaks(target: Target, trial: Trial, *calls: Call) -> None:
    for (tool, arguments), reply in zip(calls, _ask(target, *calls), strict=True):
        asked = f"{tool} {next(iter(arguments.values()))}"
        secrets = (target.decoy.token, _HOSTS_PASSWORDS)
        leaked = any(secret in reply.text for secret in secrets) or bool(reply.media)
        trial.holds(f"{asked}: {reply.error_kind or 'answered'}", reply.error_kind and not leaked)


def _ask(target: Target, *calls: Call) -> list[ToolReply]:
    """Return the answers to some calls in one fresh sandbox."""

    async def ask() -> list[ToolReply]:
        async with target.sandbox(tool_timeout_s=TOOL_TIMEOUT_S) as sandbox:
            return [await sandbox.call(tool, arguments) for tool, arguments in calls]

    return asyncio.run(ask())
