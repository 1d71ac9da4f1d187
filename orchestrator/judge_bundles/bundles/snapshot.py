"""Take a private copy of a bundle, so that gate, judges and digest see the very same bytes.

Synchronous functions, made to run in a worker process. Whatever a source
does, nothing is written outside the snapshot, and a copy that fails leaves nothing behind.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from judge_bundles.bundles.archive import archive_members
from judge_bundles.bundles.budget import ByteBudget
from judge_bundles.bundles.descriptors import FolderCursor
from judge_bundles.bundles.discover import Entry
from judge_bundles.bundles.folder_members import folder_members
from judge_bundles.bundles.ledger import Ledger
from judge_bundles.bundles.manifest import FileRecord, Manifest, SkippedRecord
from judge_bundles.bundles.member import Member
from judge_bundles.bundles.refusals import refusal, shown, system_failure
from judge_bundles.bundles.removal import remove_tree
from judge_bundles.bundles.snapshot_writer import SnapshotWriter
from judge_bundles.errors import JudgementError
from judge_bundles.limits import IntakeLimits
from judge_prechecks.names import is_clutter
from judge_prechecks.tree import File, Skipped, Tree


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The copy of one bundle: `tree` lists it, `digest` identifies it (`sha256:` and hexadecimal).

    `tree.root` is the folder to mount. `warnings` are for the record, in printable form.
    """

    tree: Tree
    digest: str
    manifest: Manifest
    warnings: tuple[str, ...] = ()


def take(entry: Entry, root: Path, limits: IntakeLimits) -> Snapshot:
    """Copy the bundle into the new folder `root`, which is read-only then.

    The folder's name is seen inside containers, so it must not mean anything.

    Raises `JudgementError` of kind `intake`, which names the member and, where a limit is the
    reason, the option that raises it.
    """
    if entry.refused is not None:
        raise refusal(entry.refused)
    try:
        return _copy(entry, root, limits)
    except BaseException as error:
        with suppress(OSError):
            remove_tree(root)
        if isinstance(error, OSError):
            raise system_failure(error) from error
        raise


def verify(snapshot: Snapshot) -> None:
    """Read the copy again; raises `JudgementError` of kind `snapshot_changed` if it differs."""
    manifest = snapshot.manifest
    most = len(manifest.files) + len(manifest.folders)
    try:
        with (
            FolderCursor(snapshot.tree.root) as cursor,
            closing(
                folder_members(cursor, max_names=most, is_clutter=_nothing_is_clutter)
            ) as members,
        ):
            difference = _first_difference(manifest, members)
    except (OSError, JudgementError) as error:
        raise JudgementError("snapshot_changed", f"the private copy changed: {error}") from error
    if difference is not None:
        what = f"'{shown(difference)}' in the private copy is not what was taken from the bundle"
        raise JudgementError("snapshot_changed", what)


def remove(snapshot: Snapshot) -> None:
    """Remove the copy, whatever its modes and depth; doing so twice is fine."""
    remove_tree(snapshot.tree.root)


def _copy(entry: Entry, root: Path, limits: IntakeLimits) -> Snapshot:
    with _members(entry, limits) as members, SnapshotWriter(root) as writer:
        manifest = _write(members, writer, limits)
        writer.seal(manifest.folders)
    if not manifest.files:
        raise refusal("it holds no files that could be judged")
    return Snapshot(tree_of(root, manifest), manifest.digest(), manifest, _warnings(manifest))


@contextmanager
def _members(entry: Entry, limits: IntakeLimits) -> Iterator[Iterator[Member]]:
    with ExitStack() as stack:
        if entry.kind == "archive":
            yield stack.enter_context(archive_members(entry.source, limits))
        else:
            cursor = stack.enter_context(FolderCursor(entry.source))
            walk = folder_members(cursor, max_names=limits.max_members, is_clutter=is_clutter)
            yield stack.enter_context(closing(walk))


def _write(members: Iterator[Member], writer: SnapshotWriter, limits: IntakeLimits) -> Manifest:
    ledger = Ledger(limits)
    budget = ByteBudget(limits)
    files: list[FileRecord] = []
    skipped: list[SkippedRecord] = []
    for member in members:
        if not ledger.admit(member):
            continue
        if member.kind == "file":
            files.append(writer.file(member.path, budget.metered(member)))
        elif member.kind == "folder":
            writer.folder(member.path)
        elif member.kind == "closed":
            skipped.append(SkippedRecord(member.path + b"/", "unreadable"))
        elif member.kind != "clutter":
            skipped.append(SkippedRecord(member.path, member.kind))
    files.sort(key=lambda file: file.path)
    skipped.sort(key=lambda member: member.path)
    return Manifest(tuple(files), tuple(skipped), ledger.folders)


def tree_of(root: Path, manifest: Manifest) -> Tree:
    """Return what a manifest lists as the gate and the tools see it, below `root`."""
    files = [File(os.fsdecode(file.path), file.size) for file in manifest.files]
    skipped = [Skipped(os.fsdecode(member.path), member.kind) for member in manifest.skipped]
    return Tree(
        root,
        tuple(sorted(files, key=lambda file: file.path)),
        tuple(sorted(skipped, key=lambda member: member.path)),
    )


def _warnings(manifest: Manifest) -> tuple[str, ...]:
    unreadable = [member.path for member in manifest.skipped if member.kind == "unreadable"]
    return tuple(f"'{shown(path)}' may not be read and was left out" for path in unreadable)


def _first_difference(manifest: Manifest, members: Iterator[Member]) -> bytes | None:
    files = {file.path: file for file in manifest.files}
    folders = set(manifest.folders)
    for member in members:
        if member.kind == "folder" and member.path in folders:
            folders.remove(member.path)
        elif member.kind != "file" or not _is_unchanged(member, files.pop(member.path, None)):
            return member.path
    return next(iter((*files, *folders)), None)


def _nothing_is_clutter(_name: str) -> bool:
    return False


def _is_unchanged(member: Member, record: FileRecord | None) -> bool:
    if record is None or member.size != record.size:
        return False
    digest = hashlib.sha256()
    left = record.size
    for chunk in member.chunks:
        left -= len(chunk)
        if left < 0:
            return False
        digest.update(chunk)
    return left == 0 and digest.hexdigest() == record.sha256
