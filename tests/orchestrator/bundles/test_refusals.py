"""What a person reads when a bundle is refused."""

import errno
import os

from judge_bundles.bundles.refusals import changed, over_limit, refusal, shown, system_failure
from judge_bundles.limits import MAX_SHOWN_NAME_CHARACTERS


def test_a_name_is_shown_printable_and_bounded() -> None:
    assert shown(b"a\x1b[31m\n\xff") == "a\\u001b[31m\\n\\xff"
    assert shown(b"a" * MAX_SHOWN_NAME_CHARACTERS) == "a" * MAX_SHOWN_NAME_CHARACTERS
    assert shown(b"a" * (MAX_SHOWN_NAME_CHARACTERS + 1)).endswith("a…")
    assert len(shown(b"\xff" * 1_000_000)) == MAX_SHOWN_NAME_CHARACTERS


def test_a_refusal_names_member_limit_and_option() -> None:
    error = over_limit("it has 7 bytes", 5, "--max-file-bytes", b"a b")
    assert error.message == "member 'a b': it has 7 bytes (limit 5; raise it with --max-file-bytes)"
    assert (error.kind, error.retryable) == ("intake", False)
    assert refusal("it holds no files").message == "it holds no files"


def test_what_may_go_better_next_time_is_retryable() -> None:
    failure = system_failure(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), b"x")
    assert failure.retryable
    assert "No space left" in failure.message
    assert changed(b"x").retryable
