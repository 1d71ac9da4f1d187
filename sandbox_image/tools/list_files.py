"""List what lies below a folder, page by page, with sizes and kinds."""

from __future__ import annotations

from sandbox_image.answers import Answer, refuse_arguments
from sandbox_image.arguments import Arguments, Number, Text
from sandbox_image.bundle import Bundle, Member
from sandbox_image.globs import select
from sandbox_image.limits import CONTENT_CHARACTERS, LISTED_ENTRIES
from sandbox_image.names import brief, show
from sandbox_image.registry import tool


@tool(path=Text(), glob=Text(), offset=Number(0))
def list_files(bundle: Bundle, arguments: Arguments) -> Answer:
    """Everything but folders is listed by its whole path; a folder shows in its content's paths."""
    folder = bundle.folder(arguments.text("path", "."))
    paths = _below(bundle, folder.path)
    if arguments.has("glob"):
        paths = select(arguments.text("glob"), paths)
    offset = arguments.number("offset", 0)
    if offset and offset >= len(paths):
        raise refuse_arguments(f"offset={offset} is past the end: there are {len(paths):,} entries")
    rows = _page(bundle.members, paths[offset:])
    head = _head(bundle, brief(folder.path) if folder.path else ".", paths)
    last = offset + len(rows)
    window = f"entries {offset + 1:,}–{last:,} of {len(paths):,}" if rows else "no entries"
    lines = [f"{head}: {window}", *([folder.remark] if folder.remark else [])]
    if last < len(paths):
        lines.append(f"Cut: go on with offset={last}.")
    if not bundle.complete:
        lines.append("The bundle has more or deeper members than can be indexed; they are missing.")
    return Answer("\n".join([*lines, "", *rows]), cut=last < len(paths) or not bundle.complete)


def _below(bundle: Bundle, folder: str) -> list[str]:
    start = f"{folder}/" if folder else ""
    return [
        path
        for path, member in bundle.members.items()
        if member.kind != "folder" and path.startswith(start)
    ]


def _head(bundle: Bundle, folder: str, paths: list[str]) -> str:
    total = sum(bundle.members[path].size for path in paths)
    return f"{folder}: {len(paths):,} files, {total:,} bytes in all"


def _page(members: dict[str, Member], paths: list[str]) -> list[str]:
    rows: list[str] = []
    room = CONTENT_CHARACTERS
    for path in paths[:LISTED_ENTRIES]:
        row = _row(path, members[path])
        room -= len(row) + 1
        if room < 0 and rows:
            break
        rows.append(row)
    return rows


def _row(path: str, member: Member) -> str:
    size = f"{member.size:,}" if member.kind == "file" else f"({member.kind})"
    return f"{size:>14}  {show(path)}"
