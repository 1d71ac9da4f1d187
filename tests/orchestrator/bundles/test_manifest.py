"""The digest of a bundle, byte by byte."""

import hashlib

from judge_bundles.bundles.manifest import FileRecord, Manifest, SkippedRecord

EMPTY = hashlib.sha256(b"").hexdigest()


def test_the_digest_is_the_hash_of_the_documented_bytes() -> None:
    manifest = Manifest(
        (FileRecord(b"a b", 0, EMPTY), FileRecord(b"z\n\xff", 0, EMPTY)),
        (SkippedRecord(b"link", "symlink"),),
        (b"folder",),
    )
    empty = EMPTY.encode()
    document = b"".join(
        [
            b"judge-bundles manifest 1\n",
            *(b"file\0a b\0", b"0\0", empty, b"\n"),
            b"skipped\0link\0symlink\n",
            *(b"file\0z\n\xff\0", b"0\0", empty, b"\n"),
        ]
    )
    assert manifest.digest() == f"sha256:{hashlib.sha256(document).hexdigest()}"


def test_everything_in_a_record_counts_and_folders_do_not() -> None:
    def digest(path: bytes = b"a", size: int = 0, content: str = EMPTY, kind: str = "fifo") -> str:
        skipped = SkippedRecord(b"s", "fifo" if kind == "fifo" else "symlink")
        return Manifest((FileRecord(path, size, content),), (skipped,), ()).digest()

    other = hashlib.sha256(b"x").hexdigest()
    variants = [digest(), digest(b"b"), digest(size=1), digest(content=other), digest(kind="link")]
    assert len(set(variants)) == len(variants)
    assert Manifest((), (), (b"x",)).digest() == Manifest((), (), ()).digest()
