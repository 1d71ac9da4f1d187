"""The program `judge-bundles`: find out which form a line has, run it, turn errors into messages.

Two forms share the name. `judge-bundles RUNS... --rule FILE` judges; a line with `--rule` is always
that form. `judge-bundles VERB …` is everything else.
"""

import os
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer
from typer.exceptions import TyperException

from judge_bundles.cli import judge, verbs
from judge_bundles.cli.choices import NEWEST
from judge_bundles.errors import (
    EXIT_ERROR,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    JudgeBundlesError,
)

PROGRAM: Final = "judge-bundles"
_RUN_ID: Final = re.compile(r"\d{8}-\d{6}-\w+")


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command line and exit with its code. SIGTERM acts as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; the only place that prints errors."""
    arguments = list(argv)
    debug = "--debug" in arguments
    app = judge.app if _judges(arguments) else verbs.app
    if app is judge.app:
        arguments = with_explicit_resume(arguments)
    try:
        code = typer.main.get_command(app).main(
            args=arguments, prog_name=PROGRAM, standalone_mode=False
        )
    except TyperException as error:
        return _complain(error.format_message(), EXIT_USAGE)
    except JudgeBundlesError as error:
        if debug:
            traceback.print_exc()
        return _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the result has gone; nothing more can be said on stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except Exception as error:  # noqa: BLE001 - a crash is exit code 3 and one line, never a traceback
        if debug:
            traceback.print_exc()
        return _complain(
            f"internal error: {type(error).__name__}: {error} (--debug shows where)", EXIT_ERROR
        )
    return code if isinstance(code, int) else 0


def with_explicit_resume(arguments: list[str]) -> list[str]:
    """Give `--resume` without a run id its value, so that it cannot swallow a folder of RUNS."""
    explicit = list(arguments)
    for index, argument in enumerate(arguments):
        if argument != "--resume":
            continue
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        if not _RUN_ID.fullmatch(following) or Path(following).exists():
            explicit[index] = f"--resume={NEWEST}"
    return explicit


def _judges(arguments: list[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if any(option == "--rule" or option.startswith("--rule=") for option in options):
        return True
    return not arguments or arguments[0] not in verbs.names()


def _complain(message: str, code: int) -> int:
    from judge_bundles import escape, log

    text = escape.block(log.redact(message))
    print(f"{PROGRAM}: {text}", file=sys.stderr)
    return code
