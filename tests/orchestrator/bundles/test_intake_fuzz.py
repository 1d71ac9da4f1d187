"""Random damage to archives: a bundle or a refusal, never anything else, never anything outside."""

import io
import tarfile
import tempfile
import zipfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from judge_bundles.bundles.removal import remove_tree
from judge_bundles.bundles.snapshot import remove, verify
from judge_bundles.errors import JudgementError
from tests.orchestrator.bundles.archives import (
    Zip,
    gzipped,
    pax_header,
    pax_record,
    tar,
    tar_member,
)
from tests.orchestrator.bundles.intake import take_bundle

LINK = tar_member(b"link", kind=tarfile.SYMTYPE, link="/etc")
LONG = b"n" * 150
TAR = tar(
    tar_member(b"a/b.txt", b"hello"),
    LINK,
    pax_header(pax_record(b"path", b"p/q")) + tar_member(b"x", b"pax"),
    tar_member(LONG, b"long"),
    end=bytes(512),
)


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/", b"")
        archive.writestr("a/b.txt", b"hello " * 20)
        with archive.open("wide", "w", force_zip64=True) as member:
            member.write(b"zip64")
    return buffer.getvalue()


SEEDS = (
    TAR,
    gzipped(TAR),
    _zip(),
    Zip().add(b"x", b"stored", method=0).add(b"l", b"/", attributes=0o120777 << 16).build(),
)
TELLING = st.sampled_from([0, 1, 0x2E, 0x2F, 0x5C, 0x7F, 0x80, 0xFF])


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return one of the seeds with some bytes changed, cut out, doubled or cut off."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(data) - 1)))
        end = min(len(data), start + draw(st.integers(1, 8)))
        action = draw(st.sampled_from(["change", "cut", "double", "end"]))
        if action == "change":
            data[start:end] = bytes(draw(TELLING) for _ in range(end - start))
        elif action == "cut":
            del data[start:end]
        elif action == "double":
            data[start:start] = data[start:end]
        else:
            del data[end:]
    return bytes(data)


def check(data: bytes) -> None:
    top = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        (top / "work").mkdir()
        archive = top / "run.zip"
        archive.write_bytes(data)
        refused_as = None
        try:
            snapshot = take_bundle(archive, top / "work", max_file_bytes=1 << 20)
            verify(snapshot)
            assert not any(path.is_symlink() for path in snapshot.tree.root.rglob("*"))
            remove(snapshot)
        except JudgementError as error:
            refused_as = error.kind
        assert refused_as in {None, "intake"}
        assert sorted(path.name for path in top.iterdir()) == ["run.zip", "work"]
        assert list((top / "work").iterdir()) == []
        assert archive.read_bytes() == data
    finally:
        remove_tree(top)


@settings(max_examples=150, deadline=None)
@given(damaged())
def test_damaged_archives_are_taken_or_refused_and_nothing_else(data: bytes) -> None:
    check(data)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08", b""]), st.binary(max_size=2048))
def test_noise_behind_a_magic_is_refused_and_nothing_else(magic: bytes, noise: bytes) -> None:
    check(magic + noise)


def test_the_seeds_themselves_are_taken() -> None:
    for seed in SEEDS:
        check(seed)
