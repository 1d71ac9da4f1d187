"""What a worker process does for judges: `if`, Python judges, prompts.

It is set up with the code of all rules of a run; a request names rule, judge and bundle. Code of a
rule's author is loaded and run here and nowhere else.
"""

from collections.abc import Callable, Mapping
from typing import Any

# What would else be imported only when it is needed: from then on the project root comes first.
import jinja2.debug  # noqa: F401 - see above

import judge_bundles.documents.yaml_document  # noqa: F401 - see above
from judge_bundles.judge_code import functions
from judge_bundles.judge_code.answers import Answer, answer, refuse_unfinished
from judge_bundles.judge_code.comparison import compared
from judge_bundles.judge_code.definitions import JudgeCode, PromptTemplates, RuleCode
from judge_bundles.judge_code.prompts import Prompts
from judge_bundles.judge_code.records import Records
from judge_bundles.judge_code.refusals import Places
from judge_bundles.judge_code.watch import Watch
from judge_bundles.limits import MAX_JUDGE_NOTES
from judge_bundles.record import Record
from judge_bundles.workers.serve import Operation

_Function = Callable[[Record], Any]


def start(setup: dict[str, Any]) -> Mapping[str, Operation]:
    """Return the operations for the rules of one run; no code of theirs runs yet."""
    program = Program(setup)
    return {
        "holds": program.holds,
        "evaluate": program.evaluate,
        "prompt": program.prompt,
        "pair": program.pair,
    }


class Program:
    """One process. Requests and answers are JSON; every method raises `JudgementError`."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self._root: str = setup["project_root"]
        self._rules = {name: RuleCode.of(rule, self._root) for name, rule in setup["rules"].items()}
        self._records = Records()
        self._prompts = Prompts()
        self._watch = Watch()
        self._loaded: dict[tuple[str, str], _Function] = {}

    def holds(self, request: dict[str, Any]) -> bool:
        """Return whether the judge's `if` is true of the bundle."""
        judge, record = self._judge(request), self._record(request, "bundle")
        name = f"the `if` of {judge.name}"

        def evaluate() -> bool:
            functions.enter(self._root)
            space = {"outputs": record, "annotations": record["annotations"]}
            value = eval(functions.condition(str(judge.condition), name), space)  # noqa: S307 - the rule's own
            refuse_unfinished(value)
            return bool(value)

        held, _ = self._watch.run(evaluate, Places({name: name}, self._root))
        return held

    def evaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return value and rationale of a judge in Python."""
        key = request["rule"], request["judge"]
        code = self._judge(request).python
        assert code is not None, "only judges in Python are evaluated"
        record = self._record(request, "bundle")
        places = Places({functions.filename(code): code.label}, code.project_root)

        def evaluate() -> Answer:
            functions.enter(code.project_root)
            if key not in self._loaded:
                self._loaded[key] = functions.function(code)
            return answer(self._loaded[key](record), code.score_range)

        given, said = self._watch.run(evaluate, places)
        notes = [*record.notes, *said]
        if given.cut is not None:
            notes.append(f"the rationale is cut, it has {given.cut:,} characters")
        return {"value": given.value, "rationale": given.rationale, "notes": _bounded(notes)}

    def prompt(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the rendered prompt of an LLM judge."""
        record = self._record(request, "bundle")
        text, absent = self._prompts.prompt(self._templates(request), record)
        return {"text": text, "notes": _bounded([*record.notes, *absent])}

    def pair(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return both prompts of the pairwise judge."""
        candidate, baseline = (self._record(request, side) for side in ("candidate", "baseline"))
        pair = compared(self._prompts, self._templates(request), candidate, baseline)
        return pair | {"notes": _bounded(pair["notes"])}

    def _judge(self, request: dict[str, Any]) -> JudgeCode:
        return self._rules[request["rule"]].judges[request["judge"]]

    def _templates(self, request: dict[str, Any]) -> PromptTemplates:
        templates = self._judge(request).prompt
        assert templates is not None, "only LLM judges have a prompt"
        return templates

    def _record(self, request: dict[str, Any], side: str) -> Record:
        return self._records.record(request[side], self._rules[request["rule"]].record)


def _bounded(notes: list[str]) -> list[str]:
    more = len(notes) - MAX_JUDGE_NOTES
    return [*notes[:MAX_JUDGE_NOTES], f"and {more:,} more notes"] if more > 0 else notes
