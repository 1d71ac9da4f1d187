"""Code that never ends, ends its process or leaves things behind: its own error, nobody else's."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judges.code.runner import CodeAnswer
from tests.support.judge_code import SHORT, all_evaluated, bundle, check, refusal_of

HOSTILE: Final[dict[str, tuple[str, str]]] = {
    "loops for ever": ("while True: pass", "it used all the processor time it may"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3 (line 2 of check exits)"),
    "exits as if all were well": ("raise SystemExit", "SystemExit (line 1 of"),
    "is interrupted": ("raise KeyboardInterrupt", "KeyboardInterrupt (line 1 of"),
    "ends a generator": ("raise GeneratorExit", "GeneratorExit (line 1 of"),
    "ends its process": ("import os\nos._exit(0)", "its process ended (exit code 0)"),
    "ends its process by a signal": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhile True: pass",
        "its process ended (SIGTERM)",
    ),
    "breaks the interpreter": ("import ctypes\nctypes.string_at(0)", "its process ended (SIGSEGV)"),
    "allocates 8 GB": ("return len(bytearray(8 * 1024**3))", "it needs more than 1,024 MiB of memory"),
    "recurses": ("def f(): return f()\nreturn f()", "RecursionError: maximum recursion depth"),
    "prints": ("print('hello')\nreturn True", 'it wrote to standard output, where it has to return: "hello'),
    "writes to the descriptor": ("import os\nos.write(1, b'raw')\nreturn True", '"raw"'),
    "lets a program print": ("import os\nos.system('echo said')\nreturn True", '"said'),
    "prints bytes that are no text": (
        "import sys\nsys.stdout.buffer.write(b'\\xff\\x00')\nreturn True",
        'return: "\ufffd\\u0000"',
    ),
    "prints without end": ("while True: print('x' * 10**6)", "OSError: [Errno 27] File too large"),
    "prints and then fails": ("print('a')\nraise ValueError('b')", "ValueError: b (line 2 of"),
    "prints half a character": ("print('\\ud800')\nreturn True", '"\\ud800\\n"'),
    "closes everything": ("import os\nos.closerange(0, 256)\nreturn True", "its process ended"),
    "is far too large an answer": ("return True, 'x' * 2**31", "it needs more than 1,024 MiB"),
    "raises memory itself": ("raise MemoryError", "it needs more than 1,024 MiB of memory"),
}  # fmt: skip

HARMLESS: Final = {
    "leaves a thread": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\nreturn True",
    "leaves a loop in a thread": "import threading\ndef spin():\n    while True: pass\n"
    "threading.Thread(target=spin, daemon=True).start()\nreturn True",
    "leaves an alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\nreturn True",
    "leaves files open": "import builtins\n"
    "builtins.kept = [open('/dev/null') for _ in range(200)]\nreturn True",
    "changes the folder": "import os\nos.chdir('/tmp')\nreturn True",
    "closes standard output": "import sys\nsys.stdout.close()\nreturn True",
    "replaces standard output": "import io, sys\nsys.stdout = io.StringIO()\nprint('x')\nreturn True",
    "closes descriptor 1": "import os\nos.close(1)\nreturn True",
    "forgets the path": "import sys\nsys.path.clear()\nreturn True",
}
"""Each answers; what it leaves behind must reach nobody."""

AFTER: Final = (
    "import os, json, time\n"
    "assert os.getcwd() == '/', os.getcwd()\n"
    "until = time.monotonic() + 0.1\n"
    "while time.monotonic() < until: pass\n"
    "return True, outputs['main_content']"
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CodeAnswer | JudgementError]:
    """What each hostile check comes to, and an honest one after each, on the same bundle."""
    judges = []
    for name, (source, _) in HOSTILE.items():
        judges += [check(source, name), check(AFTER, f"after {name}")]
    return all_evaluated(judges, bundle(tmp_path_factory.mktemp("hostile")), limits=SHORT)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_ends_as_its_own_error_and_the_next_judge_answers(
    found: dict[str, CodeAnswer | JudgementError], name: str
) -> None:
    assert HOSTILE[name][1] in refusal_of(found[name])
    assert found[f"after {name}"] == CodeAnswer(True, "# Report", ())


def test_memory_may_be_filled_bit_by_bit_up_to_the_limit(tmp_path: Path) -> None:
    judges = [
        check("kept = []\nwhile True: kept.append(bytearray(2**24))", "fills"),
        check(AFTER, "after"),
    ]
    found = all_evaluated(judges, bundle(tmp_path))
    assert "it needs more than 1,024 MiB of memory" in refusal_of(found["fills"])
    assert isinstance(found["after"], CodeAnswer)


def test_code_that_waits_for_ever_is_ended_by_the_clock(tmp_path: Path) -> None:
    judges = [check("import time\ntime.sleep(600)", "waits"), check(AFTER, "after")]
    found = all_evaluated(judges, bundle(tmp_path), limits=replace(SHORT, wall_s=3))
    assert "it took longer than 3 s" in refusal_of(found["waits"])
    assert isinstance(found["after"], CodeAnswer)


def test_what_harmless_code_leaves_behind_reaches_nobody(tmp_path: Path) -> None:
    judges = []
    for name, source in HARMLESS.items():
        judges += [check(source, name), check(AFTER, f"after it {name}")]
    found = all_evaluated(judges, bundle(tmp_path), limits=SHORT)
    for name, answer in found.items():
        assert isinstance(answer, CodeAnswer), (name, answer)
        assert answer.value is True


PID: Final = "import os\nreturn os.getpid()"


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("return True", True),
        ("import sys\nsys.exit()", True),
        (HARMLESS["leaves a thread"], False),
        (HARMLESS["leaves files open"], False),
    ],
)
def test_a_process_is_replaced_only_for_what_cannot_be_cleared_up(
    tmp_path: Path, source: str, same: bool
) -> None:
    judges = [check(PID, "one"), check(source), check(PID, "two")]
    found = all_evaluated(judges, bundle(tmp_path))
    one, two = found["one"], found["two"]
    assert isinstance(one, CodeAnswer)
    assert isinstance(two, CodeAnswer)
    assert (one.value == two.value) == same


def test_a_process_that_is_killed_is_nobodys_judgement(tmp_path: Path) -> None:
    kill = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    error = all_evaluated([check(kill)], bundle(tmp_path))["c"]
    assert isinstance(error, JudgementError)
    assert (error.kind, error.retryable) == ("worker_died", True)


def test_code_finds_no_key_and_no_way_to_what_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    source = (
        "import os, sys\n"
        "heavy = {'anthropic', 'docker', 'sqlalchemy'} & set(sys.modules)\n"
        "return not heavy, ' '.join([*os.environ, *heavy])"
    )
    answer = all_evaluated([check(source)], bundle(tmp_path))["c"]
    assert isinstance(answer, CodeAnswer)
    assert answer.value is True
    assert set(answer.rationale.split()) <= {"LC_ALL", "LD_LIBRARY_PATH"}
    assert "ANTHROPIC_API_KEY" in os.environ
