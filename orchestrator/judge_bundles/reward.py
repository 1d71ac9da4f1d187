"""Give a verdict the reward that its rule asks for.

How a reward is made is not part of the rule's digest: a verdict that is reused gets it anew.
"""

from dataclasses import replace
from typing import Final

from judge_bundles import scoring
from judge_bundles.rules.model import AgentJudgeSpec, Rule
from judge_bundles.verdict import Verdict

_NO_REWARD: Final = "no reward: "


def with_reward(verdict: Verdict, rule: Rule) -> Verdict:
    """Return the verdict with its reward, if its rule is one that gives any.

    Where a `reward` block finds none, a warning says why.
    """
    warnings = tuple(one for one in verdict.warnings if not one.startswith(_NO_REWARD))
    if not _gives_rewards(rule):
        return replace(verdict, reward=None, warnings=warnings)
    names = [judge.name for judge in rule.judges]
    outcome = scoring.bundle_outcome(verdict, names, has_gate=bool(rule.gate.checks))
    scales = {scale.name: scale for scale in rule.scales}
    reward = scoring.reward_of(outcome, rule.reward, scales)
    if reward.value is None and rule.reward is not None:
        warnings = (*warnings, f"{_NO_REWARD}{reward.reason}")
    return replace(verdict, reward=reward.value, warnings=warnings)


def _gives_rewards(rule: Rule) -> bool:
    """Whether a rule is more than a gate with a rubric, whose verdict says it all."""
    if rule.reward is not None or len(rule.judges) > 1:
        return True
    return any(not isinstance(judge, AgentJudgeSpec) for judge in rule.judges)
