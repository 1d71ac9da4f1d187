"""`python -m judge_bundles` is the program `judge-bundles`."""

from judge_bundles.program import main

main()
