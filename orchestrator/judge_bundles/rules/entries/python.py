"""Judges in Python: `check`, `module` with `function`, and builtins that are a `.py` file."""

from judge_bundles.documents.problems import show_path
from judge_bundles.rules.arguments import Declared
from judge_bundles.rules.catalogue import Builtin
from judge_bundles.rules.catalogue.builtin_file import FUNCTION
from judge_bundles.rules.entries.entry import Entry
from judge_bundles.rules.judge_specs import PythonJudgeSpec
from judge_bundles.rules.python_function import OUTPUTS, find_function
from judge_bundles.rules.python_module import find_module
from judge_bundles.rules.python_text import check_body, parsed, undefined_names


def check_judge(entry: Entry) -> PythonJudgeSpec:
    """Return the judge of an entry with `check`."""
    source = entry.file.check or ""
    try:
        check_body(source)
    except ValueError as error:
        entry.add(str(error), "check")
    else:
        for name in undefined_names(source):
            entry.warn(f"nothing defines `{name}`: there are `outputs` and `arguments`", "check")
    return PythonJudgeSpec(
        name=entry.file.name,
        type="check",
        source=source,
        description=entry.file.description,
        condition=entry.file.if_,
        arguments=entry.file.arguments,
        score_range=entry.file.score_range,
    )


def code_judge(entry: Entry) -> PythonJudgeSpec:
    """Return the judge of an entry with `module` and `function`."""
    module, function = entry.file.module or "", entry.file.function or ""
    file, source = None, ""
    try:
        found = find_module(module, entry.setting.project_root)
    except ValueError as error:
        entry.add(str(error), "module")
    else:
        file, source = str(found.file), found.text
        try:
            declared = find_function(parsed(source), function, source, by_name=True)
        except ValueError as error:
            entry.add(f"{show_path(file)}: {error}", "function")
        else:
            check_arguments(entry, declared)
    return PythonJudgeSpec(
        name=entry.file.name,
        type="code",
        source=source,
        description=entry.file.description,
        condition=entry.file.if_,
        arguments=entry.file.arguments,
        file=file,
        module=module,
        function=function,
        project_root=str(entry.setting.project_root.resolve()),
        score_range=entry.file.score_range,
    )


def builtin_judge(entry: Entry, builtin: Builtin) -> PythonJudgeSpec:
    """Return the judge of an entry whose `builtin` is in Python."""
    check_arguments(entry, builtin.declared)
    return PythonJudgeSpec(
        name=entry.file.name,
        type="builtin",
        source=builtin.text,
        description=entry.file.description,
        condition=entry.file.if_,
        arguments=builtin.declared.completed(entry.file.arguments),
        builtin=builtin.qualified,
        file=str(builtin.file),
        function=FUNCTION,
        score_range=entry.file.score_range,
    )


def check_arguments(entry: Entry, declared: Declared) -> None:
    """Find arguments that the function cannot be called with."""
    if OUTPUTS in entry.file.arguments:
        entry.add(f"`{OUTPUTS}` is the record: name the argument otherwise", "arguments", OUTPUTS)
        return
    for name, problem in declared.problems(entry.file.arguments):
        entry.add(problem, "arguments", *(() if name is None else (name,)))
