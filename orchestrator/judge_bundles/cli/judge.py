"""The judging form: `judge-bundles RUNS... --rule FILE`.

Options are read here, and nothing else happens here; `judging` does the work.
"""

from pathlib import Path
from typing import Annotated, Final

import typer

from judge_bundles.cli import verbs
from judge_bundles.cli.choices import FailOn, Format, LogFormat
from judge_bundles.limits import DEFAULT_CONCURRENCY, MAX_CONCURRENCY, IntakeLimits

_LIMITS: Final = IntakeLimits()
_HELP: Final = (
    "Judge every bundle under RUNS: an exact gate first, then, for those that hold, an agent in a "
    "fresh container.\n\n"
    "Exit codes: 0 every verdict is pass, or every threshold of the rule is met; 1 a verdict failed, "
    "or a threshold was missed; 2 bad usage or rule, nothing ran; "
    "3 a bundle ended in error or was left unjudged; 4 no bundle found; 130 interrupted."
)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer hands the flag's value over like this
    if wanted:
        from judge_bundles import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command(help=_HELP, epilog=verbs.summary(), no_args_is_help=True)
def judge(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUNS", help="Folders of bundles, or archives.", show_default=False),
    ],
    rule: Annotated[
        list[Path],
        typer.Option(
            "--rule",
            metavar="FILE",
            help="Rule file; may be given more than once.",
            show_default=False,
        ),
    ],
    single: Annotated[
        bool, typer.Option("--single", help="Each folder of RUNS is itself one bundle.")
    ] = False,
    glob: Annotated[
        list[str] | None,
        typer.Option(
            "--glob", metavar="PATTERN", help="Pick bundles at other depths, such as 'jobs/*/*'."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Judge the first N bundles only."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Model for every judge: claude-…, bedrock/…, vertex/…, foundry/…, script:FILE.",
        ),
    ] = None,
    runtime: Annotated[
        str | None,
        typer.Option(
            "--runtime",
            metavar="NAME",
            help="The engine's runtime for every sandbox, such as gVisor's runsc.",
        ),
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            "-c",
            metavar="N",
            min=1,
            max=MAX_CONCURRENCY,
            help="Bundles in flight at once.",
        ),
    ] = DEFAULT_CONCURRENCY,
    prechecks_only: Annotated[
        bool, typer.Option("--prechecks-only", help="Run the gate alone: no model, no container.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and the most it could cost.")
    ] = False,
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", metavar="USD", help="Stop spending at so many dollars."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Go on with a run: by id, or the newest unfinished one of these RUNS and rules.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Judge again what an earlier run has judged already.")
    ] = False,
    output: Annotated[Format, typer.Option("--format", help="What stdout carries.")] = Format.table,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well.")
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="FILE",
            help="Write what each judge amounts to, with thresholds and exit code, as JSON.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RUN",
            help="Compare with an earlier run: regressions, and the rule's pairwise judge.",
        ),
    ] = None,
    fail_on: Annotated[
        FailOn,
        typer.Option(
            "--fail-on",
            help="With --baseline, what counts against the exit code: any failure, or new ones.",
        ),
    ] = FailOn.any,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="Where runs are kept. Default: JUDGE_BUNDLES_STORE, else .judge-bundles/store.db.",
        ),
    ] = None,
    project_root: Annotated[
        Path | None,
        typer.Option(
            "--project-root",
            metavar="DIR",
            help="Where rules look for the files they name. Default: here.",
        ),
    ] = None,
    judges_dir: Annotated[
        list[Path] | None,
        typer.Option(
            "--judges-dir",
            metavar="DIR",
            help="A folder of builtin judges of your own; may be given more than once.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="A name for the run.")
    ] = None,
    log_format: Annotated[
        LogFormat | None,
        typer.Option(
            "--log-format", help="Events on stderr, in this form, instead of the live display."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="On stderr, warnings and errors only.")
    ] = False,
    no_color: Annotated[
        bool, typer.Option("--no-color", help="No colours; NO_COLOR does the same.")
    ] = False,
    max_members: Annotated[
        int, typer.Option(min=1, metavar="N", help="Intake: files and folders of one bundle.")
    ] = _LIMITS.max_members,
    max_file_bytes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Intake: bytes of one file.")
    ] = _LIMITS.max_file_bytes,
    max_total_bytes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Intake: bytes of one bundle.")
    ] = _LIMITS.max_total_bytes,
    max_ratio: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Intake: unpacked bytes for each byte of an archive."
        ),
    ] = _LIMITS.max_ratio,
    max_path_bytes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Intake: bytes of a path inside a bundle.")
    ] = _LIMITS.max_path_bytes,
    max_name_bytes: Annotated[
        int, typer.Option(min=1, max=255, metavar="N", help="Intake: bytes of one name in a path.")
    ] = _LIMITS.max_name_bytes,
    max_depth: Annotated[
        int, typer.Option(min=1, metavar="N", help="Intake: folders below one another.")
    ] = _LIMITS.max_depth,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Collect the options and hand them on."""
    from judge_bundles.cli import judging, request

    code = judging.judge(
        request.Selection(
            tuple(runs), tuple(rule), single=single, patterns=tuple(glob or ()), limit=limit
        ),
        request.Options(
            model=model,
            runtime=runtime,
            concurrency=concurrency,
            prechecks_only=prechecks_only,
            dry_run=dry_run,
            max_cost=max_cost,
            resume=resume,
            fresh=fresh,
            store=store,
            project_root=project_root,
            judges_dirs=tuple(judges_dir or ()),
            name=name,
            baseline=baseline,
            fail_on_new=fail_on is FailOn.new,
            intake_limits=IntakeLimits(
                max_members=max_members,
                max_file_bytes=max_file_bytes,
                max_total_bytes=max_total_bytes,
                max_ratio=max_ratio,
                max_path_bytes=max_path_bytes,
                max_name_bytes=max_name_bytes,
                max_depth=max_depth,
            ),
        ),
        request.Output(
            output,
            junit=junit,
            summary=summary,
            log_format=log_format,
            quiet=quiet,
            no_color=no_color,
            debug=debug,
            store=store,
        ),
    )
    raise typer.Exit(code)
