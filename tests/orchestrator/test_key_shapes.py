"""What looks like a credential, and what only looks like one of them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_bundles import key_shapes

BY = "[x]"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"
    f"{'MIIEpAIB' * 8}\n{'AAKCAQEA' * 8}\nabc+/=\n-----END RSA PRIVATE KEY-----"
)
AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0T"
WHOLE = {
    "Anthropic": "sk-ant-api03-JBCANARYjbcanary",
    "Anthropic, short": "sk-ant-JBCANARY",
    "OpenAI": "sk-" + "aB3" * 16,
    "OpenAI project": "sk-proj-" + "a-B_3" * 8,
    "Stripe": "sk_live_" + "a1" * 12,
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "AWS, temporary": "ASIAIOSFODNN7EXAMPLE",
    "Google": "AIza" + "a1B2" * 8 + "xyz",
    "Google token": "ya29." + "a1-_" * 8,
    "Google client": "GOCSPX-" + "a1-_" * 7,
    **{f"GitHub {letter}": f"gh{letter}_" + "a1B2" * 9 for letter in "oprsu"},
    "GitHub, fine-grained": "github_pat_" + "a1B2_" * 14,
    "GitLab": "glpat-" + "a1-_" * 5,
    "Slack bot": "xoxb-123456789012-123456789012-abcdefghij",
    "Slack app": "xapp-1-A0123-123-abcdef",
    "Hugging Face": "hf_" + "aB" * 17,
    "npm": "npm_" + "a1B2" * 9,
    "PyPI": "pypi-" + "AgEI" * 15,
    "JSON web token": JWT,
    "bearer": "Bearer abcdefghijklmnopqrstuvwx",
    "bearer of a key": "bEARER \t sk-ant-api03-JBCANARYjbcanary",
    "private key": PEM,
    "private key in JSON": PEM.replace("\n", "\\n"),
    "private key in JSON in JSON": PEM.replace("\n", "\\\\r\\\\n"),
    "private key on one line": PEM.replace("\n", " "),
    "OpenSSH": PEM.replace("RSA", "OPENSSH"),
    "PGP": PEM.replace("KEY-----", "KEY BLOCK-----"),
}
PART = {
    "AWS in a file": ("aws_secret_access_key = ", AWS, ""),
    "AWS in the environment": ("AWS_SECRET_ACCESS_KEY=", AWS, "\n"),
    "AWS in JSON": ('"SecretAccessKey": "', AWS, '"'),
    "AWS session": ("aws_session_token=", AWS * 5 + "==", " "),
    "Azure": ("AccountName=a;AccountKey=", "a1B2" * 21 + "==", ";EndpointSuffix"),
    "Azure signature": ("https://a.net/b?sv=1&sig=", "a1%2B" * 8, "&se=2"),
    "Slack hook": ("https://hooks.slack.com/", "services/T00000000/B00000000/XXXXXXXXXXXX", '"'),
    "password in an address": ("postgresql://", "user:hunter2", "@db/x"),
    "password alone in an address": ("redis://", ":p#w%40", "@h:6379"),
    "basic": ("Authorization: ", "Basic dXNlcjpwYXNzd29yZA==", "\r\n"),
    "basic in JSON": ('"authorization": "', "basic dXNlcjpwYXNzd29yZA==", '"'),
    "api key in a header": ("X-Api-Key: ", "0123456789abcdef", "\n"),
}
HARMLESS = (
    "task-list-with-many-words-in-it-and-more",
    "a risk-based-approach-to-everything-is-best",
    "sk-learn-and-other-libraries-of-that-kind",
    "sk-ant-short",
    "AKIA is how it begins",
    "https://example.com:8080/a@b",
    "http://a/b:c@d and me:you@z",
    "git@github.com:owner/name.git",
    "the bearer of this letter",
    "authorization: basic checks were done",
    "eyJ is how it begins, eyJhbGciOiJIUzI1NiJ9 alone is a header",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "a PRIVATE KEY is not here",
    "secret_access_key: rotate it",
    "sha256:" + "0123456789abcdef" * 4,
    "ghp_short",
)


@pytest.mark.parametrize("secret", WHOLE.values(), ids=WHOLE)
def test_a_credential_goes_as_a_whole_wherever_it_stands(secret: str) -> None:
    for before, after in [("", ""), ("key=", " "), ('{"k": "', '"}'), ("\\n", "\\n"), ("\0", "\0")]:
        assert key_shapes.replace(f"{before}{secret}{after}", BY) == f"{before}{BY}{after}"
    assert key_shapes.replace(f"{secret} and {secret}", BY) == f"{BY} and {BY}"


@pytest.mark.parametrize(("before", "secret", "after"), PART.values(), ids=PART)
def test_what_says_what_it_is_stays_readable_without_the_secret(
    before: str, secret: str, after: str
) -> None:
    assert key_shapes.replace(before + secret + after, BY) == before + BY + after


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_credential_stays(text: str) -> None:
    assert key_shapes.replace(text, BY) == text


@pytest.mark.parametrize("length", range(60, len(PEM) - 30, 17))
def test_of_a_private_key_that_is_cut_off_no_whole_line_stays(length: int) -> None:
    cut = key_shapes.replace(f"{PEM[:length]}", BY)
    assert cut.startswith(BY)
    assert "MIIEpAIB" * 3 not in cut
    assert "AAKCAQEA" * 3 not in cut


def test_the_words_after_a_private_key_that_is_cut_off_stay() -> None:
    text = f"{PEM[:150]}…\nThe report goes on. So it does, in words and more words."
    assert key_shapes.replace(text, BY).endswith(
        "The report goes on. So it does, in words and more words."
    )


HOSTILE = {
    "letters": "a" * 300_000,
    "headers": "bearer " * 40_000,
    "addresses": "://a:" * 60_000,
    "colons": "://" + ":" * 300_000,
    "one long address": "://" + "a" * 300_000,
    "beginnings of tokens": "eyJ" * 100_000,
    "parts of tokens": "eyJaaaaaaaaaa" + ".aaaaaaaaaaa" * 25_000,
    "beginnings of keys": "sk-" * 100_000,
    "blanks": "aws_secret_access_key" + " " * 300_000,
    "names": "secret_access_key=" * 20_000,
    "keys that begin": "-----BEGIN PRIVATE KEY-----" * 10_000,
    "keys that never end": ("-----BEGIN PRIVATE KEY-----" + "a " * 500) * 300,
    "a key without kind": "-----BEGIN " + "A" * 300_000 + " private key",
    "line breaks": "-----BEGIN PRIVATE KEY-----" + "\n" * 300_000,
    "escaped line breaks": "-----BEGIN PRIVATE KEY-----" + "\\n" * 150_000 + "!",
    "backslashes": "-----BEGIN PRIVATE KEY-----" + "\\" * 300_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_length_of_a_text_and_not_with_its_square(text: str) -> None:
    started = time.process_time()
    key_shapes.replace(text, BY)
    assert time.process_time() - started < 3  # a twentieth was measured


@given(st.lists(st.sampled_from([*WHOLE.values(), *HARMLESS, " ", "\n", '"', "x"]), max_size=8))
def test_what_was_redacted_stays_as_it_is(parts: list[str]) -> None:
    once = key_shapes.replace(" ".join(parts), "[redacted]")
    assert key_shapes.replace(once, "[redacted]") == once
