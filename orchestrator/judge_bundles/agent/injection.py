"""Find text in a bundle that speaks to whoever evaluates it.

A flag is information for people and never changes a verdict by itself; only a pass that rests on
nothing but such text is refused (see `review`). Patterns are linear: no nested repetition.
"""

import re
from collections.abc import Iterator
from typing import Final

from judge_bundles.agent.text import decode
from judge_bundles.limits import MIB
from judge_bundles.verdict import InjectionFlag
from judge_prechecks.names import show
from judge_prechecks.tree import File, Tree

MAX_FLAGS: Final = 50
MAX_SCANNED_FILE_BYTES: Final = 4 * MIB
"""Of a larger file only so much is scanned, from its beginning."""
MAX_SCANNED_BYTES: Final = 32 * MIB
MAX_EXCERPT_CHARACTERS: Final = 200
MAX_LINE_CHARACTERS: Final = 2_000
"""Of a longer line only the part around a trigger is looked at."""

_EVALUATOR: Final = r"(?:judge|evaluator|grader|assessor|reviewer|auditor|examiner|evaluating)"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|preceding|all)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules|rubric|criteria|guidelines)\b",
        rf"\b(?:dear|attention|hey|hello|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)|to)\s+(?:the |any |all |every |ai |llm |automated ){{0,3}}{_EVALUATOR}\b",
        rf"\byou are (?:now )?(?:the |an? )?(?:ai |llm |automated )?{_EVALUATOR}\b",
        rf"\b{_EVALUATOR}s?\b[^.\n]{{0,40}}\b(?:must|should|shall|has to|have to|needs? to|please)\b[^.\n]{{0,40}}\b(?:pass|approve|accept|submit|score|rate|grade|mark)\b",
        r"\bsubmit_verdict\b",
        r"\b(?:mark|grade|rate|score|judge|evaluate|treat)\s+(?:this|it|the (?:bundle|report|submission|run|output|work))\b[^.\n]{0,30}\b(?:as )?(?:pass(?:ed|ing)?|approved|successful|perfect|complete)\b",
        r"\b(?:pass|approve|accept) (?:this|the) (?:bundle|submission|report|run|audit|evaluation|work)\b",
        r"\b(?:verdict|evaluation|judgement|judgment) (?:is|must be|should be|shall be|has been) (?:over|finished|complete|pass(?:ed)?|final)\b",
        r"\b(?:verdict|final answer|confirm|answer|output|respond(?: with)?|return)\s*[:=]?\s*[\"'`*]{0,3}pass(?:ed)?\b[\"'`*.!]{0,3}\s*$",
        r"^\s{0,8}(?:system|human|assistant|user)\s*:\s",
        r"</?(?:tool_result|function_results|function_calls|invoke|system|bundle_data|bundle_file|antml)\b",
        r"\[/?INST\]|<\|(?:im_start|im_end|system|endoftext)\|>",
    )
)
_CLAIMED_VERDICT: Final = re.compile(r"[\"']?\bpassed[\"']?\s*[:=]\s*true\b", re.IGNORECASE)
_TRIGGER: Final = re.compile(
    r"ignore|disregard|forget|override|judge|evaluat|grader|assessor|reviewer|auditor|examiner"
    r"|submit_verdict|passed|pass\b|approve|accept|mark|grade|rate|score|treat|verdict|judg"
    r"|system|human|assistant|user|</?tool_|function_|invoke|bundle_|antml|inst\]|<\|",
    re.IGNORECASE,
)


def addresses_evaluator(text: str, file: str) -> bool:
    """Tell whether any line of `text`, quoted from `file`, speaks to the evaluator."""
    return any(_suspicious(line, file) for line in text.splitlines())


def scan(tree: Tree) -> tuple[InjectionFlag, ...]:
    """Return the places that speak to the evaluator, file by file, at most `MAX_FLAGS`."""
    flags: list[InjectionFlag] = []
    left = MAX_SCANNED_BYTES
    for file in tree.files:
        name = show(file.path)
        if _suspicious(file.path, ""):
            flags.append(InjectionFlag(name, 1, _excerpt(f"(file name) {name}")))
        content = _content(tree, file, min(left, MAX_SCANNED_FILE_BYTES))
        left -= min(file.size, MAX_SCANNED_FILE_BYTES)
        flags.extend(_flags(content, name))
        if len(flags) >= MAX_FLAGS or left <= 0:
            break
    return tuple(flags[:MAX_FLAGS])


def _content(tree: Tree, file: File, limit: int) -> str:
    with tree.open(file) as stream:
        raw = stream.read(limit)
    text = decode(raw)
    if text is None and b"\0" not in raw:
        return raw.decode("utf-8", "replace")
    return text.content if text else ""


def _flags(content: str, name: str) -> Iterator[InjectionFlag]:
    line_number, counted, flagged_to = 1, 0, -1
    for trigger in _TRIGGER.finditer(content):
        if trigger.start() <= flagged_to:
            continue
        start = max(
            content.rfind("\n", 0, trigger.start()) + 1, trigger.start() - MAX_LINE_CHARACTERS
        )
        end = content.find("\n", trigger.start(), trigger.start() + MAX_LINE_CHARACTERS)
        end = end if end >= 0 else min(len(content), trigger.start() + MAX_LINE_CHARACTERS)
        flagged_to = end
        if _suspicious(content[start:end], name):
            line_number += content.count("\n", counted, start)
            counted = start
            yield InjectionFlag(name, line_number, _excerpt(content[start:end]))


def _suspicious(line: str, file: str) -> bool:
    """A bare `"passed": true` in a JSON file is ordinary data; in prose it claims a verdict."""
    if any(pattern.search(line) for pattern in _PATTERNS):
        return True
    return bool(_CLAIMED_VERDICT.search(line)) and not file.endswith((".json", ".jsonl"))


def _excerpt(line: str) -> str:
    shown = line.strip()
    return (
        shown if len(shown) <= MAX_EXCERPT_CHARACTERS else shown[: MAX_EXCERPT_CHARACTERS - 1] + "…"
    )
