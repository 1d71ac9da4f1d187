import time

import pytest

from judge_bundles.limits import RECORD_MAX_COMMAND_CHARACTERS, RECORD_MAX_READS_A_COMMAND
from judge_bundles.record.shell_reads import shell_reads


def shown(command: str | list[str]) -> list[str]:
    return [read.resolved for read in shell_reads(command)]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat docs/setup.md", ["docs/setup.md"]),
        ("cat -n 'a b.md' \"c d.md\" e\\ f.md", ["a b.md", "c d.md", "e f.md"]),
        ("head -n 5 a.md", ["a.md"]),
        ("head -5 a.md; tail -n +10 b.md\ntail -c20 c.md", ["a.md", "b.md", "c.md"]),
        ("sed -n '1,50p' src/a.py", ["src/a.py"]),
        ("sed -n -e 1p -e 2p src/a.py", ["src/a.py"]),
        ("nl -ba src/a.py | sed -n '1,50p'", ["src/a.py"]),
        ("grep -rn -A 3 pattern docs/a.md docs/b.md", ["docs/a.md", "docs/b.md"]),
        ("grep -e one -e two docs/a.md", ["docs/a.md"]),
        ("rg -n pattern docs/a.md", ["docs/a.md"]),
        ("awk -F : '{print $1}' data.csv", ["data.csv"]),
        ("jq '.a | .b' out.json", ["out.json"]),
        ("/usr/bin/cat a.md && less b.md || more c.md", ["a.md", "b.md", "c.md"]),
        ("LANG=C sudo -n cat a.md", ["a.md"]),
        ("timeout 10 cat a.md", ["a.md"]),
        ("time env A=1 cat a.md", ["a.md"]),
        ("cat < in.md", ["in.md"]),
        ("cat a.md 2>/dev/null | wc -l", ["a.md"]),
        ("cat a.md 2>&1", ["a.md"]),
        ("cat -- -odd.md", ["-odd.md"]),
        ("cat a#1.md # and b.md\ncat c.md", ["a#1.md", "c.md"]),
        ("cat a.md \\\n  b.md", ["a.md", "b.md"]),
        ("bash -lc 'cd x && cat a.md'", ["x/a.md"]),
        ("cd docs && cat setup.md ../README.md", ["docs/setup.md", "README.md"]),
        ("cd /w/docs; cat setup.md /etc/x", ["/w/docs/setup.md", "/etc/x"]),
        ("(cd docs && cat a.md); cat b.md", ["docs/a.md", "b.md"]),
        ("cd docs; cd sub; cat a.md", ["docs/sub/a.md"]),
        ("cd $DIR && cat a.md", ["a.md"]),
        ("cat ./a//b/../c.md", ["a/c.md"]),
        ("cat ~/notes.md", ["~/notes.md"]),
        ('cat "C:\\docs\\a.md"', ["C:/docs/a.md"]),
        ("cat <<'EOF' && cat b.md\ncat hidden.md\nEOF\ncat c.md", ["b.md", "c.md"]),
    ],
)
def test_files_that_a_command_shows(command: str, files: list[str]) -> None:
    assert shown(command) == files


@pytest.mark.parametrize(
    "command",
    [
        "",
        "   \n ; && ||",
        "echo cat a.md",
        "echo 'cat a.md'",
        "cat",
        "cat -",
        "cat *.md",
        "cat docs/{a,b}.md",
        "cat $FILE",
        "cat `ls`",
        "cat $(find . -name a.md)",
        "cat docs/",
        "cat . ..",
        "cat a.md > b.md",
        "cat a.md b.md >> c.md",
        "cat a.md 1> /dev/null",
        "cat a.md &> /dev/null",
        "cat > new.md <<EOF\nsecret.md\nEOF",
        "cat > new.md <<EOF\nnever closed",
        "sed -i 's/a/b/' src/a.py",
        "sed -Ei.bak 's/a/b/' src/a.py",
        "sed --in-place s/a/b/ src/a.py",
        "grep pattern",
        "grep -e pattern",
        "sed -n 1p",
        "head -n 5",
        "find . -name a.md",
        "python a.md",
        "cat 'never closed",
        "# cat a.md",
        "cd docs",
    ],
)
def test_a_command_that_shows_no_file_for_sure(command: str) -> None:
    assert shown(command) == []


def test_a_search_is_marked_and_the_path_of_the_command_kept() -> None:
    (search, read) = shell_reads("cd docs && grep x a.md && cat ./b.md")
    assert (search.path, search.resolved, search.program, search.searched) == (
        "a.md",
        "docs/a.md",
        "grep",
        True,
    )
    assert (read.path, read.resolved, read.program, read.searched) == (
        "./b.md",
        "docs/b.md",
        "cat",
        False,
    )


def test_a_program_given_as_words_needs_no_shell() -> None:
    assert shown(["cat", "a;b.md"]) == ["a;b.md"]
    assert shown(["bash", "-lc", "cat a.md; cat b.md"]) == ["a.md", "b.md"]
    assert shown([]) == []


def test_shells_within_shells_are_followed_so_far_and_no_further() -> None:
    assert shown("sh -c 'sh -c \"cat a.md\"'") == ["a.md"]
    assert shown(["sh", "-c", "sh -c 'sh -c \"cat a.md\"'"]) == []


def test_a_command_at_its_limit_is_searched_and_a_longer_one_not() -> None:
    longest = "cat a.md".ljust(RECORD_MAX_COMMAND_CHARACTERS)
    assert shown(longest) == ["a.md"]
    assert shown(longest + " ") == []


def test_a_command_names_so_many_files_and_no_more() -> None:
    names = [f"f{number}" for number in range(RECORD_MAX_READS_A_COMMAND + 1)]
    assert shown("cat " + " ".join(names)) == names[:-1]


def test_the_longest_commands_take_no_time() -> None:
    started = time.monotonic()
    for hostile in (
        "<<A" * 6_000,
        "(" * 20_000,
        "a " * 10_000,
        "cat\n" * 5_000,
        "'" * 19_999,
        "\\" * 20_000,
    ):
        shell_reads(hostile)
    assert time.monotonic() - started < 10
