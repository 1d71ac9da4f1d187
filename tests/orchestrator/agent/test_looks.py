from judge_bundles.agent.looks import Looks
from judge_bundles.sandbox.protocol import ByteRange, Media, ToolReply


def shown(*ranges: tuple[str, int, int]) -> ToolReply:
    return ToolReply("text", shown=tuple(ByteRange(*one) for one in ranges))


def test_adjacent_and_overlapping_windows_cover_what_they_cover_together() -> None:
    looks = Looks({"a": 100})
    for start, end in ((0, 10), (50, 60), (10, 20), (55, 70)):
        looks.record(shown(("a", start, end)), None)
    assert looks.fraction("a") == 0.4
    assert looks.was_shown("a", 5, 15)
    assert not looks.was_shown("a", 15, 25)


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
    looks.record(ToolReply("count: 3"), looks.resolve("f.json"))
    assert looks.opened("d/f.json")
    assert looks.fraction("d/f.json") == 0.0
    assert looks.answers("d/f.json") == ("count: 3",)


def test_an_image_is_opened_as_media() -> None:
    looks = Looks({"p.png": 10})
    reply = ToolReply("image", (ByteRange("p.png", 0, 10),), (Media("image", "image/png", "aa"),))
    looks.record(reply, None)
    assert looks.opened_as_media("p.png")


def test_a_name_resolves_exactly_else_by_its_end_if_only_one_fits() -> None:
    looks = Looks({"out/r.md": 1, "out/x/s.md": 1, "y/s.md": 1, "bad\\xff.md": 1})
    assert looks.resolve("out/r.md") == "out/r.md"
    assert looks.resolve("./out/r.md") == "out/r.md"
    assert looks.resolve("r.md") == "out/r.md"
    assert looks.resolve("s.md") is None
    assert looks.resolve("x/s.md") == "out/x/s.md"
    assert looks.resolve("bad\udcff.md") == "bad\\xff.md"
    assert looks.resolve("md") is None
