"""Every text that a bundle or a model can put into a verdict, through every way out of the program."""

import io
import json
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from judge_bundles import log
from judge_bundles.reports.junit import as_junit
from judge_bundles.reports.progress import Events, Live
from judge_bundles.reports.records import as_json, as_jsonl
from judge_bundles.reports.scores import Scores
from judge_bundles.reports.show import print_verdict
from judge_bundles.reports.style import console
from judge_bundles.reports.summary import summarise
from judge_bundles.reports.table import print_table
from judge_bundles.reports.transcript import print_transcript
from judge_bundles.store.records import EntryRef, Judged, JudgeTrace, RuleRef, TraceStep, Transcript
from judge_bundles.store.store import Store
from judge_bundles.verdict import (
    Coverage,
    CriterionResult,
    Evidence,
    FileCoverage,
    InjectionFlag,
    InspectedStep,
    JudgeResult,
    PrecheckResult,
    Verdict,
    VerdictError,
)
from tests.support.reports import Terminal, ci_commands

KEY: Final = "sk-ant-api03-CANARYcanary0123456789"
TEXTS: Final = {
    "C0": "".join(map(chr, range(32))) + "\x7f",
    "C1": "".join(map(chr, range(0x80, 0xA0))),
    "terminal": "\x1b[2J\x1b[1;1H\x1b]0;title\x07\x1b]52;c;eA==\x07\x1bc\x9b31m",
    "link": "\x1b]8;;http://127.0.0.1:9/\x1b\\PASS\x1b]8;;\x1b\\",
    "bidi": "\u202egpj.exe\u202c \u2066x\u2069 \u200f\u061c",
    "zero width": "re\u200bport\u2060.\ufeffmd\u034f\u00ad\U000e0041",
    "line breaks": "a\nb\rc\vd\fe\x85f\u2028g\u2029h\r\ni",
    "GitHub": "x\n::error file=a::b\n ::add-mask::c\n::stop-commands::t\n##[group]d\n::set-output name=a::b",
    "Azure": "##vso[task.setvariable variable=a]b\n ##[section]c ##vso[x]",
    "TeamCity": "##teamcity[buildStatus text='PASS']",
    "GitLab": "\x1b[0Ksection_start:1:a[collapsed=true]\r\x1b[0Khead\nsection_end:1:a\r\x1b[0K",
    "hidden command": "\ufe0f:\u200b:error::x\n\u3000::error::y #\ufe0f#[group]z",
    "surrogates": "\ud800 \udfff \udcff \ud83d",
    "no XML": "\x00\x0b\ufffe\uffff]]></failure><a>&amp;<!--",
    "formula": "=HYPERLINK(1)\n\t=1\r@SUM(1)\n+1\n-1\n \uff1d1",
    "marks": "a" + "\u0301" * 500 + "\u0489" * 500,
    "long": "x" * 20_000 + " ::error::x " + "##[group]" * 50,
    "markup": "[bold red]x[/] [link=http://x]y[/link] :warning: {counts} %s {0}",
    "right to left": "שלום עולם مرحبا",
    "key": f"before {KEY} after Bearer {KEY}",
    "key in lines": f"a\n{KEY}\n-----BEGIN PRIVATE KEY-----\n{'MIIE' * 16}\n-----END PRIVATE KEY-----",
}


def hostile(text: str) -> Verdict:
    """Return a verdict in which everything that may be any text is this one."""
    evidence = (Evidence(text, 1, 2, text), Evidence(text, page=1))
    steps = (InspectedStep(1, text, text),)
    problem = VerdictError("ungrounded", text, retryable=True)
    judge = JudgeResult(
        text,
        "agent",
        "error",
        rationale=text,
        inspected=steps,
        criteria=(CriterionResult(text, text, evidence, met=True),),
        error=problem,
    )
    check = PrecheckResult(
        0, text, held=False, message=text, file=text, path=text, observed={text: text},
        expected=[text], details=(text,),
    )  # fmt: skip
    return Verdict(
        run_id="run",
        entry_id=text,
        bundle_digest="sha256:0",
        rule=text,
        rule_digest="sha256:1",
        status="error",
        reason=text,
        stage="judge",
        prechecks=(check,),
        judges=(judge,),
        inspected=steps,
        coverage=Coverage((FileCoverage(text, 2, 1),), (text,), 1),
        injection_suspected=(InjectionFlag(text, 1, text),),
        skipped_members=(text,),
        warnings=(text,),
        model=text,
        image_id=text,
        error=problem,
    )


Sink = Callable[[Verdict, io.StringIO], str | None]
"""Writes to the stream, or returns what it writes."""


def shown(verdict: Verdict, stream: io.StringIO) -> None:
    text = verdict.reason
    step = TraceStep(1, text, text, {text: text}, error_kind=text, shown=((text, 0, 1),))
    print_verdict(console(stream), verdict, [JudgeTrace(text, 1, (step,), (), text)])


def transcribed(verdict: Verdict, stream: io.StringIO) -> None:
    text = verdict.reason
    call = {"type": "tool_use", "name": text, "input": {text: text}}
    answer = {"type": "tool_result", "content": [{"type": "text", "text": text}]}
    said = ({"role": text, "content": [text, call, answer, {"type": text, text: text}]},)
    print_transcript(console(stream), Transcript(text, 1, text, text, said))


def tabulated(verdict: Verdict, stream: io.StringIO) -> None:
    print_table(
        console(stream), "run", [verdict], summarise([verdict]), store=f"sqlite:///{verdict.reason}"
    )


def in_progress(verdict: Verdict, stream: io.StringIO) -> None:
    live = Live(console(stream))
    with live.display():
        live.started("run", 1)
        live.judged(verdict)


def junit(verdict: Verdict, _: io.StringIO) -> str:
    scores = Scores(verdict.reason, {})
    return as_junit([verdict], [(verdict.rule, verdict.entry_id)], scores).decode()


PEOPLE: Final[dict[str, Sink]] = {
    "table": tabulated,
    "show": shown,
    "transcript": transcribed,
    "progress": in_progress,
}
MACHINES: Final[dict[str, Sink]] = {
    "json": lambda verdict, _: as_json([verdict]),
    "jsonl": lambda verdict, _: as_jsonl([verdict]),
    "junit": junit,
}


def written(sink: Sink, verdict: Verdict, stream: io.StringIO) -> str:
    return sink(verdict, stream) or stream.getvalue()


def acting(text: str) -> set[str]:
    """Return what would act on who shows the text, or could not be written at all."""
    return {
        character
        for character in text
        if character != "\n"
        and (unicodedata.category(character)[0] == "C" or character in "\u2028\u2029")
    }


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("sink", PEOPLE.values(), ids=PEOPLE)
def test_no_text_acts_on_who_reads_a_log(sink: Sink, text: str) -> None:
    output = written(sink, hostile(text), io.StringIO())
    assert acting(output) == set()
    assert ci_commands(output) == []
    assert KEY not in output


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("sink", PEOPLE.values(), ids=PEOPLE)
@pytest.mark.parametrize("columns", ["40", "100"])
def test_a_terminal_gets_only_the_commands_of_the_program(
    sink: Sink, text: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "dumb")
    output = written(sink, hostile(text), Terminal())
    assert acting(output) <= {"\x1b", "\r"}  # of the bar of progress
    assert not any(sign in output for sign in ("\x1b]", "\x1b[2J", "\x1bc", "\x1b[1;1H"))
    assert KEY not in output


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("sink", MACHINES.values(), ids=MACHINES)
def test_no_text_breaks_out_of_a_record(sink: Sink, text: str, tmp_path: Path) -> None:
    """Records are written of what was kept, which is where secrets go."""
    output = written(sink, kept(hostile(text), tmp_path), io.StringIO())
    assert acting(output) <= {"\t"}
    assert ci_commands(output) == []
    assert KEY not in output
    output.encode("utf-8")
    if sink is junit:
        root = ET.fromstring(output)
        assert [element.tag for element in root.iter("testcase")] == ["testcase"] * 2
    else:
        read: Any = json.loads(output)
        record = read[0] if isinstance(read, list) else read
        assert record["status"] == "error"


def kept(verdict: Verdict, folder: Path) -> Verdict:
    """Return a verdict as the store gives it back."""
    with Store.open(f"sqlite:///{folder}/store.db") as store:
        run_id = store.begin_run(
            sources=["runs"],
            rules=[RuleRef(verdict.rule, verdict.rule_digest, {})],
            entries=[EntryRef(verdict.entry_id, "runs/x", "folder")],
            options={},
        )
        object.__setattr__(verdict, "run_id", run_id)
        store.save(Judged(verdict))
        (stored,) = store.verdicts(run_id)
    return stored


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("log_format", ["json", "console"])
def test_an_event_is_one_line_that_does_nothing(
    text: str, log_format: log.LogFormat, capsys: pytest.CaptureFixture[str]
) -> None:
    log.configure(log_format)
    Events().judged(hostile(text))
    log.get_logger().warning("noticed", **{f"k{text}": text, "value": {text: [text]}})
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2
    assert acting(captured.err) == set()
    assert ci_commands(captured.err) == []
    assert KEY not in captured.err
    if log_format == "json":
        assert [json.loads(line)["event"] for line in captured.err.splitlines()] == [
            "bundle_judged",
            "noticed",
        ]
