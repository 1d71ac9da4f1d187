import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_prechecks.json_shape import has_digit_run, measure


def obvious(value: Any) -> tuple[int, int, int]:
    """Return nodes, members and depth by walking."""
    if not isinstance(value, (list, dict)):
        return 0, 0, 0
    inner = [obvious(item) for item in (value.values() if isinstance(value, dict) else value)]
    nodes = 1 + max(len(value) - 1, 0) + sum(item[0] for item in inner)
    members = (len(value) if isinstance(value, dict) else 0) + sum(item[1] for item in inner)
    return nodes, members, 1 + max((item[2] for item in inner), default=0)


texts = st.text(alphabet='ab"\\[]{}:,é\n', max_size=6)
values = st.recursive(
    texts | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=25,
)


@given(values, st.booleans())
def test_the_shape_of_a_document_is_what_a_walk_finds(value: Any, ascii_only: bool) -> None:
    shape = measure(json.dumps(value, ensure_ascii=ascii_only).encode())
    assert (shape.nodes, shape.members, shape.depth) == obvious(value)


@pytest.mark.parametrize("depth", [1, 7, 8, 9, 10, 300])
def test_depth_is_exact_beyond_the_quick_rounds(depth: int) -> None:
    assert measure(b"[" * depth + b"]" * depth).depth == depth
    assert measure(b"[[]," + b"[" * depth + b"]" * depth + b",[]]").depth == depth + 1


def test_the_depth_of_a_document_that_never_closes_is_at_least_what_it_reaches() -> None:
    assert measure(b'{"a":[' * 50).depth >= 100


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 12))
def test_a_run_of_digits_is_never_overlooked(before: int, digits: int, length: int) -> None:
    data = b"x" * before + b"5" * digits + b"x"
    if digits >= length:
        assert has_digit_run(data, length)
    if digits * 2 < length:
        assert not has_digit_run(data, length)
