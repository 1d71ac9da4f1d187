"""`python -m judge_bundles` is the program `judge-bundles`."""

import os
import sys

# `-m` puts the current folder first on the path. It may be a bundle, whose files must not be ours.
if not sys.flags.safe_path and sys.path and sys.path[0] == os.getcwd():  # noqa: PTH109 - one import less
    del sys.path[0]

from judge_bundles.program import main

main()
