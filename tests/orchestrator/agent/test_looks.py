import time

import pytest

from judge_bundles.agent.looks import Looks
from judge_bundles.sandbox.protocol import ByteRange, Media, ToolReply


def shown(*ranges: tuple[str, int, int]) -> ToolReply:
    return ToolReply("text", shown=tuple(ByteRange(*one) for one in ranges))


def test_adjacent_and_overlapping_windows_cover_what_they_cover_together() -> None:
    looks = Looks({"a": 100})
    for start, end in ((0, 10), (50, 60), (10, 20), (55, 70)):
        looks.record(shown(("a", start, end)), None)
    assert looks.fraction("a") == 0.4
    assert looks.text_ranges("a") == ((0, 20), (50, 70))
    assert looks.shown_bytes("a") == 40


def test_a_refused_call_shows_nothing_and_counts_as_no_look() -> None:
    looks = Looks({"a": 10})
    looks.record(ToolReply("no", shown=(ByteRange("a", 0, 10),), error_kind="not_found"), "a")
    assert looks.successful == 0
    assert not looks.opened("a")


def test_a_range_beyond_the_file_counts_only_what_the_file_has() -> None:
    looks = Looks({"a": 10})
    looks.record(shown(("a", 5, 500)), None)
    assert looks.fraction("a") == 0.5


def test_an_empty_file_is_wholly_read() -> None:
    assert Looks({"a": 0}).fraction("a") == 1.0


def test_what_is_no_file_of_the_bundle_is_not_recorded() -> None:
    looks = Looks({"a": 10})
    looks.record(shown(("/etc/passwd", 0, 10)), None)
    assert looks.coverage().opened == ()


def test_coverage_names_what_was_never_opened() -> None:
    looks = Looks({"a": 10, "b": 5, "c": 0})
    looks.record(shown(("a", 0, 10)), None)
    coverage = looks.coverage()
    assert [(one.file, one.fraction) for one in coverage.opened] == [("a", 1.0)]
    assert coverage.never_opened == ("b", "c")
    assert coverage.never_opened_total == 2


def test_a_query_opens_its_file_without_covering_bytes() -> None:
    looks = Looks({"d/f.json": 10})
    looks.record(ToolReply("f.json: count\n3", stated=("3",)), looks.resolve("f.json"))
    assert looks.opened("d/f.json")
    assert looks.fraction("d/f.json") == 0.0
    assert looks.stated("d/f.json") == ("3",)
    assert looks.successful == 1


def test_an_image_is_opened_as_media() -> None:
    looks = Looks({"p.png": 10})
    media = Media("image", "image/png", "aa", pages=1)
    reply = ToolReply("image", (ByteRange("p.png", 0, 10),), (media,))
    looks.record(reply, None)
    assert looks.opened_as_media("p.png")
    assert looks.pages("p.png") == 1
    assert looks.fraction("p.png") == 1


def test_what_was_only_looked_at_was_not_read_as_text() -> None:
    looks = Looks({"d.pdf": 10})
    media = Media("document", "application/pdf", "aa", pages=3)
    looks.record(ToolReply("PDF", (ByteRange("d.pdf", 0, 10),), (media,)), None)
    assert looks.text_ranges("d.pdf") == ()
    assert looks.pages("d.pdf") == 3
    looks.record(shown(("d.pdf", 2, 5)), None)
    assert looks.text_ranges("d.pdf") == ((2, 5),)


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        (ToolReply(".: 2 files"), None),
        (ToolReply("Matching lines: 0, in 0 of 2 files."), None),
        (ToolReply("a: text\nsize: 10 bytes"), None),
        (ToolReply("a: 0 lines, nothing to show", (ByteRange("a", 0, 0),)), None),
        (ToolReply('a: ["all good here"]\n0 values'), "a"),
        (ToolReply("a: x\n1", stated=("1",)), None),
        (ToolReply("elsewhere", (ByteRange("/etc/passwd", 0, 10),)), None),
    ],
)
def test_an_answer_without_content_is_no_look(reply: ToolReply, named: str | None) -> None:
    looks = Looks({"a": 10})
    looks.record(reply, named)
    assert looks.successful == 0
    assert looks.stated("a") == ()


def test_many_replies_of_many_ranges_are_taken_in_time() -> None:
    looks = Looks({"a": 10**9})
    started = time.process_time()
    for number in range(200):
        rows = [("a", start, start + 1) for start in range(number, 500_000, 1_000)]
        looks.record(shown(*rows), None)
    assert looks.shown_bytes("a") == 200 * 500
    assert len(looks.text_ranges("a")) == 500
    assert time.process_time() - started < 5


def test_a_name_is_resolved_without_a_walk_over_all_names() -> None:
    looks = Looks({f"d{number}/f{number}.txt": 1 for number in range(20_000)})
    looks.resolve("first.txt")
    started = time.process_time()
    for number in range(1_000):
        assert looks.resolve(f"f{number}.txt") == f"d{number}/f{number}.txt"
        assert looks.resolve(f"missing{number}.txt") is None
    assert time.process_time() - started < 2  # at 9 ms for each it is 18 s


def test_a_name_resolves_exactly_else_by_its_end_if_only_one_fits() -> None:
    looks = Looks({"out/r.md": 1, "out/x/s.md": 1, "y/s.md": 1, "bad\\xff.md": 1})
    assert looks.resolve("out/r.md") == "out/r.md"
    assert looks.resolve("./out/r.md") == "out/r.md"
    assert looks.resolve("r.md") == "out/r.md"
    assert looks.resolve("s.md") is None
    assert looks.resolve("x/s.md") == "out/x/s.md"
    assert looks.resolve("bad\udcff.md") == "bad\\xff.md"
    assert looks.resolve("md") is None
