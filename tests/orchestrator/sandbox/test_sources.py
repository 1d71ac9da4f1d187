"""The sources of the image are the same bytes everywhere, and every change of them shows."""

import tarfile
from dataclasses import replace

from judge_bundles.sandbox.sources import Sources, sources


def test_the_context_holds_the_dockerfile_and_the_tool_server() -> None:
    with tarfile.open(fileobj=sources().context()) as tar:
        names = tar.getnames()

    assert names[0] == "Dockerfile"
    assert {"sandbox_image/__main__.py", "sandbox_image/tools/read_file.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_the_context_is_the_same_every_time() -> None:
    assert sources().context().read() == sources().context().read()


def test_every_change_of_a_name_or_of_content_changes_the_digest() -> None:
    files = (("a", b"1"), ("b", b"2"))
    variants = [
        files,
        (("a", b"1"), ("b", b"3")),
        (("a", b"1"), ("c", b"2")),
        (("a", b"1"),),
        (("a", b"1b"), ("", b"2")),
        (("a", b""), ("1b", b"2")),
    ]

    assert len({Sources(variant).digest for variant in variants}) == len(variants)
    assert replace(sources()).digest == sources().digest
