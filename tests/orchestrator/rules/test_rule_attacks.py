"""Rule files made to hang, to fill memory, to run code or to read what is not theirs."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_RULE_BYTES
from judge_bundles.rules import load_rule
from tests.support.command_line import command
from tests.support.rule_files import agent_judge, load, refusal, write

CANARY: Final = "sk-ant-JBCANARY"
LARGEST: Final = MAX_RULE_BYTES - 100
MOST_SECONDS: Final = 30.0
"""The slowest takes three."""

# What is said of each, and on which line where that matters; the name decides how it is read.
REFUSED: Final[dict[str, tuple[str, str | bytes, str]]] = {
    "aliases of aliases": (
        "a.yaml",
        "a: &a [x,x,x,x,x,x,x,x]\n"
        + "".join(f"{q}: &{q} [{','.join([f'*{p}'] * 8)}]\n" for p, q in zip("abcdefg", "bcdefgh", strict=True)),
        "once aliases are expanded",
    ),
    "an alias within itself": ("a.yaml", "rubric: x\nlimits: &l {a: *l}\n", "stands before the end"),
    "more aliases than allowed": ("a.yaml", f"a: &a x\nb: [{'*a, ' * 101}]\n", "more than 100"),
    "an anchor for each value": (
        "a.yaml",
        f"x: [{','.join(f'&a{number} 1' for number in range(70_000))}]\n",
        "unknown key `x`",
    ),
    "merge key": ("a.yaml", "base: &b {rubric: x}\n<<: *b\n", "merge keys"),
    "merge key deep": ("a.yaml", "rubric: x\nlimits: {<<: {max_turns: 1}}\n", "merge keys"),
    "tag that runs code": ("a.yaml", "rubric: !!python/object/apply:os.system [id]\n", "the tag"),
    "tag that imports": ("a.yaml", "rubric: !!python/name:os.system\n", "the tag"),
    "tag of the author": ("a.yaml", "rubric: !include /etc/passwd\n", "the tag"),
    "tag in full": ("a.yaml", "rubric: !<tag:yaml.org,2002:python/module:os> x\n", "the tag"),
    "tag of a directive": ("a.yaml", "%TAG !p! tag:yaml.org,2002:python/\n---\nrubric: !p!none x\n", "%TAG"),
    "tag on a key": ("a.yaml", "!!str rubric: x\n", "a key must be plain text"),
    "duplicate key": ("a.yaml", "rubric: a\nrubric: b\n", "given twice"),
    "duplicate key deep": ("a.yaml", "rubric: a\nlimits:\n  max_turns: 1\n  'max_turns': 2\n", "given twice"),
    "duplicate key in JSON": ("a.json", '{"rubric": "a", "limits": {"a": {"b": 1, "b": 2}}}', "given twice"),
    "duplicate key spelled differently": ("a.json", r'{"rubric": "a", "rub\u0072ic": "b"}', "given twice"),
    "key that is a list": ("a.yaml", "? [a, b]\n: 1\n", "a key must be plain text"),
    "key that is a mapping": ("a.yaml", "? {a: b}\n: 1\n", "a key must be plain text"),
    "keys without end": ("a.yaml", "? " * (LARGEST // 2), "a key must be plain text"),
    "lists without end": ("a.yaml", "- " * (LARGEST // 2), "nested more than 64"),
    "flow lists without end": ("a.yaml", "[" * LARGEST, "nesting depth"),
    "flow mappings without end": ("a.yaml", "{a: " * (LARGEST // 4), "nested more than 64"),
    "arrays without end": ("a.json", "[" * LARGEST, "nested more than 64"),
    "objects without end": ("a.json", '{"a":' * (LARGEST // 5), "nested more than 64"),
    "very many keys": ("a.json", json.dumps({f"k{number}": 1 for number in range(60_000)}), "unknown key"),
    "very many prechecks": (
        "a.json",
        json.dumps([{"type": "file_present", "path": "x"}] * 20_000),
        "at most 1000",
    ),
    "too large by one byte": ("a.json", b"[" + b" " * (MAX_RULE_BYTES - 1) + b"]", "larger than"),
    "ten megabytes": ("a.yaml", b"rubric: " + b"x" * (10 << 20), "larger than"),
    "nothing": ("a.yaml", b"", "empty"),
    "a NUL": ("a.yaml", b"rubric: a\0b\n", "not valid YAML"),
    "a NUL in JSON": ("a.json", b'{"rubric": "a\0b"}', "control character"),
    "UTF-16": ("a.yaml", "rubric: x\n".encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": ("a.json", "[]".encode("utf-16-le"), "not valid JSON"),
    "Latin-1": ("a.yaml", b"rubric: caf\xe9\n", "not UTF-8"),
    "terminal commands": ("a.yaml", b"\x1b[2J: x\n", "not valid YAML"),
    "NaN": ("a.json", '{"rubric": "x", "max_tokens": NaN}', "is not a value of JSON"),
    "infinity": ("a.json", '{"rubric": "x", "max_tokens": 1e999}', "too large"),
    "number of 500 digits": ("a.json", '{"rubric": "x", "max_tokens": ' + "9" * 500 + "}", "digits"),
    "NaN in YAML": ("a.yaml", "rubric: x\nlimits: {timeout_s: .nan}\n", "timeout_s"),
    "octal": ("a.yaml", "rubric: x\nlimits: {max_turns: 0o17}\n", "max_turns"),
    "octal as it was": ("a.yaml", "rubric: x\nlimits: {max_turns: 017}\n", "max_turns"),
    "base 60": ("a.yaml", "rubric: x\nlimits: {max_turns: 1:30}\n", "max_turns"),
    "date for a name": ("a.yaml", "name: [2024-01-01]\nrubric: x\n", "name"),
    "yes for a boolean": ("a.yaml", "rubric: x\nlimits: {max_turns: yes}\n", "max_turns"),
    "null for a gate": ("a.yaml", "rubric: x\nprechecks:\n", "prechecks"),
    "two documents": ("a.yaml", "rubric: x\n---\nrubric: y\n", "more than one document"),
    "half a character": ("a.json", r'{"rubric": "\ud800"}', "lone surrogate"),
    "half a character in YAML": ("a.yaml", r'rubric: "\ud800"' + "\n", "not valid YAML"),
    "path that climbs": ("a.json", '[{"type": "file_present", "path": "a/../../b"}]', "'..'"),
    "path that is absolute": ("a.json", '[{"type": "json_valid", "path": "/etc/*"}]', "absolute"),
    "path with a drive": ("a.json", r'[{"type": "json_valid", "path": "C:\\x"}]', "absolute"),
    "path with a NUL": ("a.json", r'[{"type": "json_valid", "path": "a\u0000b"}]', "NUL"),
    "path of 5,000 characters": (
        "a.json",
        json.dumps([{"type": "file_present", "path": "*" * 5_000}]),
        "longer than 4,096",
    ),
    "query of brackets": (
        "a.json",
        json.dumps([{"type": "map_values_in", "file": "a", "path": "(" * 900, "allowed": ["x"]}]),
        "JSONPath",
    ),
    "query of 2,000 characters": (
        "a.json",
        json.dumps([{"type": "map_values_in", "file": "a", "path": "a" * 2_000, "allowed": ["x"]}]),
        "longer than 1,000",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "said"), REFUSED.values(), ids=REFUSED)
def test_an_attack_is_refused_soon_and_in_plain_words(
    tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    began = time.monotonic()
    lines = refusal(tmp_path, content, name)
    assert time.monotonic() - began < MOST_SECONDS
    assert any(said in line for line in lines), lines
    assert all(line.startswith(f"{name}") and line.isprintable() for line in lines)
    assert sum(map(len, lines)) < 20_000
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_what_only_looks_like_an_attack_loads(tmp_path: Path) -> None:
    text = "name: '2024-01-01'\nrubric: |\n  <<: *x !!python/object %TAG yes 0o17 .nan\n"
    judge = agent_judge(load(tmp_path, text, "rule.yaml"))
    assert judge.rubric == "<<: *x !!python/object %TAG yes 0o17 .nan"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def plug(path: Path) -> None:
    folder = os.open(path.parent, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 << 30)


NO_FILES: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "fifo": (fifo, "not a regular file"),
    "socket": (plug, "cannot be read"),
    "folder": (Path.mkdir, "a folder"),
    "device without end": (link_to("/dev/zero"), "not a regular file"),
    "link in a circle": (link_to("rule.yaml"), "cannot be read"),
    "link to nothing": (link_to("missing"), "no such file"),
    "ten gigabytes": (sparse, "larger than"),
}


@pytest.mark.parametrize(("make", "said"), NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_file_of_a_sane_size_is_refused_without_waiting(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    make(tmp_path / "rule.yaml")
    with pytest.raises(RuleError) as caught:
        load_rule(tmp_path / "rule.yaml", project_root=tmp_path)
    assert said in str(caught.value)


@pytest.mark.parametrize(("make", "said"), NO_FILES.values(), ids=NO_FILES)
def test_the_same_holds_for_a_rubric_file(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    make(tmp_path / "rule.yaml")
    (line,) = refusal(tmp_path, {"rubric_file": "rule.yaml"}, "rule.json")
    assert "rubric_file: " in line
    assert said in line or "no such file" in line  # a circle of links leads to no file


@pytest.mark.parametrize(
    "rule", ["/proc/self/environ", {"rubric_file": "/proc/self/environ", "unknown": 1}]
)
def test_a_rule_that_names_the_environment_prints_no_key(tmp_path: Path, rule: Any) -> None:
    path = rule if isinstance(rule, str) else str(write(tmp_path, "rule.json", rule))
    (tmp_path / "runs" / "a").mkdir(parents=True)
    ended = subprocess.run(
        command("runs", "--rule", path),
        cwd=tmp_path,
        env={"PATH": os.defpath, "ANTHROPIC_API_KEY": CANARY},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert CANARY.encode() not in ended.stderr
    assert b"Traceback" not in ended.stderr
