"""Counting bytes: exactly at a limit is taken, the byte after it never gets through."""

import pytest

from judge_bundles.bundles.budget import ByteBudget, UnpackMeter, archive_allowance
from judge_bundles.bundles.member import Member
from judge_bundles.errors import JudgementError
from judge_bundles.limits import (
    ARCHIVE_OVERHEAD_BYTES,
    MEMBER_OVERHEAD_BYTES,
    RATIO_EXEMPT_BYTES,
    IntakeLimits,
)

LIMITS = IntakeLimits(max_file_bytes=10, max_total_bytes=15, max_ratio=100)


def growing(path: bytes, *sizes: int) -> Member:
    """A file that claimed to be empty when it was looked at."""
    return Member(path, "file", 0, (bytes(size) for size in sizes))


def test_a_growing_file_is_cut_off_before_the_chunk_that_is_too_much() -> None:
    content = ByteBudget(LIMITS).metered(growing(b"log", 6, 4, 1))
    assert [len(next(content)), len(next(content))] == [6, 4]
    with pytest.raises(JudgementError, match=r"'log'.*--max-file-bytes"):
        next(content)


def test_all_files_together_are_bounded() -> None:
    budget = ByteBudget(LIMITS)
    assert sum(map(len, budget.metered(growing(b"a", 10)))) == 10
    assert sum(map(len, budget.metered(growing(b"b", 5)))) == 5
    assert sum(map(len, budget.metered(growing(b"empty")))) == 0
    with pytest.raises(JudgementError, match=r"'c'.*--max-total-bytes"):
        list(budget.metered(growing(b"c", 1)))


@pytest.mark.parametrize(("size", "option"), [(11, "--max-file-bytes"), (10, "--max-total-bytes")])
def test_a_claim_past_a_limit_is_refused_before_anything_is_read(size: int, option: str) -> None:
    content = iter([bytes(size)])
    budget = ByteBudget(LIMITS)
    list(budget.metered(growing(b"first", 6)))
    with pytest.raises(JudgementError, match=option):
        next(budget.metered(Member(b"big", "file", size, content)))
    assert list(content) == [bytes(size)]


def test_the_ratio_is_looked_at_above_the_exempt_size_only() -> None:
    meter = UnpackMeter(RATIO_EXEMPT_BYTES // 200, IntakeLimits(max_ratio=100))
    meter.member = b"big.log"
    meter.count(RATIO_EXEMPT_BYTES)
    with pytest.raises(JudgementError, match=r"'big\.log'.*--max-ratio"):
        meter.count(1)


def test_the_ratio_itself_is_allowed() -> None:
    meter = UnpackMeter(RATIO_EXEMPT_BYTES, IntakeLimits(max_ratio=3))
    meter.count(3 * RATIO_EXEMPT_BYTES)
    with pytest.raises(JudgementError, match="--max-ratio"):
        meter.count(1)


def test_extended_headers_have_an_allowance_of_their_own() -> None:
    allowance = LIMITS.max_members * MEMBER_OVERHEAD_BYTES + ARCHIVE_OVERHEAD_BYTES
    meter = UnpackMeter(allowance, LIMITS)
    meter.member = b"last.txt"
    meter.count_header(allowance)
    with pytest.raises(JudgementError, match=r"'last\.txt'.*extended headers.*--max-members"):
        meter.count_header(1)


def test_an_unpacked_archive_may_not_outgrow_its_allowance() -> None:
    allowance = archive_allowance(LIMITS)
    meter = UnpackMeter(allowance, LIMITS)
    meter.count(allowance)
    with pytest.raises(JudgementError, match="headers included"):
        meter.count(1)
