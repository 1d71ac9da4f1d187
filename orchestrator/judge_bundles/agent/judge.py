"""Judge one bundle with an agent: the loop in its sandbox, and what became of it."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from judge_bundles import escape, log
from judge_bundles.agent.calls import Calls
from judge_bundles.agent.conversation import Conversation, text_block
from judge_bundles.agent.early import EarlySandbox
from judge_bundles.agent.judgement import Assignment, Judgement, Means
from judge_bundles.agent.looks import Looks
from judge_bundles.agent.loop import Accepted, Loop, out_of_time
from judge_bundles.agent.prompt import fence_mark, first_message, system_prompt
from judge_bundles.agent.recorder import Recorder
from judge_bundles.agent.review import Reviewer
from judge_bundles.agent.texts import Texts
from judge_bundles.agent.toolbox import Toolbox
from judge_bundles.errors import JudgementError
from judge_bundles.limits import TIMEOUT_GRACE_S
from judge_bundles.models.base import CallContext
from judge_bundles.rules.model import MustRead
from judge_bundles.verdict import JudgeResult, VerdictError
from judge_prechecks.matching import Members
from judge_prechecks.names import show
from judge_prechecks.patterns import Pattern
from judge_prechecks.tree import Tree

JUDGE_TYPE: Final = "agent"


async def judge(assignment: Assignment, means: Means) -> Judgement:
    """Return the judgement; what kept it from a verdict, our own faults too, is in its result.

    Only cancellation gets through.
    """
    spec, tree = assignment.spec, assignment.tree
    looks = Looks({show(file.path): file.size for file in tree.files})
    recorder = Recorder(spec.name, assignment.sample, means.model.name)
    image_id = None
    try:
        means.require()
        deadline = time.monotonic() + spec.limits.timeout_s
        sandbox = EarlySandbox(means.new_sandbox())
        image_id = sandbox.image_id
        async with sandbox, asyncio.timeout(spec.limits.timeout_s + TIMEOUT_GRACE_S):
            loop = _loop(assignment, means, looks, recorder, sandbox, deadline)
            result = _accepted(spec.name, await loop.run(), recorder)
    except JudgementError as error:
        result = _failed(spec.name, error, recorder)
    except TimeoutError:
        result = _failed(spec.name, out_of_time(spec.limits.timeout_s), recorder)
    except Exception as error:  # noqa: BLE001 - what was done and paid so far is kept
        log.get_logger().exception("judge_crashed", entry_id=assignment.entry_id, judge=spec.name)
        crash = JudgementError("internal", f"{type(error).__name__}: {error}")
        result = _failed(spec.name, crash, recorder)
    return Judgement(result, recorder.trace(), looks.coverage(), image_id)


def _loop(
    assignment: Assignment,
    means: Means,
    looks: Looks,
    recorder: Recorder,
    sandbox: EarlySandbox,
    deadline: float,
) -> Loop:
    spec, tree = assignment.spec, assignment.tree
    must_read, missing = _must_read(spec.must_read, tree)
    mark = fence_mark(assignment.digest)
    conversation = Conversation()
    message = first_message(spec, tree, tuple(must_read), mark)
    conversation.say(text_block(escape.json_value(message)))
    return Loop(
        assignment=assignment,
        calls=_calls(assignment, means, recorder),
        system=system_prompt(mark),
        conversation=conversation,
        toolbox=Toolbox(sandbox, looks, recorder, mark),
        reviewer=Reviewer(
            criterion_ids=tuple(criterion.id for criterion in spec.criteria),
            must_read=must_read,
            must_read_missing=missing,
            looks=looks,
            read_text=Texts(tree).read,
        ),
        recorder=recorder,
        deadline=deadline,
    )


def _calls(assignment: Assignment, means: Means, recorder: Recorder) -> Calls:
    context = CallContext(
        assignment.entry_id, assignment.rule, assignment.spec.name, assignment.sample
    )
    return Calls(means.model, context, means.run_budget, means.spending, recorder.calls)


def _must_read(wanted: Sequence[MustRead], tree: Tree) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the share needed of each file that is meant, and the patterns that mean none."""
    members = Members(tree)
    needed: dict[str, float] = {}
    missing: list[str] = []
    for item in wanted:
        files = members.find(Pattern.compile(item.path)).files
        if not files:
            missing.append(item.path)
        for file in files:
            name = show(file.path)
            needed[name] = max(needed.get(name, 0.0), item.min_coverage)
    return needed, tuple(missing)


def _accepted(name: str, accepted: Accepted, recorder: Recorder) -> JudgeResult:
    submission = accepted.submission
    rationale = submission.reason
    if accepted.waived:
        problems = "; ".join(problem.message for problem in accepted.waived)
        rationale += f" [evidence flagged: {problems}]"
    return JudgeResult(
        name=name,
        type=JUDGE_TYPE,
        status="pass" if submission.passed else "fail",
        value=submission.passed,
        rationale=rationale,
        inspected=recorder.inspected(),
        criteria=accepted.review.criteria,
    )


def _failed(name: str, error: JudgementError, recorder: Recorder) -> JudgeResult:
    return JudgeResult(
        name=name,
        type=JUDGE_TYPE,
        status="error",
        inspected=recorder.inspected(),
        error=VerdictError(error.kind, error.message, error.retryable),
    )
