"""Find what is shaped like a credential, of whatever service, in any text.

Each shape is looked for only where one of its marks stands, since a search for a plain mark costs
next to nothing and most text has none. Nothing here knows the credentials of this process.
"""

import re
from functools import partial
from typing import Final, NamedTuple


class _Shape(NamedTuple):
    """`marks`, in lower case, of which each match holds at least one; group 1, if any, stays."""

    marks: tuple[str, ...]
    pattern: re.Pattern[str]


_START: Final = r"(?:(?<![\w\-])|(?<=\\[nrt]))"
"""No part of a longer word, but for the letter of an escape, as in JSON text."""
_IS: Final = r"[\"']?[\t ]*[:=][\t ]*[\"']?"
_PEM: Final = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK: Final = r"(?:\s|\\+[nr])"
_SHAPES: Final = tuple(
    _Shape(marks, re.compile(pattern))
    for marks, pattern in (
        # headers, first: a key in them goes with its header
        (("bearer",), r"(?i)" + _START + r"bearer[\t ]+[A-Za-z0-9._~+/\-]{16,}=*"),
        (("authorization",), rf"(?i)(authorization{_IS})basic[\t ]+[\w+/\-]{{8,}}=*"),
        (("api-key",), rf"(?i)(x-api-key{_IS})[\w.\-]{{16,}}"),
        # Anthropic; OpenAI and those who took over its form; Stripe
        (("sk-ant-",), r"sk-ant-[\w\-]{8,}"),
        (("sk-",), r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w\-]{20,}"),
        (("sk-",), _START + r"sk-[A-Za-z0-9]{32,}"),
        (("k_live_", "k_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
        # AWS and Azure: the secrets themselves have no shape, but stand beside their name
        (("akia", "asia"), r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
        (
            ("secret", "session"),
            rf"(?i)(secret_?access_?key{_IS}|session_?token{_IS})[A-Za-z0-9+/]{{40,}}={{0,2}}",
        ),
        (("accountkey",), r"(?i)(AccountKey=)[A-Za-z0-9+/]{40,}={0,2}"),
        (("sig=",), r"([?&]sig=)[A-Za-z0-9%+/]{30,}"),
        # Google
        (("aiza",), r"AIza[\w\-]{35}"),
        (("ya29.",), r"ya29\.[\w\-]{20,}"),
        (("gocspx-",), r"GOCSPX-[\w\-]{20,}"),
        # GitHub, GitLab, Slack, Hugging Face, npm, PyPI
        (("ghp_", "gho_", "ghr_", "ghs_", "ghu_"), r"gh[oprsu]_[A-Za-z0-9]{36,}"),
        (("github_pat_",), r"github_pat_\w{60,}"),
        (("glpat-",), r"glpat-[\w\-]{20,}"),
        (("xox", "xapp-"), r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w\-]{10,}"),
        (("hooks.slack.com/",), r"(hooks\.slack\.com/)(?:services|workflows)/[\w/\-]{20,}"),
        (("hf_",), r"hf_[A-Za-z0-9]{30,}"),
        (("npm_",), r"npm_[A-Za-z0-9]{36}"),
        (("pypi-",), r"pypi-[\w\-]{50,}"),
        # JSON web tokens, passwords in addresses
        (("eyj",), _START + r"eyJ[\w\-]{10,}\.[\w\-]{10,}(?:\.[\w\-]*)*"),
        (("://",), r"(://)[^\s/:@\"'<>\0]{0,256}:[^\s/@\"'<>\0]{1,256}(?=@)"),
        # private keys: whole, and such as are cut off
        (("private key",), rf"-----BEGIN {_PEM}(?:(?!-----)[^\0]){{0,20000}}-----END {_PEM}"),
        (
            ("private key",),
            rf"-----BEGIN {_PEM}(?:{_BREAK}++(?:[A-Za-z\-]{{1,40}}:[^\0\r\n]{{0,200}}|[\w+/=]{{16,}}+))*+",
        ),
    )
)


def replace(text: str, by: str) -> str:
    """Return `text` with `by` in the place of everything that is shaped like a credential."""
    lowered = text.lower()
    for marks, pattern in _SHAPES:
        if any(mark in lowered for mark in marks):
            text = pattern.sub(partial(_keep_group, by), text)
    return text


def _keep_group(by: str, match: re.Match[str]) -> str:
    return f"{match[1]}{by}" if match.re.groups else by
