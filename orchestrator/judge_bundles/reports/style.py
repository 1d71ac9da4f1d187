"""How things look on a terminal: one console, the colours of a status, money, time."""

from typing import IO, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judge_bundles import escape, log

STATUS_STYLE: Final = {"pass": "green", "fail": "red", "error": "yellow", "skipped": "dim"}
PIPE_WIDTH: Final = 160
"""Columns where the output is not a terminal."""


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to whoever runs the program; the library would end it as if a verdict failed."""
        raise BrokenPipeError


def console(stream: IO[str], *, color: bool | None = None) -> Console:
    """Return a console. `color` None lets the terminal and NO_COLOR decide.

    However it wraps what it prints, no line of it is a command to a CI system.
    """
    terminal = stream.isatty()
    return _Screen(
        file=escape.guarded(lambda: stream),
        no_color=None if color is None else not color,
        force_terminal=terminal if color is None else color and terminal,
        width=None if terminal else PIPE_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def status(word: str) -> Text:
    """Return a status in its colour."""
    return plain(word, style=STATUS_STYLE.get(word, ""))


def plain(text: str, *, style: str = "", limit: int = 0) -> Text:
    """Return text from anywhere as one harmless line without secrets."""
    return Text(escape.line(log.redact(text), limit=limit), style=style)


def block(text: str, *, style: str = "") -> Text:
    """Return text from anywhere as harmless lines without secrets."""
    return Text(escape.block(log.redact(text)), style=style)


def hanging(lead: Text, body: Text) -> Table:
    """Return `body` beside `lead`, and where it wraps, indented to where it began."""
    grid = Table.grid(padding=0)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(lead, body)
    return grid


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def money(dollars: float | None) -> str:
    """Return dollars with enough digits to tell small amounts apart, or a dash."""
    if dollars is None:
        return "-"
    if dollars == 0:
        return "0"
    return f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}"


def seconds(milliseconds: float) -> str:
    """Return a duration for people."""
    value = milliseconds / 1000
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"
