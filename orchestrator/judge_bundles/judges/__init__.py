"""The judges of a rule. Importing the package registers the types it ships."""

from judge_bundles.judges import agent
from judge_bundles.judges.base import Bundle, Judged, JudgeSpec, Means, NewSandbox, run

__all__ = ["Bundle", "JudgeSpec", "Judged", "Means", "NewSandbox", "agent", "run"]
