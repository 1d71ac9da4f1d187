"""What a check may return, and how what it must not do reads, in a real worker process."""

from pathlib import Path
from typing import Any, Final

import pytest

from judge_bundles.errors import JudgementError
from judge_bundles.judge_code.answers import answer
from judge_bundles.judges.code.runner import CodeAnswer
from judge_bundles.limits import MAX_CODE_ERROR_CHARACTERS, MAX_RATIONALE_CHARACTERS
from judge_bundles.scoring.values import ScoreRange
from tests.support.judge_code import all_evaluated, bundle, check, evaluated, refusal_of

Answers = dict[str, CodeAnswer | JudgementError]

GOOD: Final[dict[str, tuple[str, bool | float, str]]] = {
    "a pair": ("return False, 'too short'", False, "too short"),
    "a bare bool": ("return True", True, ""),
    "a bare number": ("return 3", 3, ""),
    "a bare float": ("return 0.5", 0.5, ""),
    "no rationale": ("return True, None", True, ""),
    "a text of its own kind": (
        "class Text(str):\n    def __str__(self): return 'no'\nreturn True, Text('yes')",
        True,
        "yes",
    ),
    "a named pair": (
        "from collections import namedtuple\nreturn namedtuple('A', 'value why')(True, 'w')",
        True,
        "w",
    ),
    "half a character": ("return True, 'a\\ud800b'", True, "a\ufffdb"),
    "several lines": ("return True, 'a\\nb'", True, "a\nb"),
    "a large number": ("return 1e100", 1e100, ""),
    "the record": ("return len(outputs['files']) == 1, outputs['main_content']", True, "# Report"),
}

BAD: Final[dict[str, tuple[str, str]]] = {
    "nothing": ("pass", "the value is null, neither a bool nor a number"),
    "only a comment": ("# nothing", "the value is null, neither a bool nor a number"),
    "a text": ("return '4/5'", 'the value is the text "4/5", neither a bool nor a number'),
    "a text in a pair": ("return '4/5', 'x'", 'the value is the text "4/5", neither'),
    "a list": ("return [True, 'x']", "the value is a list, neither a bool nor a number"),
    "a complex number": ("return 1j", "the value is a complex, neither a bool nor a number"),
    "not a number": ("return float('nan')", "the value is nan, no finite number"),
    "infinity": ("return -float('inf')", "the value is -inf, no finite number"),
    "too many digits to write": ("return 10**5000", "too large for any score"),
    "too large": ("return 10**400, 'x'", "too large for any score"),
    "a number of another kind": (
        "class Score(float): pass\nreturn Score(0.5)",
        "the value is of the type Score: make it a plain bool, int or float",
    ),
    "an enumeration": (
        "import enum\nreturn enum.IntEnum('Level', 'low high').low",
        "the value is of the type Level: make it a plain bool",
    ),
    "three things": ("return True, 'a', 'b'", "it returned a tuple of 3: return (value, rationale)"),
    "one thing in a tuple": ("return (True,)", "it returned a tuple of 1"),
    "a rationale that is a number": ("return True, 5", "no text but of the type int"),
    "a rationale that is bytes": ("return True, b'x'", "no text but of the type bytes"),
    "a generator": ("yield True, 'x'", "it yields, where it has to return (value, rationale)"),
    "a coroutine": (
        "async def late(): return True\nreturn late()",
        "it is asynchronous: write it with `def`, not `async def`",
    ),
    "a key that is not there": (
        "x = 1\nreturn outputs['cost_usd'] < x",
        "KeyError: 'cost_usd' (line 2 of check a key that is not there)",
    ),
    "an error far below": (
        "import json\n\ndef read(text):\n    return json.loads(text)\n\nreturn read('{')",
        "JSONDecodeError: Expecting property name",
    ),
    "an error in a library": (
        "import json\n\ndef read(text):\n    return json.loads(text)\n\nreturn read('{')",
        "(line 4 of check an error in a library)",
    ),
    "an error without words": ("raise ValueError", "ValueError (line 1 of check an error without"),
    "an error of several lines": ("raise ValueError('a\\nb\\x1b[2J')", "ValueError: a\\nb\\u001b[2J ("),
    "an error that cannot be told": (
        "class Mute(Exception):\n    def __str__(self): raise SystemExit\nraise Mute",
        "Mute: its message cannot be shown (line 3 of",
    ),
    "a syntax error at run time": ("exec('1 +')\nreturn True", "SyntaxError: invalid syntax"),
    "a name that nobody knows": ("return report", "NameError: name 'report' is not defined"),
}  # fmt: skip


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What each of the checks above says, all in one process."""
    sources = {name: source for name, (source, *_) in GOOD.items()}
    sources |= {name: source for name, (source, _) in BAD.items()}
    judges = [check(source, name) for name, source in sources.items()]
    return all_evaluated(judges, bundle(tmp_path_factory.mktemp("checks")))


@pytest.mark.parametrize("name", GOOD)
def test_a_check_returns_a_value_and_why(answers: Answers, name: str) -> None:
    _, value, rationale = GOOD[name]
    given = answers[name]
    assert isinstance(given, CodeAnswer), given
    assert (given.value, type(given.value), given.rationale) == (value, type(value), rationale)
    assert given.notes == ()


@pytest.mark.parametrize("name", BAD)
def test_everything_else_is_an_error_that_says_what_and_where(answers: Answers, name: str) -> None:
    assert BAD[name][1] in refusal_of(answers[name])


def test_an_error_is_cut_to_a_line(tmp_path: Path) -> None:
    said = refusal_of(
        all_evaluated([check("raise ValueError('x' * 10**6)")], bundle(tmp_path))["c"]
    )
    assert "x" * 100 in said
    assert len(said) < MAX_CODE_ERROR_CHARACTERS + 100


def test_a_rationale_is_cut_past_its_limit_and_a_note_says_so(tmp_path: Path) -> None:
    whole = "return True, 'x' * arguments['length']"
    judges = [
        check(whole, "at", arguments={"length": MAX_RATIONALE_CHARACTERS}),
        check(whole, "past", arguments={"length": MAX_RATIONALE_CHARACTERS + 1}),
    ]
    at, past = all_evaluated(judges, bundle(tmp_path)).values()
    assert isinstance(at, CodeAnswer)
    assert (at.rationale, at.notes) == ("x" * MAX_RATIONALE_CHARACTERS, ())
    assert isinstance(past, CodeAnswer)
    assert len(past.rationale) == MAX_RATIONALE_CHARACTERS
    assert past.rationale.endswith("[… cut, 20,001 characters in all]")
    assert past.notes == ("the rationale is cut, it has 20,001 characters",)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (1, None),
        (5, None),
        (5.0, None),
        (0.999, "is not in the range from 1 to 5"),
        (7, "the value 7 is not in the range from 1 to 5"),
        (True, "the value is true, where a number from 1 to 5 was asked for"),
    ],
)
def test_a_declared_range_is_enforced_at_both_ends(value: Any, why: str | None) -> None:
    if why is None:
        assert answer((value, "x"), ScoreRange(1, 5)).value == value
    else:
        with pytest.raises(JudgementError, match=why):
            answer((value, "x"), ScoreRange(1, 5))


def test_the_range_of_a_judge_reaches_the_process(tmp_path: Path) -> None:
    judges = [
        check("return 5", "in", score_range=(1, 5)),
        check("return 6", "out", score_range=(1, 5)),
    ]
    found = all_evaluated(judges, bundle(tmp_path))
    assert found["in"] == CodeAnswer(5, "", ())
    assert "the value 6 is not in the range from 1 to 5" in refusal_of(found["out"])


def test_what_goes_to_standard_error_is_a_note(tmp_path: Path) -> None:
    source = "import sys\nprint('careful\\n' * 1000, file=sys.stderr)\nreturn True"
    answered = evaluated(check(source), bundle(tmp_path))
    assert answered.value is True
    (note,) = answered.notes
    assert note.startswith('standard error: "careful\\ncareful')
    assert len(note) <= MAX_CODE_ERROR_CHARACTERS + 20


def test_what_the_record_noticed_comes_along(tmp_path: Path) -> None:
    broken = bundle(tmp_path, {"events.jsonl": '{"type": "result"}\nnot json\n', "a.md": "x"})
    judges = [check("return not outputs['tool_calls']", name) for name in ("one", "two")]
    one, two = all_evaluated(judges, broken).values()
    assert isinstance(one, CodeAnswer)
    assert any("1 broken line skipped" in note for note in one.notes)
    assert two == one
