"""A process that saves one verdict after the other, as a run does."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

ENTRIES: Final = 500
PAUSE_BEFORE: Final = ENTRIES // 2
"""The entry before which it waits for a line, so that whoever is slow still meets it writing."""
_PROGRAM: Final = f"""if True:
    import sys
    from judge_bundles.store.records import Judged
    from judge_bundles.store.store import Store
    from tests.support.store_records import begin, trace, verdict
    store = Store.open(sys.argv[1])
    names = [f"e{{number}}" for number in range({ENTRIES})]
    run_id = begin(store, *names)
    print(run_id, flush=True)
    for number, name in enumerate(names):
        if number == {PAUSE_BEFORE}:
            sys.stdin.readline()
        store.save(Judged(verdict(run_id, name), traces=(trace("look", "again"),)))
        print(name, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def saver(url: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start it; give it and its run's id. It lives until its stdin ends, its run unfinished."""
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()
