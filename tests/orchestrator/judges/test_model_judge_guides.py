"""The rules on the pages about judges that ask a model run, and say what the pages say."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from judge_bundles import limits, runner
from judge_bundles.bundles.discover import discover
from judge_bundles.judges import llm, pairwise
from judge_bundles.plan import CONTEXT_WINDOW_TOKENS, Plan, resolve_models
from judge_bundles.rules import load_rule
from judge_bundles.rules.model import Overrides
from judge_bundles.store.store import Store
from judge_bundles.verdict import JudgeResult, Verdict
from tests.support.judging import write_bundle

DOCS: Final = Path(__file__).parents[3] / "docs"
LLM, PAIRWISE = ((DOCS / name).read_text("utf-8") for name in ("judge-llm.md", "judge-pairwise.md"))
BLOCK: Final = r"<!-- {} -->\n```\w+\n(.*?)```"


class Silent:
    """Listens to a run and remembers its verdicts."""

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []

    def started(self, run_id: str, pending: int) -> None:
        assert run_id
        assert pending == 1

    def judged(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)


def block(page: str, mark: str) -> str:
    (found,) = re.findall(BLOCK.format(mark), page, re.DOTALL)
    return str(found)


def judged(page: str, folder: Path, *, runs: int) -> Verdict:
    """Judge one bundle by a page's rule and script, so many times; each time after the first against
    the run before."""
    write_bundle(folder / "r" / "b", {"report.md": "# Report\n"})
    for name in ("example: eval.yaml", "script: script.yaml"):
        (folder / name.partition(": ")[2]).write_text(block(page, name))
    overrides = Overrides(model=f"script:{folder}/script.yaml")
    rule = load_rule(folder / "eval.yaml", project_root=folder, overrides=overrides)
    assert rule.warnings == ()
    entries = discover([folder / "r"]).entries
    heard, baseline = Silent(), None
    with Store.open(f"sqlite:///{folder}/store.db") as store:
        for _ in range(runs):
            plan = Plan(("r",), entries, (rule,), baseline=baseline, project_root=folder)
            running = runner.run(plan, store, resolve_models(plan), progress=heard)
            baseline = asyncio.run(running).run_id
    return heard.verdicts[-1]


def answer(result: JudgeResult) -> str:
    score = f" {result.value:g}" if result.status == "scored" else ""
    return f"{result.name}: {result.status}{score}, {result.rationale}"


@pytest.mark.parametrize(("page", "runs"), [(LLM, 1), (PAIRWISE, 2)])
def test_the_rule_on_the_page_says_what_the_page_says(tmp_path: Path, page: str, runs: int) -> None:
    verdict = judged(page, tmp_path, runs=runs)
    told = block(page, "answers").strip().split("\n")
    assert [answer(result) for result in verdict.judges] == told


def sentences(page: str) -> str:
    return " ".join(page.split())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (LLM, f"at most {limits.MAX_PROMPT_CHARACTERS:,} characters"),
        (LLM, f"within {limits.QUESTION_TIMEOUT_S:g} s"),
        (LLM, f"more than {limits.MAX_RATIONALE_CHARACTERS:,} characters is cut"),
        (LLM, f"{CONTEXT_WINDOW_TOKENS:,} tokens of input for each sample"),
        (LLM, f"`{llm.SUBMIT}`"),
        (PAIRWISE, f"`{pairwise.SUBMIT}`"),
        (PAIRWISE, f"better in both orders | `scored`, value {pairwise.VALUES['candidate']}"),
        (PAIRWISE, f"orders disagree | `scored`, value {pairwise.VALUES['tie']}"),
        (PAIRWISE, f"worse in both orders | `scored`, value {pairwise.VALUES['baseline']:.1f}"),
    ],
)
def test_the_words_and_numbers_on_the_pages_are_those_of_the_product(page: str, words: str) -> None:
    assert words in sentences(page)


@pytest.mark.parametrize("page", [LLM, PAIRWISE])
def test_every_prompt_that_a_page_names_is_there(page: str) -> None:
    named: Sequence[str] = re.findall(r"`(rubrics/[^`]+)`", page)
    assert all((DOCS.parent / name).is_file() for name in named)
