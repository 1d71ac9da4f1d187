"""The texts of a rule: rubrics, prompts and their context, from the rule or from files beside it.

A rule's author may name any readable file; a bundle has no say in it.
"""

from pathlib import Path

from judge_bundles.documents.document import UnreadableDocumentError
from judge_bundles.documents.problems import show_path
from judge_bundles.documents.source import read_text
from judge_bundles.limits import MAX_PROMPT_FILE_BYTES


def normal_text(text: str) -> str:
    """Return `text` as it is judged by: line ends of one kind, no blank space around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def read_prompt(name: str, *, project_root: Path, rule_file: Path) -> str:
    """Return the text of the file `name`: from the project root, else from beside the rule.

    ValueError names the places tried, or what is wrong with the file found.
    """
    places = list(dict.fromkeys((project_root / name, rule_file.parent / name)))
    place = next((place for place in places if _exists(place)), None)
    if place is None:
        tried = " nor ".join(show_path(place) for place in places)
        raise ValueError(f"no such file: {'neither ' * (len(places) - 1)}{tried}")
    try:
        text = normal_text(read_text(place, MAX_PROMPT_FILE_BYTES))
    except UnreadableDocumentError as error:
        raise ValueError(f"{show_path(place)}: {error.message}") from error
    if not text:
        raise ValueError(f"{show_path(place)} is blank: write the text into it")
    return text


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except (OSError, ValueError):  # a name too long, a NUL, a folder that may not be entered
        return False
