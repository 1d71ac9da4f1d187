"""Run one case of the conformance list in any sandbox."""

from judge_bundles.limits import MAX_TOOL_RESULT_CHARACTERS
from judge_bundles.sandbox.protocol import Sandbox, ToolReply
from tests.support.tool_conformance import Case, media_of


async def check(case: Case, sandbox: Sandbox) -> None:
    """Call the tool and compare the whole reply."""
    async with sandbox:
        compare(case, await sandbox.call(case.tool, case.arguments))


def compare(case: Case, reply: ToolReply) -> None:
    """Compare the whole reply with what the case wants."""
    assert reply.error_kind == case.error, reply.text
    position = 0
    for part in case.says:
        found = reply.text.find(part, position)
        assert found >= 0, f"{part!r} is not in {reply.text[:2000]!r}"
        position = found + len(part)
    for part in case.silent:
        assert part not in reply.text
    assert reply.cut == case.cut, reply.text[:500]
    assert len(reply.text) <= MAX_TOOL_RESULT_CHARACTERS
    if case.shown is not None:
        assert [(shown.file, shown.start, shown.end) for shown in reply.shown] == list(case.shown)
    if case.stated is not None:
        assert reply.stated == case.stated
    assert all(media.pages == case.pages for media in reply.media)
    assert [(media.kind, media.media_type, media.data) for media in reply.media] == media_of(case)
