"""`file_present`: some file of the bundle matches."""

from typing import Literal

from judge_prechecks.names import show
from judge_prechecks.outcome import Held
from judge_prechecks.parameters import Glob, Parameters
from judge_prechecks.present import counted
from judge_prechecks.registry import precheck
from judge_prechecks.view import View


class FilePresent(Parameters):
    """Holds when some file matches `path`; a folder does not count."""

    type: Literal["file_present"]
    path: Glob


@precheck(FilePresent)
def file_present(spec: FilePresent, view: View) -> Held:
    """Hold when some file matches."""
    files = view.some_files(spec.path)
    name = show(files[0].path)
    if len(files) == 1:
        return Held(f"{name} is present", file=name, observed=1)
    message = f"{counted(len(files), 'file')} match {spec.path.shown}"
    return Held(message, file=name, observed=len(files))
