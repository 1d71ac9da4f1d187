"""How `--glob` is matched."""

import pytest

from judge_bundles.bundles.patterns import BundlePattern
from judge_bundles.errors import UserError


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*", "run-1", True),
        ("*", "a/run-1", False),
        ("*", ".hidden", False),
        (".*", ".hidden", True),
        ("jobs/*/*", "jobs/a/b", True),
        ("jobs/*/*", "jobs/a", False),
        ("./jobs//*", "jobs/a", True),
        ("**/run-?", "run-1", True),
        ("**/run-?", "a/b/run-1", True),
        ("**/run-?", "a/.git/run-1", False),
        ("jobs/**", "jobs", False),
        ("jobs/**", "jobs/a/b", True),
        ("**/.out/*", "a/.out/b", True),
        ("run-[0-9]", "run-7", True),
        ("run-[!0-9]", "run-7", False),
        ("RUN", "run", False),
        ("new*line", "new\nline", True),
        ("*.zip", "-rf.zip", True),
    ],
)
def test_a_pattern_fits_whole_paths_component_by_component(
    pattern: str, path: str, *, fits: bool
) -> None:
    assert BundlePattern.parse(pattern).fits(path.split("/")) is fits


@pytest.mark.parametrize(
    ("pattern", "folder", "below"),
    [
        ("jobs/*/*", "jobs", True),
        ("jobs/*/*", "jobs/a", True),
        ("jobs/*/*", "jobs/a/b", False),
        ("jobs/*/*", "other", False),
        ("**/run", "any/where", True),
        ("**/run", ".git", False),
    ],
)
def test_only_folders_that_can_lead_somewhere_are_entered(
    pattern: str, folder: str, *, below: bool
) -> None:
    assert BundlePattern.parse(pattern).fits_below(folder.split("/")) is below


@pytest.mark.parametrize("pattern", ["", "/", "/abs/*", "a/../b", "..", ".", "a\0b"])
def test_a_pattern_that_could_mean_nothing_below_runs_is_a_usage_error(pattern: str) -> None:
    with pytest.raises(UserError, match="--glob"):
        BundlePattern.parse(pattern)


def test_many_any_depth_components_cost_no_more_than_their_number() -> None:
    pattern = BundlePattern.parse("/".join(["**", "a*"] * 30))
    assert not pattern.fits(["ab"] * 200 + ["b"])
