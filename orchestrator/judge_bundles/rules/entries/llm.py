"""Judges that ask a model: `llm_rubric`, `prompt`, `prompt_file`, builtin prompts, `pairwise`."""

from collections.abc import Collection
from typing import Final

from judge_bundles.documents.problems import show_path
from judge_bundles.rules.catalogue import Builtin
from judge_bundles.rules.entries.entry import Entry
from judge_bundles.rules.entries.kinds import TextKey, text_key
from judge_bundles.rules.judge_specs import LlmJudgeSpec, PairwiseSpec, TextFile
from judge_bundles.rules.texts import normal_text

YES_OR_NO: Final = "bool"
"""The `feedback_type` of a judge that says yes or no."""

_CONVERSATION: Final = "conversation"
_CONVERSATION_SECTION: Final = "# Agent Response to Evaluate\n\n{{ conversation }}"
_DEFAULT_RANGE: Final = (1.0, 5.0)


def llm_judge(entry: Entry) -> LlmJudgeSpec:
    """Return the judge of an entry with a text of its own."""
    key = text_key(entry)
    text = _text(entry, key)
    used = _check_template(entry, text, _judge_variables(), key)
    if key == "llm_rubric" and _CONVERSATION not in used:
        text = f"{text}\n\n{_CONVERSATION_SECTION}"
    return LlmJudgeSpec(
        name=entry.file.name,
        type="llm",
        template=text,
        description=entry.file.description,
        condition=entry.file.if_,
        arguments=entry.file.arguments,
        context=_context(entry, _judge_variables()),
        pass_fail=_is_pass_fail(entry, key),
        score_range=entry.file.score_range or _DEFAULT_RANGE,
        model=entry.setting.models.for_judge(entry.file.model),
        samples=entry.file.samples,
        max_tokens=entry.file.max_tokens,
    )


def builtin_judge(entry: Entry, builtin: Builtin) -> LlmJudgeSpec:
    """Return the judge of an entry whose `builtin` is a prompt; it always says pass or fail."""
    if entry.file.score_range is not None:
        entry.add(f"`{builtin.name}` says pass or fail and has no scale", "score_range")
    if entry.file.feedback_type not in {None, YES_OR_NO}:
        entry.add(f"`{builtin.name}` says pass or fail: leave it out, or `bool`", "feedback_type")
    for name, problem in builtin.declared.problems(entry.file.arguments):
        entry.add(problem, "arguments", *(() if name is None else (name,)))
    _check_template(
        entry, builtin.text, _judge_variables(), "builtin", file=show_path(builtin.file)
    )
    return LlmJudgeSpec(
        name=entry.file.name,
        type="builtin",
        template=builtin.text,
        description=entry.file.description,
        condition=entry.file.if_,
        arguments=builtin.declared.completed(entry.file.arguments),
        builtin=builtin.qualified,
        context=_context(entry, _judge_variables()),
        model=entry.setting.models.for_judge(entry.file.model),
        samples=entry.file.samples,
        max_tokens=entry.file.max_tokens,
    )


def pairwise_judge(entry: Entry) -> PairwiseSpec:
    """Return what compares two bundles."""
    from judge_bundles.rules.templates import PAIRWISE_VARIABLES  # noqa: PLC0415 - see _check_template

    key = text_key(entry)
    text = _text(entry, key)
    _check_template(entry, text, PAIRWISE_VARIABLES, key)
    return PairwiseSpec(
        template=text,
        description=entry.file.description,
        arguments=entry.file.arguments,
        context=_context(entry, PAIRWISE_VARIABLES),
        model=entry.setting.models.for_judge(entry.file.model),
        max_tokens=entry.file.max_tokens,
    )


def _text(entry: Entry, key: TextKey) -> str:
    text: str = getattr(entry.file, key)
    return entry.read(text, key) if key == "prompt_file" else normal_text(text)


def _context(entry: Entry, known: Collection[str]) -> tuple[TextFile, ...]:
    files = []
    for index, name in enumerate(entry.file.context):
        text = entry.read(name, "context", index)
        _check_template(entry, text, known, "context", index)
        files.append(TextFile(name, text))
    return tuple(files)


def _is_pass_fail(entry: Entry, key: TextKey) -> bool:
    """Tell what kind of answer is asked for: as declared, else as it is usual for the text."""
    declared, scale = entry.file.feedback_type, entry.file.score_range
    if declared is not None:
        if declared != YES_OR_NO and declared.casefold().startswith(YES_OR_NO):
            entry.warn("means a score: write `bool` for pass or fail", "feedback_type")
        return declared == YES_OR_NO
    return key == "llm_rubric" and scale is None


def _judge_variables() -> Collection[str]:
    from judge_bundles.rules.templates import JUDGE_VARIABLES  # noqa: PLC0415 - see _check_template

    return JUDGE_VARIABLES


def _check_template(
    entry: Entry, text: str, known: Collection[str], *below: str | int, file: str = ""
) -> Collection[str]:
    """Return the variables that a template uses; what is wrong with it is added to the entry.

    Jinja2 comes with this, so that rules without a template need not wait for it.
    """
    from judge_bundles.rules.templates import read_template  # noqa: PLC0415 - see above

    try:
        use = read_template(text, known)
    except ValueError as error:
        entry.add(f"{f'{file}: ' if file else 'in the template, '}{error}", *below)
        return ()
    for hint in use.hints:
        entry.warn(hint, *below)
    return use.variables
