"""The forms in which text speaks to whoever evaluates it.

Each rule names the words that give it away and a pattern, which is tried only where such a word
stands, from so many characters `before` its beginning to so many `after` it. So one try costs next
to nothing, and tries are counted. Patterns are written for folded text (see `folding`), go over
line breaks as over spaces, and have no nested repetition.

Strong rules void a quote as evidence. The others are worth a flag for people, but such words also
stand in honest reports and logs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

_GAP: Final = r"[\s>*#|]+"
"""Stands for white space in the patterns: lines that go on may begin with the mark of a quotation."""

_EVALUATOR: Final = r"(?:judge|evaluator|grader|assessor|reviewer|auditor|examiner)s?"
_EVALUATORS: Final = "judge evaluator grader assessor reviewer auditor examiner"
_MACHINE: Final = r"(?:ai|llm|automated|automatic|language\s+model)"
_THIS: Final = r"(?:this|it|(?:this|the|my|our)\s+(?:bundle|submission|report|run|output|work))"


@dataclass(frozen=True, slots=True)
class Rule:
    """`in_data` tells whether it counts in files of data, too, where `passed: true` is a value."""

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    before: int
    after: int
    strong: bool
    in_data: bool


class Found(NamedTuple):
    """A match in folded text."""

    start: int
    end: int
    strong: bool


@dataclass(slots=True)
class Tries:
    """How often patterns may still be tried."""

    left: int


def _rule(
    words: str,
    pattern: str,
    *,
    before: int = 0,
    after: int = 150,
    strong: bool = True,
    in_data: bool = True,
) -> Rule:
    compiled = re.compile(pattern.replace(r"\s+", _GAP), re.MULTILINE)
    return Rule(tuple(words.split()), compiled, before, after, strong, in_data)


_RULES: Final = (
    _rule(
        "ignore disregard forget override",
        r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}?\b(?:previous|prior|above|earlier"
        r"|preceding|all|your)\b[^.]{0,30}?\b(?:instruction|prompt|rule|rubric|criteri|guideline)",
    ),
    _rule(
        _EVALUATORS,
        r"\b(?:(?:dear|attention|hey|hello|hi|(?:note|message|instructions?|memo)\s+(?:to|for))"
        rf"[\s,:>*#|]+(?:(?:the|any|all|every|whoever|{_MACHINE})\s+){{0,3}}{_EVALUATOR}\b"
        rf"|you\s+are\s+(?:now\s+)?(?:the\s+|an?\s+)?(?:{_MACHINE}\s+)?{_EVALUATOR}\b"
        rf"|{_MACHINE}\s+{_EVALUATOR}\s?[,:!])",
        before=70,
        after=15,
    ),
    _rule(
        _EVALUATORS,
        rf"\b{_EVALUATOR}\b[^.]{{0,40}}?\b(?:must|should|shall|ha(?:s|ve) to|needs? to|please)\b"
        r"[^.]{0,40}?\b(?:pass|approve|accept|submit|score|rate|grade|mark|award)\b",
    ),
    _rule("submit_verdict", r"\bsubmit_verdict\b"),
    _rule(
        "passed passing approved successful perfect complete",
        rf"\b(?:mark|grade|rate|score|judge|evaluate|treat)\s+{_THIS}\s[^.]{{0,30}}?"
        r"\b(?:pass(?:ed|ing)|approved|successful|perfect|complete)\b",
        before=80,
        after=15,
    ),
    _rule(
        "pass approve accept",
        r"\b(?:pass|approve|accept)\s+(?:this\s+(?:bundle|submission|report|run|audit|evaluation)"
        r"|the\s+(?:bundle|submission))\b",
    ),
    _rule(
        "give award assign grant",
        r"\b(?:give|award|assign|grant)\b[^.]{0,30}?\b(?:full|top|maximum|highest|perfect)\s+"
        r"(?:mark|score|point|grade|credit|rating)s?\b",
    ),
    _rule(
        "passed",
        r"\b(?:set|mark|output|return|submit|answer|respond|reply)\b[^.\n]{0,20}?"
        r"\bpassed\b[\"'`*]{0,3}\s?(?:to|as|=|:)\s?[\"'`*]{0,3}true\b",
        before=40,
        after=25,
    ),
    _rule("passed", r"\{\s{0,8}[\"']passed[\"']\s?:\s?true\b", before=12, after=25, in_data=False),
    _rule(
        "verdict evaluation judgement judgment",
        r"\b(?:verdict|evaluation|judge?ment)\s+(?:is|must\s+be|should\s+be|shall\s+be|has\s+been)"
        r"\s+(?:over|finished|final|pass(?:ed)?)\b",
    ),
    _rule(
        "system: user:",
        r"^[^\w\n]{0,8}(?:system|user):[^.]{0,60}?\b(?:you\s+(?:are|must|should|will|may)|ignore"
        r"|disregard|from\s+now\s+on|verdict|evaluat|grader|judge)",
        before=10,
        after=100,
    ),
    _rule(
        "tool_result function_results function_calls bundle_data bundle_file antml",
        r"</?(?:tool_result|function_results|function_calls|bundle_data|bundle_file|antml)\b",
        before=2,
        after=25,
    ),
    _rule("inst] <|", r"\[/?inst\]|<\|(?:im_start|im_end|system|endoftext)\|>", before=2, after=25),
    _rule(
        "human: assistant:",
        r"^[^\w\n]{0,8}(?:human|assistant):\s",
        before=10,
        after=100,
        strong=False,
        in_data=False,
    ),
    _rule("invoke system>", r"<invoke\s+name=|</?system>", before=2, after=25, strong=False),
    _rule("passed", r"\bpassed\b[\"'`*]{0,3}\s?[:=]\s?true\b", strong=False, in_data=False),
    _rule(
        "pass",
        r"\b(?:verdict|final answer|confirm|output|respond(?: with)?|return)\s?[:=]?\s?"
        r"[\"'`*]{0,3}pass(?:ed)?\b[\"'`*.!]{0,3}[ \t\r]{0,8}$",
        before=30,
        after=25,
        strong=False,
        in_data=False,
    ),
)
_BY_WORD: Final[dict[str, list[Rule]]] = {
    word: [rule for rule in _RULES if word in rule.words] for rule in _RULES for word in rule.words
}
_WORDS: Final = re.compile("|".join(re.escape(word) for word in sorted(_BY_WORD, reverse=True)))


def find(folded: str, tries: Tries, *, data: bool) -> Iterator[Found]:
    """Yield what speaks to the evaluator; ends early when the tries are used up.

    `data` tells that the text is that of a file of data.
    """
    for word in _WORDS.finditer(folded):
        for rule in _BY_WORD[word[0]]:
            if data and not rule.in_data:
                continue
            if tries.left <= 0:
                return
            tries.left -= 1
            if found := _around(rule, folded, word.start()):
                yield Found(found.start(), found.end(), rule.strong)


def _around(rule: Rule, folded: str, word: int) -> re.Match[str] | None:
    """Return the match that the word at that place belongs to."""
    low = max(0, word - rule.before)
    high = word + rule.after
    if not rule.before:
        return rule.pattern.match(folded, low, high)
    found = rule.pattern.search(folded, low, high)
    while found and found.end() <= word:
        found = rule.pattern.search(folded, found.end(), high)
    return found
