"""`file_complete`: every file that matches has visible text and, if asked, ends with a marker."""

from collections.abc import Sequence
from typing import Literal

from judge_prechecks.completeness import Fault, find_fault
from judge_prechecks.names import show
from judge_prechecks.offenders import listed, named
from judge_prechecks.outcome import Held, UnmetError
from judge_prechecks.parameters import Glob, Marker, Optional, Parameters, left_out
from judge_prechecks.present import counted, quote
from judge_prechecks.registry import precheck
from judge_prechecks.tree import File
from judge_prechecks.view import View, os_reason


class FileComplete(Parameters):
    """Holds when every file that matches `path` has visible text and ends as asked for."""

    type: Literal["file_complete"]
    path: Glob
    must_end_with: Optional[Marker] = left_out
    """The text at the very end; whitespace at the end of it and of the file is ignored."""


@precheck(FileComplete)
def file_complete(spec: FileComplete, view: View) -> Held:
    """Hold when no matching file is blank or cut off."""
    files = view.some_files(spec.path)
    wrong = [(file, reason) for file in files if (reason := _fault(spec, view, file))]
    if wrong:
        raise _incomplete(spec, files, wrong)
    end = f" and ends with {quote(spec.must_end_with)}" if spec.must_end_with else ""
    what = show(files[0].path) if len(files) == 1 else f"each of {len(files):,} files"
    return Held(f"{what} has visible text{end}", file=show(files[0].path))


def _incomplete(
    spec: FileComplete, files: Sequence[File], wrong: Sequence[tuple[File, Fault]]
) -> UnmetError:
    first, fault = wrong[0]
    message = (
        _describe(wrong[0])
        if len(files) == 1
        else f"{len(wrong):,} of {counted(len(files), 'file')} not complete: "
        f"{named(wrong, _describe)}"
    )
    return UnmetError(
        message,
        file=show(first.path),
        observed=fault.observed,
        expected=spec.must_end_with or "some visible character",
        details=listed(wrong, _describe),
    )


def _fault(spec: FileComplete, view: View, file: File) -> Fault | None:
    try:
        with view.open(file) as stream:
            return find_fault(stream, spec.must_end_with)
    except OSError as error:
        return Fault(f"could not be read: {os_reason(error)}")


def _describe(wrong: tuple[File, Fault]) -> str:
    file, fault = wrong
    return f"{show(file.path)} {fault.reason}"
