"""Builtin judges are found by their place on disk, and what cannot be one is refused by name."""

import os
import stat
from pathlib import Path

import pytest

from judge_bundles.errors import RuleError
from judge_bundles.limits import MAX_BUILTIN_BYTES, MAX_CATALOGUE_FILES
from judge_bundles.rules import load_rule, load_rules
from judge_bundles.rules.catalogue import SHIPPED, read_catalogue
from tests.support.judge_rules import (
    CHECK,
    catalogue_refusal,
    llm_judge,
    load_judges,
    python_judge,
)
from tests.support.rule_files import write

JUDGE = "def judge(outputs, **kwargs): return True"
TOKEN_BUDGET = '''\
"""Checks that the tokens of a run stay within a budget.

Required fields: total_tokens
Failure means: The run used more tokens than it may.
"""


def judge(outputs, **kwargs):
    used = outputs.get("total_tokens")
    if used is None:
        return False, "no tokens are on record"
    most = kwargs.get("max_tokens", 100_000)
    return used <= most, f"{used} of {most} tokens"
'''


def test_the_shipped_judges_are_where_the_package_has_them() -> None:
    assert SHIPPED.is_dir()
    assert {builtin.qualified: builtin.kind for builtin in read_catalogue().builtins.values()} == {
        "efficiency/cost_budget": "python",
        "process/consulted_docs": "python",
        "process/tool_call_validation": "python",
        "quality/output_completeness": "LLM",
        "safety/no_harmful_content": "LLM",
    }


def test_every_shipped_judge_says_what_it_is_and_declares_its_arguments() -> None:
    for builtin in read_catalogue().builtins.values():
        assert builtin.header.about
        assert builtin.header.required_fields
        assert builtin.header.failure
        assert not builtin.declared.open
        assert all(argument.help for argument in builtin.declared.arguments)
        assert all(argument.has_default for argument in builtin.declared.arguments)


@pytest.mark.parametrize("name", ["token_budget", "efficiency/token_budget"])
def test_a_file_dropped_into_a_category_works_by_name_at_once(tmp_path: Path, name: str) -> None:
    write(tmp_path, "own/efficiency/token_budget.py", TOKEN_BUDGET)
    entry = {"name": "tokens", "builtin": name, "arguments": {"max_tokens": 50000}}
    judge = python_judge(load_judges(tmp_path, entry, judges_dirs=[tmp_path / "own"]))
    assert (judge.builtin, judge.source) == ("efficiency/token_budget", TOKEN_BUDGET)
    assert judge.file == str(tmp_path / "own/efficiency/token_budget.py")
    assert judge.arguments == {"max_tokens": 50000}


def test_a_prompt_without_a_header_is_a_judge_that_takes_anything(tmp_path: Path) -> None:
    write(tmp_path, "own/style/nice.md", "Is it nice? {{ arguments.how }}\n")
    entry = {"name": "a", "builtin": "nice", "arguments": {"how": "very"}}
    judge = llm_judge(load_judges(tmp_path, entry, judges_dirs=[tmp_path / "own"]))
    assert (judge.template, judge.builtin) == ("Is it nice? {{ arguments.how }}", "style/nice")


def test_what_a_file_directly_in_the_folder_holds_is_local(tmp_path: Path) -> None:
    write(tmp_path, "own/mine.py", JUDGE)
    for name in ("mine", "local/mine"):
        rule = load_judges(tmp_path, {"name": "a", "builtin": name}, judges_dirs=[tmp_path / "own"])
        assert python_judge(rule).builtin == "local/mine"


@pytest.mark.parametrize(
    "name",
    [
        "own/_private/a.py", "own/style/_a.py", "own/style/__init__.py", "own/style/.a.py",
        "own/.git/a.py", "own/style/a.txt", "own/style/a.pyc", "own/README", "own/style/deep/a.py",
        "own/style/A.PY",
    ],
)  # fmt: skip
def test_what_is_no_file_of_a_judge_is_passed_over(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, b"\xff not a judge")
    assert read_catalogue([tmp_path / "own"]).builtins == read_catalogue().builtins


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("style/a.py", "x = 1", "defines no function `judge`"),
        ("style/a.py", "def judge(outputs:", "line 1: "),
        ("style/a.py", "async def judge(outputs): ...", "`judge` is an `async def`: write a plain `def`"),
        ("style/a.py", b"# \xe9\n" + JUDGE.encode(), "line 1: not UTF-8 (byte 0xe9): save it as UTF-8"),
        ("style/a.md", "<!-- About. -->\n  \n", "holds no prompt"),
        ("style/a.md", "<!--\nArguments:\n  x = 1\n-->\nprompt", "Arguments: `x = 1` is not of the form `name: type = default  # help`"),
        ("style/a.md", "<!--\nArguments:\n  x: int = 'a'\n-->\nprompt", 'the default of `x` must be a whole number, not the text "a"'),
        ("style/a b.py", JUDGE, "the name of a judge may have letters, digits, `_`, `.` and `-`: rename it"),
        ("a style/a.py", JUDGE, None),
        ("style/cost_budget.py", JUDGE, "has the name of "),
        ("style/cost_budget.md", "prompt", "has the name of "),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_a_judge_is_refused_by_name(
    tmp_path: Path, name: str, content: str | bytes, message: str | None
) -> None:
    write(tmp_path, f"own/{name}", content)
    (line,) = catalogue_refusal(tmp_path, tmp_path / "own")
    if message is None:
        assert (
            line
            == "own/a style: the name of a category may have letters, digits, `_`, `.` and `-`: rename it"
        )
    else:
        assert line.startswith(f"own/{name}: {message}")


def test_files_of_one_name_are_refused_with_both_of_them(tmp_path: Path) -> None:
    write(tmp_path, "one/style/a.py", JUDGE)
    write(tmp_path, "two/other/a.md", "prompt")
    write(tmp_path, "two/style/b.py", JUDGE)
    write(tmp_path, "two/style/b.md", "prompt")
    assert catalogue_refusal(tmp_path, tmp_path / "one", tmp_path / "two") == [
        "two/other/a.md: has the name of one/style/a.py: rename one of the two",
        "two/style/b.py: has the name of two/style/b.md: rename one of the two",
    ]


def test_one_folder_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "own/style/a.py", JUDGE)
    (tmp_path / "link").symlink_to("own")
    folders = [tmp_path / "own", tmp_path / "own/../own", tmp_path / "link", SHIPPED]
    assert len(read_catalogue(folders).builtins) == len(read_catalogue().builtins) + 1


def test_links_and_special_files_are_refused(tmp_path: Path) -> None:
    real = write(tmp_path, "real.py", JUDGE)
    folder = write(tmp_path, "own/style/fine.py", JUDGE).parent
    (folder / "link.py").symlink_to(real)
    (folder / "broken.md").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.py")
    (tmp_path / "own/linked").symlink_to(folder)
    (tmp_path / "own/broken").symlink_to("nowhere")
    (folder / "notes.txt").symlink_to(real)
    assert stat.S_ISFIFO((folder / "pipe.py").lstat().st_mode)
    assert catalogue_refusal(tmp_path, tmp_path / "own") == [
        "own/linked: is a link: put the folder itself here",
        "own/style/broken.md: is a link: put the file itself here",
        "own/style/link.py: is a link: put the file itself here",
        "own/style/pipe.py: not a regular file: save it as one",
    ]


def test_a_folder_named_like_a_judge_is_a_category(tmp_path: Path) -> None:
    write(tmp_path, "own/style.py/a.py", JUDGE)
    assert "style.py/a" in {
        one.qualified for one in read_catalogue([tmp_path / "own"]).builtins.values()
    }


@pytest.mark.parametrize("name", ["none", "file", "a\0b"])
def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file", "")
    with pytest.raises(RuleError, match="cannot be looked into"):
        read_catalogue([tmp_path / name])


def test_a_file_is_taken_up_to_its_size(tmp_path: Path) -> None:
    file = write(tmp_path, "own/style/a.py", JUDGE.ljust(MAX_BUILTIN_BYTES))
    assert read_catalogue([tmp_path / "own"]).find("a")
    file.write_text(JUDGE.ljust(MAX_BUILTIN_BYTES + 1))
    assert catalogue_refusal(tmp_path, tmp_path / "own") == [
        f"own/style/a.py: larger than {MAX_BUILTIN_BYTES} bytes: make it shorter"
    ]


def test_so_many_files_are_read_and_no_more(tmp_path: Path) -> None:
    shipped = len(read_catalogue().builtins)
    for number in range(MAX_CATALOGUE_FILES - shipped):
        write(tmp_path, f"own/style/a{number:04}.md", "prompt")
    assert len(read_catalogue([tmp_path / "own"]).builtins) == MAX_CATALOGUE_FILES
    write(tmp_path, "own/style/b1.md", "prompt")
    write(tmp_path, "own/style/b2.md", "prompt")
    assert catalogue_refusal(tmp_path, tmp_path / "own") == [
        f"own/style/b1.md: is one more than the {MAX_CATALOGUE_FILES} that are read"
    ]


def test_of_very_many_mistakes_some_are_listed(tmp_path: Path) -> None:
    for number in range(23):
        write(tmp_path, f"own/style/a{number:02}.py", "x = 1")
    lines = catalogue_refusal(tmp_path, tmp_path / "own")
    assert len(lines) == 21
    assert lines[-1] == "and 3 more problems of builtin judges"


def test_a_file_is_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    write(tmp_path, "own/style/a.py", f"open({str(mark)!r}, 'w')\n{JUDGE}")
    load_judges(tmp_path, {"name": "a", "builtin": "a"}, judges_dirs=[tmp_path / "own"])
    assert not mark.exists()


def test_a_mistake_in_the_template_of_a_builtin_is_said_where_it_is_used(tmp_path: Path) -> None:
    write(tmp_path, "own/style/a.md", "{{ convo }}")
    load_judges(tmp_path, CHECK, judges_dirs=[tmp_path / "own"])
    with pytest.raises(RuleError, match=r"a\.md: line 1: unknown variable `convo`"):
        load_judges(tmp_path, {"name": "a", "builtin": "a"}, judges_dirs=[tmp_path / "own"])


def test_folders_are_looked_into_even_by_rules_without_a_builtin(tmp_path: Path) -> None:
    gate = write(tmp_path, "gate.json", '[{"type": "file_present", "path": "a"}]')
    with pytest.raises(RuleError, match="cannot be looked into"):
        load_rule(gate, judges_dirs=[tmp_path / "none"])


def test_all_rules_of_a_line_have_the_same_builtins(tmp_path: Path) -> None:
    write(tmp_path, "own/style/a.py", JUDGE)
    entry = '{"judges": [{"name": "a", "builtin": "a"}]}'
    files = [write(tmp_path, name, entry) for name in ("one.json", "two.json")]
    assert len(load_rules(files, judges_dirs=[tmp_path / "own"])) == 2
