"""Which kind of judge an entry is: by the keys that are set, in a fixed order of precedence."""

from typing import Final, Literal, get_args

from judge_bundles.rules.entries.entry import Entry
from judge_bundles.rules.judge_specs import PAIRWISE_JUDGE

Kind = Literal["builtin", "agent", "check", "llm", "code", "pairwise", "skipped"]
TextKey = Literal["llm_rubric", "prompt", "prompt_file"]

TEXT_KEYS: Final[tuple[TextKey, ...]] = get_args(TextKey)
"""Of an LLM judge, the strongest first."""
_CODE_KEYS: Final = ("module", "function")
_KINDS: Final[tuple[tuple[Kind, tuple[str, ...]], ...]] = (
    ("builtin", ("builtin",)),
    ("agent", ("agent",)),
    ("check", ("check",)),
    ("llm", TEXT_KEYS),
    ("code", _CODE_KEYS),
)
_ALONE: Final = frozenset({"builtin", "agent"})
_TYPE_KEYS: Final = tuple(key for _, keys in _KINDS for key in keys)
_PAIRWISE_KEYS: Final = ("prompt", "prompt_file")

_ASKS_A_MODEL: Final[frozenset[Kind]] = frozenset({"llm", "agent", "pairwise"})
_APPLIES: Final[dict[str, frozenset[Kind]]] = {
    "arguments": frozenset({"builtin", "check", "llm", "code", "pairwise"}),
    "context": frozenset({"llm", "pairwise"}),
    "if": frozenset({"builtin", "check", "llm", "code", "agent"}),
    "feedback_type": frozenset({"llm"}),
    "model": _ASKS_A_MODEL,
    "max_tokens": _ASKS_A_MODEL,
    "samples": frozenset({"llm", "agent"}),
    "score_range": frozenset({"builtin", "check", "llm", "code"}),
}
"""The kinds that a key has an effect on. A builtin that is a prompt counts as `llm`."""
_NAMES: Final[dict[Kind, str]] = {
    "builtin": "a builtin in Python",
    "agent": "an agent",
    "check": "a check",
    "llm": "an LLM judge",
    "code": "a judge in a module",
    "pairwise": "the judge `pairwise`",
}


def kind_of(entry: Entry) -> Kind | None:
    """Return the kind of an entry; None when it cannot be told for its mistakes."""
    given = [key for key in _TYPE_KEYS if entry.has(key)]
    if entry.file.name == PAIRWISE_JUDGE:
        return _pairwise(entry, given)
    kind = next((kind for kind, keys in _KINDS if any(key in given for key in keys)), None)
    if kind is None:
        types = ", ".join(f"`{key}`" for key in _TYPE_KEYS if key != "function")
        entry.warn(f"is skipped: none of {types} says what kind of judge it is")
        return "skipped"
    return kind if _stands_together(entry, given, kind) else None


def text_key(entry: Entry) -> TextKey:
    """Return which key of an LLM judge has the text that counts."""
    return next(key for key in TEXT_KEYS if entry.has(key))


def warn_of_idle_keys(entry: Entry, kind: Kind) -> None:
    """Warn of each key that has no effect on this kind of judge."""
    for key, kinds in _APPLIES.items():
        if entry.has(key) and kind not in kinds:
            entry.warn(f"of no effect on {_NAMES[kind]}", key)


def _pairwise(entry: Entry, given: list[str]) -> Kind | None:
    for key in given:
        if key not in _PAIRWISE_KEYS:
            entry.add("the judge `pairwise` takes `prompt` or `prompt_file`", key)
    if not given:
        entry.warn("is skipped: it has neither `prompt` nor `prompt_file`")
        return "skipped"
    if given == list(_PAIRWISE_KEYS):
        entry.warn("of no effect beside `prompt`", "prompt_file")
    return "pairwise" if set(given) <= set(_PAIRWISE_KEYS) else None


def _stands_together(entry: Entry, given: list[str], kind: Kind) -> bool:
    """Tell whether the type keys go together; warn of those that lose by precedence."""
    sound = True
    first, *others = given
    if first in _ALONE and others:
        beside = ", ".join(f"`{key}`" for key in others)
        entry.add(f"stands alone, but beside it is {beside}: keep one of them", first)
        sound = False
    for key, other in (_CODE_KEYS, _CODE_KEYS[::-1]):
        if entry.has(key) and not entry.has(other):
            entry.add(f"`{key}` needs a `{other}` beside it", key)
            sound = False
    if sound and kind != "code":
        for key in others:
            entry.warn(f"of no effect beside `{first}`", key)
    return sound
