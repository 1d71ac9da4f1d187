"""The builtin judges: the shipped ones and those of `--judges-dir`, found by their place on disk.

Nothing of them is imported or rendered here; what a judge says of itself is read from its file.
"""

from judge_bundles.rules.catalogue.builtin_file import Builtin
from judge_bundles.rules.catalogue.catalogue import SHIPPED, Catalogue, read_catalogue

__all__ = ["SHIPPED", "Builtin", "Catalogue", "read_catalogue"]
