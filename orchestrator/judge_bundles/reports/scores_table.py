"""The judges of a run as a table for people, with the limits that they met and missed."""

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from judge_bundles.reports.scores import Scores
from judge_bundles.reports.style import counted, hanging, plain
from judge_bundles.scoring import GATE, Comparison, JudgeAggregate, PairwiseSummary, RunScore

_MARKS = {"met": ("met", "green"), "missed": ("missed", "red"), "not_evaluated": ("-", "dim")}
MAX_NAMED = 10


def print_scores(console: Console, scores: Scores) -> None:
    """Print one block for each rule that has more to say than its verdicts do."""
    for rule, score in scores.by_rule.items():
        if _is_told_by_the_verdicts(score):
            continue
        if len(scores.by_rule) > 1:
            console.print(Text.assemble("rule ", plain(rule, style="bold")))
        console.print(_judges(score))
        console.print()
        for line in (*_pairwise(score.pairwise), *_comparison(score.comparison)):
            console.print(line)
        for result in score.thresholds:
            if result.status != "met":
                word, style = _MARKS[result.status]
                console.print(hanging(Text(f"{word:<8}", style), plain(result.sentence)))


def _is_told_by_the_verdicts(score: RunScore) -> bool:
    """One agent judge beside the gate, no limits, nothing to compare with."""
    return len(score.aggregates) <= 2 and not score.thresholds and score.comparison is None


def _judges(score: RunScore) -> Table:
    table = Table(box=box.SIMPLE_HEAD, expand=False, pad_edge=False, show_edge=False)
    table.add_column("judge", overflow="fold")
    for heading in ("result", "spread", "scored", "errors", "skipped"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("limits", overflow="fold")
    for name, one in score.aggregates.items():
        if name == GATE and not (one.scored or one.errored):
            continue
        table.add_row(
            plain(name),
            _result(one),
            _spread(one),
            str(one.scored),
            Text(str(one.errored), "yellow" if one.errored else ""),
            str(one.skipped),
            _limits(score, name),
        )
    return table


def _result(one: JudgeAggregate) -> str:
    if one.pass_rate is not None:
        return f"{one.passed} of {one.scored} pass"
    return "-" if one.mean is None else f"mean {one.mean:.4g}"


def _spread(one: JudgeAggregate) -> str:
    if one.pass_rate is not None or one.minimum is None or one.maximum is None:
        return ""
    return f"{one.minimum:.4g} to {one.maximum:.4g}"


def _limits(score: RunScore, judge: str) -> Text:
    shown = Text()
    for result in score.thresholds:
        if result.judge == judge:
            word, style = _MARKS[result.status]
            shown.append("  " if shown else "")
            shown.append(f"{result.key} {result.limit:g} ").append(word, style)
    return shown


def _pairwise(summary: PairwiseSummary | None) -> Iterator[Text]:
    if summary is None:
        return
    rate = "-" if summary.win_rate is None else f"{summary.win_rate:.4g}"
    line = f"pairwise: {counted(summary.wins, 'win')}, {counted(summary.ties, 'tie')}, "
    losses = "1 loss" if summary.losses == 1 else f"{summary.losses} losses"
    yield Text(f"{line}{losses}, {counted(summary.errors, 'error')}, win rate {rate}")


def _comparison(compared: Comparison | None) -> Iterator[Text]:
    if compared is None:
        return
    for what, entries, style in (
        ("newly failing", compared.newly_failing, "red"),
        ("still failing", compared.still_failing, ""),
        ("fixed", compared.fixed_bundles, "green"),
        ("not in the baseline", compared.only_candidate, ""),
        ("only in the baseline", compared.only_baseline, ""),
    ):
        if entries:
            named = ", ".join(entries[:MAX_NAMED])
            more = f" and {len(entries) - MAX_NAMED} more" if len(entries) > MAX_NAMED else ""
            yield Text.assemble((f"{what}: {len(entries)}", style), "  ", plain(named + more))
