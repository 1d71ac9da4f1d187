"""Floors in plain Python: the least that anyone would have to do with the same files."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.material import MARK


def read_hash_parse(folder: Path) -> int:
    """Read every file of every bundle, hash it, and parse it if it is JSON; return how many."""
    count = 0
    for path in _files(os.fspath(folder)):
        with open(path, "rb") as stream:  # noqa: PTH123 - a floor has nothing that is not needed
            data = stream.read()
        hashlib.sha256(data).digest()
        if path.endswith(".json"):
            json.loads(data)
        count += 1
    return count


def timed_loop(folder: Path) -> float:
    """Return the seconds that `read_hash_parse` takes."""
    begun = time.perf_counter()
    read_hash_parse(folder)
    return time.perf_counter() - begun


def check(bundle: str) -> bool:
    """Walk, parse and check one bundle of `material` as six lines of a script would."""
    contents = {path[len(bundle) + 1 :]: _read(path) for path in _files(bundle)}
    parsed: dict[str, Any] = {
        name: json.loads(data) for name, data in contents.items() if name.endswith(".json")
    }
    findings, scan = parsed["findings.json"]["findings"], parsed["scan.json"]
    scanned = set(scan["files"])
    return (
        contents["report.md"].decode().rstrip().endswith(MARK)
        and len(findings) == parsed["state.json"]["total"]
        and all(value == "done" for value in scan["status"].values())
        and all(one.get("fix") or one.get("mitigation") for one in findings)
        and all(one["file"] in scanned for one in findings)
    )


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123 - see above
        return stream.read()


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            else:
                yield entry.path
