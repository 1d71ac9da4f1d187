"""How fast the product is beside what it stands on: a tool for its developers, not shipped.

Every figure is a ratio to a floor that was measured in the same run, so that machines and days can
be compared. `python -m bench` runs it; `docs/benchmarks.md` says what the figures mean.
"""
