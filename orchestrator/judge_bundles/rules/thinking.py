"""The key `thinking`, in the form of the Messages API or as one word.

Which form a model takes is the server's to say; here only what can never be right is refused.
"""

from typing import Any, Final

from judge_bundles.limits import MIN_THINKING_TOKENS

_WORDS: Final = ("adaptive", "disabled", "between_tools")
_DISPLAYS: Final = ("summarized", "omitted")
_KEYS: Final[dict[str, frozenset[str]]] = {
    "adaptive": frozenset({"display"}),
    "between_tools": frozenset(),
    "disabled": frozenset(),
    "enabled": frozenset({"budget_tokens", "display"}),
}

THINKING_SCHEMA: Final[dict[str, Any]] = {
    "anyOf": [
        {"enum": list(_WORDS)},
        {
            "type": "object",
            "properties": {
                "type": {"enum": list(_KEYS)},
                "budget_tokens": {"type": "integer", "minimum": MIN_THINKING_TOKENS},
                "display": {"enum": list(_DISPLAYS)},
            },
            "required": ["type"],
            "additionalProperties": False,
        },
    ]
}


def check_thinking(value: Any) -> dict[str, Any]:
    """Return the long form of `value`; ValueError says in words what is wrong with it."""
    if isinstance(value, str) and value in _WORDS:
        return {"type": value}
    if not isinstance(value, dict):
        words = ", ".join(f"`{word}`" for word in _WORDS)
        message = f"must be one of {words}, or a mapping with the key `type`"
        raise ValueError(message)  # noqa: TRY004 - pydantic reports only ValueError
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _KEYS:
        words = ", ".join(f"`{word}`" for word in _KEYS)
        raise ValueError(f"needs a `type` that is one of {words}")
    if surplus := sorted(value.keys() - _KEYS[kind] - {"type"}):
        raise ValueError(f"of type `{kind}` does not take the key `{surplus[0]}`")
    if kind == "enabled":
        _check_budget(value.get("budget_tokens"))
    if "display" in value and value["display"] not in _DISPLAYS:
        raise ValueError("takes as `display` only `summarized` or `omitted`")
    return value


def _check_budget(budget: Any) -> None:
    whole = isinstance(budget, int) and not isinstance(budget, bool)
    if not whole or budget < MIN_THINKING_TOKENS:
        raise ValueError(
            f"of type `enabled` needs `budget_tokens`, a whole number of at least {MIN_THINKING_TOKENS}"
        )
