"""Build the two texts a judgement starts from, out of the prompt files in `rubrics/`.

Text of the bundle is fenced with a mark its author cannot know: the mark is derived from the
bundle's own digest, so it is the same for the same content and cannot be written into that content.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from judge_bundles import resources
from judge_bundles.agent.text import decode
from judge_bundles.limits import (
    MAX_LISTED_FILES,
    MAX_QUOTE_CHARACTERS,
    MAX_TASK_INPUT_CHARACTERS,
)
from judge_bundles.rules.model import AgentJudgeSpec
from judge_prechecks.names import show
from judge_prechecks.tree import File, Tree

TASK_INPUT_NAMES: Final = ("input.yaml", "input.yml", "input.json", "input.md", "input.txt")
"""Files at the top of a bundle, or of its only folder, that hold what the agent was asked to do."""

_FREE_TEXT: Final = "None declared: name the criteria that the rubric implies, at least one."


def fence_mark(bundle_digest: str) -> str:
    """Return the mark that fences the text of one bundle."""
    return hashlib.sha256(f"fence:{bundle_digest}".encode()).hexdigest()[:16]


def fenced(text: str, mark: str) -> str:
    """Return bundle text between its marks."""
    return f'<bundle_data id="{mark}">\n{text}\n</bundle_data id="{mark}">'


def system_prompt(mark: str) -> str:
    """Return the system prompt of a judgement."""
    return resources.prompt("agent-judge-system").substitute(
        nonce=mark, max_quote=f"{MAX_QUOTE_CHARACTERS:,}"
    )


def first_message(spec: AgentJudgeSpec, tree: Tree, must_read: Sequence[str], mark: str) -> str:
    """Return the first user message: rubric, criteria, listing and the task input, if any.

    `must_read` are the names of the files that the rule's patterns mean; being names, they stand
    among the data of the bundle.
    """
    task_input = _task_input(tree)
    return resources.prompt("agent-judge-task").substitute(
        rubric=spec.rubric.strip(),
        criteria="\n".join(f"- {criterion.id}: {criterion.text}" for criterion in spec.criteria)
        or _FREE_TEXT,
        must_read=_must_read(spec),
        summary=_summary(tree),
        listing="\n".join(
            _listing(tree) + [f"to be read: {name}" for name in must_read[:MAX_LISTED_FILES]]
        ),
        task_input=f"\n# What the agent was asked to do\n{fenced(task_input, mark)}\n"
        if task_input
        else "",
        nonce=mark,
    )


def _must_read(spec: AgentJudgeSpec) -> str:
    if not spec.must_read:
        return ""
    wanted = ", ".join(f"{item.path} ({item.min_coverage:.0%})" for item in spec.must_read)
    return f"\n# To be read\nA pass is accepted only after these files were read: {wanted}\n"


def _summary(tree: Tree) -> str:
    total = sum(file.size for file in tree.files)
    text = f"{len(tree.files):,} files, {total:,} bytes."
    if len(tree.files) > MAX_LISTED_FILES:
        text += f" The first {MAX_LISTED_FILES} are listed; list_files shows the rest."
    if tree.skipped:
        text += f" {len(tree.skipped):,} links or special files were left out and cannot be opened."
    return text


def _listing(tree: Tree) -> list[str]:
    lines = [f"{file.size:>12,}  {show(file.path)}" for file in tree.files[:MAX_LISTED_FILES]]
    lines += [f"{member.kind:>12}  {show(member.path)}" for member in tree.skipped[:20]]
    return lines


def _task_input(tree: Tree) -> str:
    by_path = {file.path: file for file in tree.files}
    for name in TASK_INPUT_NAMES:
        for path in (name, f"{_only_folder(tree.files)}/{name}"):
            if path in by_path:
                return _bounded_text(tree, by_path[path])
    return ""


def _only_folder(files: Sequence[File]) -> str:
    tops = {file.path.partition("/")[0] for file in files}
    return tops.pop() if len(tops) == 1 else ""


def _bounded_text(tree: Tree, file: File) -> str:
    with tree.open(file) as stream:
        raw = stream.read(MAX_TASK_INPUT_CHARACTERS * 4 + 1)
    whole = len(raw) == file.size
    text = decode(raw, whole=whole)
    if text is None:
        return f"({show(file.path)} is not text)"
    content = text.content
    if whole and len(content) <= MAX_TASK_INPUT_CHARACTERS:
        return content
    return content[:MAX_TASK_INPUT_CHARACTERS] + f"\n[cut: read {show(file.path)} for the rest]"
