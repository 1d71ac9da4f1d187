"""The program `judge-bundles`: find out which form a line has, run it, turn errors into messages.

Two forms share the name. `judge-bundles RUNS... --rule FILE` judges; a line with `--rule` is always
that form. `judge-bundles VERB …` is everything else.
"""

import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

import typer
from typer.exceptions import TyperException

from judge_bundles.cli import interruption, judge, verbs
from judge_bundles.cli.choices import NEWEST
from judge_bundles.errors import (
    EXIT_ERROR,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    JudgeBundlesError,
    UserError,
)

PROGRAM: Final = "judge-bundles"


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command line and exit with its code."""
    sys.stdout, sys.stderr = _tolerant(sys.stdout), _tolerant(sys.stderr)
    code = run(sys.argv[1:] if argv is None else argv)
    code = _flushed(code)
    interruption.ignore_signals()
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; the only place that prints errors."""
    arguments = list(argv)
    debug = "--debug" in arguments
    app = judge.app if _judges(arguments) else verbs.app
    if app is judge.app:
        arguments = with_explicit_resume(arguments)
    try:
        _refuse_stray(arguments)
        return _invoke(app, arguments)
    except TyperException as error:
        return _complain(error.format_message(), EXIT_USAGE)
    except JudgeBundlesError as error:
        return _complain(str(error), error.exit_code, debug=debug)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        _discard_stdout()  # whoever read the result has gone
        return EXIT_ERROR
    except Exception as error:  # noqa: BLE001 - a crash is exit code 3 and one line, never a traceback
        message = f"internal error: {type(error).__name__}: {error}"
        hint = "" if debug else " (--debug shows where)"
        return _complain(message + hint, EXIT_ERROR, debug=debug)


def _invoke(app: typer.Typer, arguments: list[str]) -> int:
    """Run the command and return its exit code, without the main function around it.

    That one says nothing when it is interrupted and ends with 1 when a pipe breaks, which here would
    mean that a verdict failed.
    """
    command = typer.main.get_command(app)
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return EXIT_OK


def with_explicit_resume(arguments: list[str]) -> list[str]:
    """Give `--resume` without a run id its value, so that it cannot swallow a folder of RUNS.

    What follows it is a run id unless it is an option or something that exists.
    """
    explicit = list(arguments)
    for index, argument in enumerate(arguments):
        if argument != "--resume":
            continue
        following = arguments[index + 1] if index + 1 < len(arguments) else "-"
        if following.startswith("-") or Path(following).exists():
            explicit[index] = f"--resume={NEWEST}"
    return explicit


def _judges(arguments: list[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if any(option == "--rule" or option.startswith("--rule=") for option in options):
        return True
    return not arguments or arguments[0] not in verbs.names()


def _refuse_stray(arguments: list[str]) -> None:
    """Refuse a line whose first word is neither a command nor anything to judge."""
    first = arguments[0] if arguments else "-"
    named = any(option == "--rule" or option.startswith("--rule=") for option in arguments)
    known = first in verbs.names() or first.startswith("-") or os.path.lexists(first)
    if not named and not known:
        raise UserError(
            f"there is no command and no folder {first}. Commands: {', '.join(verbs.names())}. "
            "To judge: judge-bundles RUNS... --rule FILE"
        )


def _complain(message: str, code: int, *, debug: bool = False) -> int:
    """Print an error that may quote anything; with `debug`, where it came from as well."""
    from judge_bundles import escape, log

    text = message if message.startswith("Usage: ") else f"{PROGRAM}: {message}"
    if debug:
        text = f"{traceback.format_exc()}{text}"
    print(escape.block(log.redact(text)), file=sys.stderr)
    return code


def _tolerant(stream: TextIO | None) -> TextIO:
    """Return a stream that takes any text, whatever its encoding, and that is there."""
    if (
        stream is None
    ):  # closed by whoever started this; a file opened later must not take its place
        return Path(os.devnull).open("w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def _flushed(code: int) -> int:
    """Write out what is left of the result; one that cannot be written is never exit code 0."""
    try:
        sys.stdout.flush()
    except KeyboardInterrupt:
        _discard_stdout()
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return EXIT_ERROR
    except OSError as error:
        _discard_stdout()
        return _complain(f"the result cannot be written: {error.strerror}", EXIT_ERROR)
    return code


def _discard_stdout() -> None:
    """Let what is still buffered go nowhere, so that the interpreter ends without a complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
