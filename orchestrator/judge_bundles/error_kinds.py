"""The closed list of reasons for which a bundle ends as `error`, each with what follows from it.

`retryable` means that the same command may well succeed later without anyone changing the bundle,
the rule or a limit; `--resume` tries those again by itself.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

ErrorKind = Literal[
    "intake",
    "precheck_crashed",
    "worker_died",
    "snapshot_changed",
    "not_judged",
    "judge_code",
    "no_verdict",
    "invalid_verdict",
    "contradiction",
    "ungrounded",
    "uninspected",
    "unread",
    "refusal",
    "output_truncated",
    "context_exceeded",
    "budget",
    "timeout",
    "model_auth",
    "model_request",
    "model_rate_limited",
    "model_overloaded",
    "model_server",
    "model_unreachable",
    "model_response",
    "sandbox_start",
    "sandbox_died",
    "sandbox_oom",
    "sandbox_timeout",
    "sandbox_protocol",
    "sandbox_isolation",
    "engine",
    "interrupted",
    "internal",
]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a kind means (`cause`), whether trying again can help, and what a person should do."""

    cause: str
    retryable: bool
    advice: str


EXPLANATIONS: Final[dict[ErrorKind, Explanation]] = {
    "intake": Explanation(
        "The bundle was refused: a damaged archive, a dangerous name, or an intake limit.",
        retryable=False,
        advice="Look at the named member; if the bundle is in order, raise the named limit and judge again.",
    ),
    "precheck_crashed": Explanation(
        "A precheck broke instead of saying whether it holds.",
        retryable=False,
        advice="Correct the plugin that the message names; if it is one of ours, please report it.",
    ),
    "worker_died": Explanation(
        "A worker process of this program ended, or was ended at its time limit, before it answered.",
        retryable=True,
        advice="Resume; on a busy machine lower --concurrency. If one bundle does it every time, look at it by hand.",
    ),
    "snapshot_changed": Explanation(
        "The private copy of the bundle changed while it was judged.",
        retryable=True,
        advice="Find what else writes to the temporary folder of this machine.",
    ),
    "not_judged": Explanation(
        "No precheck and no judge of the rule applied to the bundle, or there was nothing to compare it with.",
        retryable=False,
        advice="Add a precheck or a judge that covers it; keep the bundles of a baseline as they were.",
    ),
    "judge_code": Explanation(
        "The rule's own Python or template failed, gave no usable answer, or ran into a limit.",
        retryable=False,
        advice="Correct the judge in the rule, then judge again.",
    ),
    "no_verdict": Explanation(
        "The judge ended without calling the tool by which it answers.",
        retryable=True,
        advice="Resume; if it persists, make the rubric or prompt shorter, or allow more turns.",
    ),
    "invalid_verdict": Explanation(
        "The judge's verdict did not fit its schema, nor did any correction it was allowed.",
        retryable=True,
        advice="Resume; if it persists, use a stronger model.",
    ),
    "contradiction": Explanation(
        "The verdict contradicts its own criteria and was not put right.",
        retryable=True,
        advice="Resume; if it persists, make the criteria in the rubric separable.",
    ),
    "ungrounded": Explanation(
        "The verdict rests on a quote that is not in the bundle, or only on text written to steer it.",
        retryable=True,
        advice="Read the transcript; a bundle that does this repeatedly deserves a person's eyes.",
    ),
    "uninspected": Explanation(
        "The judge passed the bundle without looking at any of its files.",
        retryable=True,
        advice="Resume; if it persists, use a stronger model.",
    ),
    "unread": Explanation(
        "A pass was submitted although a must_read file had not been read far enough.",
        retryable=True,
        advice="Resume; if it persists, raise limits.max_turns in the rule and judge again.",
    ),
    "refusal": Explanation(
        "The model declined to go on.",
        retryable=False,
        advice="Read the transcript; rephrase the rubric or choose another model.",
    ),
    "output_truncated": Explanation(
        "The model's answer was cut at max_tokens.",
        retryable=False,
        advice="Raise max_tokens in the rule and judge again.",
    ),
    "context_exceeded": Explanation(
        "The conversation no longer fits the model's context window.",
        retryable=False,
        advice="Narrow the rubric, or choose a model with a larger window.",
    ),
    "budget": Explanation(
        "A limit on turns, tokens or dollars was reached before a verdict.",
        retryable=True,
        advice="Raise the named limit: --max-cost and resume, or one of the rule and judge again.",
    ),
    "timeout": Explanation(
        "The wall time allowed for one bundle ran out.",
        retryable=True,
        advice="Resume; if it persists, raise limits.timeout_s in the rule and judge again.",
    ),
    "model_auth": Explanation(
        "The model's server refused the credentials.",
        retryable=True,
        advice="Correct the key, then resume.",
    ),
    "model_request": Explanation(
        "The model's server refused the request itself.",
        retryable=False,
        advice="Read the message: a wrong model name or an option this model does not take.",
    ),
    "model_rate_limited": Explanation(
        "Still rate limited after every retry.",
        retryable=True,
        advice="Lower --concurrency or wait, then resume.",
    ),
    "model_overloaded": Explanation(
        "The model's server was overloaded after every retry.",
        retryable=True,
        advice="Wait, then resume.",
    ),
    "model_server": Explanation(
        "The model's server failed after every retry.",
        retryable=True,
        advice="Wait, then resume.",
    ),
    "model_unreachable": Explanation(
        "The model's server could not be reached or did not answer in time.",
        retryable=True,
        advice="Check the network and ANTHROPIC_BASE_URL, then resume.",
    ),
    "model_response": Explanation(
        "The answer of the model's server could not be understood.",
        retryable=True,
        advice="Resume; if it persists, the server does not speak the Messages API.",
    ),
    "sandbox_start": Explanation(
        "The container did not start.",
        retryable=True,
        advice="Run judge-bundles doctor, then resume.",
    ),
    "sandbox_died": Explanation(
        "The container ended in the middle of the judgement.",
        retryable=True,
        advice="Resume; if one bundle does it every time, report it.",
    ),
    "sandbox_oom": Explanation(
        "The container ran out of memory.",
        retryable=False,
        advice="Raise sandbox.memory in the rule.",
    ),
    "sandbox_timeout": Explanation(
        "A tool did not answer within its time.",
        retryable=True,
        advice="Resume; on a busy machine lower --concurrency.",
    ),
    "sandbox_protocol": Explanation(
        "The tool server answered with something that is not an answer.",
        retryable=True,
        advice="Rebuild the image; if it persists, report it.",
    ),
    "sandbox_isolation": Explanation(
        "The container was not as isolated as asked for and was not used.",
        retryable=False,
        advice="Run judge-bundles doctor; do not judge on this engine until it agrees.",
    ),
    "engine": Explanation(
        "The container engine failed or went away.",
        retryable=True,
        advice="Start the engine, then resume.",
    ),
    "interrupted": Explanation(
        "The run was stopped before this bundle was finished.",
        retryable=True,
        advice="Resume the run.",
    ),
    "internal": Explanation(
        "A fault of this program.",
        retryable=True,
        advice="Please report it with the output of --debug.",
    ),
}

KINDS: Final[tuple[ErrorKind, ...]] = get_args(ErrorKind)
RETRYABLE: Final[dict[ErrorKind, bool]] = {
    kind: explanation.retryable for kind, explanation in EXPLANATIONS.items()
}
