"""Bundles on disk for tests of the gate."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from judge_prechecks import Gate, JsonOptions, Outcome

# A busy machine is no fault of the code: time is measured where it is the point of a test.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

Content = bytes | str | list[Any] | dict[str, Any]


@pytest.fixture
def bundle(tmp_path: Path) -> Callable[[Mapping[str, Content]], Path]:
    """Write files: bytes and text as they are, anything else as JSON."""

    def write(files: Mapping[str, Content]) -> Path:
        root = tmp_path / "bundle"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content) if isinstance(content, (list, dict)) else content
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return root

    return write


@pytest.fixture
def check(
    bundle: Callable[[Mapping[str, Content]], Path],
) -> Callable[..., Outcome]:
    """Run one precheck on a bundle of these files."""

    def run(
        spec: dict[str, Any], files: Mapping[str, Content], options: JsonOptions | None = None
    ) -> Outcome:
        (outcome,) = Gate.parse([spec], options).run(bundle(files))
        return outcome

    return run
