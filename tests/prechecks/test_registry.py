import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest

from judge_prechecks import Gate, Held, Parameters, PrecheckSpecError, View, checks, precheck
from judge_prechecks.registry import find, known_types


def test_every_module_of_the_checks_holds_the_type_of_its_name() -> None:
    names = [module.name for module in pkgutil.iter_modules(checks.__path__)]
    assert len(names) == 7
    for name in names:
        primitive = find(name)
        assert primitive is not None
        assert primitive.name == name
        assert primitive.parameters.__doc__
        module = import_module(f"judge_prechecks.checks.{name}")
        assert (module.__doc__ or "").startswith(f"`{name}`: ")


def test_a_registered_type_is_known_and_usable(tmp_path: Path) -> None:
    class Always(Parameters):
        """For this test."""

        type: Literal["test_always"]

    @precheck(Always)
    def always(spec: Always, view: View) -> Held:
        return Held("of course")

    assert "test_always" in known_types()
    assert Gate.parse([{"type": "test_always"}]).run(tmp_path)[0].message == "of course"


def test_a_type_cannot_be_taken_twice() -> None:
    class First(Parameters):
        type: Literal["test_taken"]

    class Second(Parameters):
        type: Literal["test_taken"]

    precheck(First)(lambda _spec, _view: Held("first"))
    with pytest.raises(ValueError, match="test_taken is taken"):
        precheck(Second)(lambda _spec, _view: Held("second"))


def test_a_builtin_type_cannot_be_taken_even_before_it_is_used() -> None:
    program = """
from typing import Literal
from judge_prechecks import Held, Parameters, precheck

class Fake(Parameters):
    type: Literal["file_present"]

try:
    precheck(Fake)(lambda spec, view: Held("always"))
except ValueError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "the precheck type file_present is taken\n"


def test_parameters_must_name_their_type() -> None:
    class Nameless(Parameters):
        pass

    with pytest.raises(TypeError, match="Nameless must declare type: Literal"):
        precheck(Nameless)


def install(folder: Path, module: str) -> None:
    """Lay out a package as pip would, with one entry point, and make it importable."""
    metadata = folder / "plug-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[judge_bundles.prechecks]\nplugged = plugged_check\nfile_present = plugged_check\n"
    )
    (folder / "plugged_check.py").write_text(module)


@pytest.mark.parametrize(
    ("module", "printed"),
    [
        (
            "raise RuntimeError('no licence')",
            "[0].type: plugged is installed but cannot be loaded: RuntimeError: no licence",
        ),
        ("", "[0].type: unknown precheck type plugged"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_a_mistake_only_where_it_is_used(
    tmp_path: Path, module: str, printed: str
) -> None:
    install(tmp_path, module)
    program = (
        "from judge_prechecks import Gate, PrecheckSpecError\n"
        "Gate.parse([{'type': 'file_present', 'path': 'x'}])\n"
        "try:\n    Gate.parse([{'type': 'plugged'}])\n"
        "except PrecheckSpecError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(printed)


def test_a_rule_of_builtin_types_imports_neither_jsonpath_nor_other_checks() -> None:
    program = (
        "import sys; from judge_prechecks import Gate\n"
        "Gate.parse([{'type': 'map_values_in', 'file': 'x', 'path': 'a.b[*]', 'allowed': [1]}])\n"
        "print([m for m in sys.modules if m.startswith(('jsonpath_ng', 'judge_prechecks.checks.'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['judge_prechecks.checks.map_values_in']\n"


def test_an_unknown_type_is_not_imported_from_anywhere() -> None:
    for name in ("os", "judge_prechecks.gate", "../x", "__init__", ""):
        with pytest.raises(PrecheckSpecError, match="unknown precheck type"):
            Gate.parse([{"type": name}])
