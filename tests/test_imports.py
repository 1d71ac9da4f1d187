"""The layers of the code base, held to."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "orchestrator" / "judge_bundles"

# Lowest first. Modules of one row may import each other; a row imports only rows above it here.
LAYERS = (
    {
        "error_kinds",
        "errors",
        "limits",
        "escape",
        "log",
        "key_shapes",
        "resources",
        "stopping",
        "__init__",
    },
    {"workers"},
    {"verdict"},
    {"scoring"},
    {"documents"},
    {"record"},
    {"judge_code"},
    {"rules", "bundles"},
    {"sandbox", "models", "store"},
    {"agent"},
    {"judges"},
    {"intake"},
    {"reuse", "reward", "decision", "draft", "baseline", "pipeline"},
    {"plan", "sandboxes", "runner"},
    {"reports", "api"},
    {"cli"},
    {"program", "__main__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ONLY_IN = {
    "docker": "sandbox",
    "anthropic": "models",
    "httpx2": "models",
    "sqlalchemy": "store",
    "alembic": "store",
}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_belongs_to_a_layer() -> None:
    assert {part(path) for path in sources()} <= set(LEVEL)


def test_imports_go_one_way() -> None:
    wrong = []
    for path in sources():
        for name in imported(path):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if top == "judge_bundles" and target in LEVEL and LEVEL[target] > LEVEL[part(path)]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_outside_libraries_stay_in_their_layer() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources()
        for name in imported(path)
        if (owner := ONLY_IN.get(name.partition(".")[0])) and part(path) != owner
    ]
    assert wrong == []


def test_the_gate_library_knows_nothing_of_the_product() -> None:
    paths = list((ROOT / "prechecks").rglob("*.py"))
    assert paths
    for path in paths:
        assert not [name for name in imported(path) if name.startswith("judge_bundles")], path


def test_the_tool_server_uses_the_standard_library_only() -> None:
    paths = list((ROOT / "sandbox_image").rglob("*.py"))
    assert paths
    for path in paths:
        tops = {name.partition(".")[0] for name in imported(path)}
        assert tops <= set(sys.stdlib_module_names) | {"sandbox_image"}, path


def modules() -> dict[str, Path]:
    found = {}
    for path in sources():
        dotted = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        found[dotted.removesuffix(".__init__")] = path
    return found


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = {
        name: {
            target
            for one in imported(path)
            for target in (one, one.rpartition(".")[0])
            if target in known and target != name and target.count(".") >= name.count(".") - 9
        }
        for name, path in known.items()
    }
    # A package's __init__ may gather its own modules; what counts is modules among themselves.
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    state: dict[str, int] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert state.get(name) != 1, " -> ".join((*trail, name))
        if state.get(name) == 2:
            return
        state[name] = 1
        for target in sorted(graph[name] - packages):
            visit(target, (*trail, name))
        state[name] = 2

    for name in sorted(set(graph) - packages):
        visit(name, ())


@pytest.mark.parametrize("folder", ["orchestrator", "prechecks", "sandbox_image"])
def test_no_module_is_longer_than_300_lines(folder: str) -> None:
    long = [
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > 300
    ]
    assert long == []


def test_a_gate_only_run_imports_neither_the_sdk_nor_the_engine_client(tmp_path: Path) -> None:
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "report.md").write_text("x")
    (tmp_path / "rule.json").write_text('[{"type": "file_present", "path": "report.md"}]')
    program = (
        "import sys; from judge_bundles.cli.app import run; "
        "code = run(['runs', '--rule', 'rule.json', '-q']); "
        "heavy = set(sys.argv[1:]) & set(sys.modules); "
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    heavy = ["anthropic", "httpx2", "docker", "requests"]
    for names in (heavy, [*heavy, "alembic"]):  # the first run makes the store by its migrations
        command = [sys.executable, "-c", program, *names]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
