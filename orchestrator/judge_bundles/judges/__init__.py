"""The judges of a rule."""

from judge_bundles.judges.base import Judged, Means, NewSandbox
from judge_bundles.judges.bundle import Bundle
from judge_bundles.judges.judging import run

__all__ = ["Bundle", "Judged", "Means", "NewSandbox", "run"]
