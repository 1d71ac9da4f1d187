"""Read the key `judges`: each entry on its own, then all of them together."""

from judge_bundles.rules.entries.entry import Setting
from judge_bundles.rules.entries.read import Judges, read_judges

__all__ = ["Judges", "Setting", "read_judges"]
