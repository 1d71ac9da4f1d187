"""Everything but judging: look at runs, check a rule, check the machine."""

from pathlib import Path
from typing import Annotated

import typer

from judge_bundles.cli.choices import RecordFormat
from judge_bundles.limits import MAX_KEEP_DAYS

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Look at what was judged. To judge: judge-bundles RUNS... --rule FILE",
)

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where runs are kept. Default: JUDGE_BUNDLES_STORE, else .judge-bundles/store.db.",
    ),
]
FormatOption = Annotated[RecordFormat, typer.Option("--format", help="For people or for machines.")]
NoColorOption = Annotated[
    bool, typer.Option("--no-color", help="No colours; NO_COLOR does the same.")
]
JudgesDirOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--judges-dir",
        metavar="DIR",
        help="A folder of builtin judges of your own; may be given more than once.",
    ),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]


def names() -> tuple[str, ...]:
    """Return the names of the verbs."""
    return tuple(str(command.name) for command in app.registered_commands)


def summary() -> str:
    """Return the verbs as one sentence."""
    return f"Other commands: {', '.join(names())}. See judge-bundles COMMAND --help."


@app.command("show")
def show(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="Run id, a unique beginning of one, or latest.")
    ],
    entry: Annotated[
        str | None, typer.Argument(metavar="ENTRY", help="One bundle, with its trace.")
    ] = None,
    rule_name: Annotated[
        str | None, typer.Option("--rule-name", metavar="NAME", help="Only verdicts of this rule.")
    ] = None,
    transcript: Annotated[
        bool, typer.Option("--transcript", help="With ENTRY: every request and response as well.")
    ] = False,
    output: FormatOption = RecordFormat.text,
    store: StoreOption = None,
    no_color: NoColorOption = False,
    debug: DebugOption = False,
) -> None:
    """Print the verdicts of a run, or one verdict with everything the judge looked at."""
    from judge_bundles.cli import showing

    showing.show(
        showing.Wanted(run, entry, rule_name, transcript=transcript, store=store),
        output,
        store,
        color=False if no_color else None,
    )


@app.command("runs")
def runs(
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="The newest N runs.")
    ] = 20,
    output: FormatOption = RecordFormat.text,
    store: StoreOption = None,
    no_color: NoColorOption = False,
    debug: DebugOption = False,
) -> None:
    """List the runs that are kept, newest first."""
    from judge_bundles.cli import showing

    showing.runs(limit, output, store, color=False if no_color else None)


@app.command("check-rule")
def check_rule(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Rule files.")],
    project_root: Annotated[
        Path | None,
        typer.Option(
            "--project-root", metavar="DIR", help="Where rules look for the files they name."
        ),
    ] = None,
    judges_dir: JudgesDirOption = None,
    no_color: NoColorOption = False,
    debug: DebugOption = False,
) -> None:
    """Check rule files without running anything; exit code 2 when one cannot be used."""
    from judge_bundles.cli import checking

    checking.check_rules(
        tuple(files),
        project_root,
        judges_dirs=tuple(judges_dir or ()),
        color=False if no_color else None,
    )


@app.command("judges")
def judges(
    judges_dir: JudgesDirOption = None,
    output: FormatOption = RecordFormat.text,
    no_color: NoColorOption = False,
    debug: DebugOption = False,
) -> None:
    """List the builtin judges, what each needs and which arguments it takes."""
    from judge_bundles.cli import cataloguing

    cataloguing.judges(tuple(judges_dir or ()), output, color=False if no_color else None)


@app.command("prune")
def prune(
    keep_days: Annotated[
        int,
        typer.Option(
            "--keep-days",
            metavar="N",
            min=0,
            max=MAX_KEEP_DAYS,
            help="Leave runs alone that ended in the last N days.",
            show_default=False,
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be removed, and change nothing.")
    ] = False,
    output: FormatOption = RecordFormat.text,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Remove older runs with their transcripts, but never the newest verdict of a bundle."""
    from judge_bundles.cli import pruning

    pruning.prune(keep_days, output, store, dry_run=dry_run)


@app.command("doctor")
def doctor(
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Model to look into.")
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox", help="Attack the sandbox from inside and show what it withstood."
        ),
    ] = False,
    runtime: Annotated[
        str | None,
        typer.Option("--runtime", metavar="NAME", help="Look at sandboxes of this runtime."),
    ] = None,
    output: FormatOption = RecordFormat.text,
    store: StoreOption = None,
    no_color: NoColorOption = False,
    debug: DebugOption = False,
) -> None:
    """Check engine, image, sandbox, store and model; exit code 3 when something needs attention."""
    from judge_bundles.cli import checking, findings

    found = (
        findings.for_machines()
        if output is RecordFormat.json
        else findings.for_people(color=False if no_color else None)
    )
    wanted = checking.Wanted(model, store, attack=sandbox, runtime=runtime)
    raise typer.Exit(checking.doctor(wanted, found))
