"""The laws of the house, as ARCHITECTURE.md tells them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "playhead"
MODULES = {
    ".".join(("playhead", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}
# each room, and the rooms and files that it may import; nothing else of ours
LAYERS: dict[str, frozenset[str]] = {}
_ORDER: tuple[tuple[str, ...], ...] = (
    ("errors",),
    ("files",),
    ("wire",),
    ("rules",),
    ("cassettes",),
    ("script",),
    ("readers",),
    ("engine",),
    ("doors",),
    ("plugins",),
    ("fake",),
    ("recording",),
    ("serving",),
    ("testing", "cli"),
)
for _position, _rooms in enumerate(_ORDER):
    _before = frozenset(room for rooms in _ORDER[:_position] for room in rooms)
    LAYERS.update({room: _before | {room} for room in _rooms})
LAYERS["loop"] = frozenset({"loop"})
LAYERS["pytest_plugin"] = LAYERS["testing"] | {"pytest_plugin"}
LAYERS["pytest_vcr"] = LAYERS["testing"] | {"pytest_vcr"}
LAYERS["cli"] = LAYERS["cli"] | {"loop", "testing"}
LAYERS["testing"] = LAYERS["testing"] | {"loop"}
LAYERS[""] = frozenset()

IO_AND_CHANCE = frozenset({"asyncio", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets"})
IO_AND_CHANCE |= {"select", "shutil", "signal", "socket", "socketserver", "ssl", "subprocess", "tempfile"}
IO_AND_CHANCE |= {"threading", "time", "urllib", "uuid", "anthropic", "httpx", "httpx2", "requests", "uvicorn"}
PURE_ROOMS = ("wire", "rules", "script", "engine", "readers", "cassettes")
# what a pure room may use: no call of it reads a clock or a file; vcrpy calls its matchers from any thread
PURE_EXCEPTIONS = {
    "playhead.readers.table": frozenset({"os", "pathlib"}),
    "playhead.readers.vcr": frozenset({"os"}),
    "playhead.readers.vcr_files": frozenset({"os"}),
    "playhead.readers.vcr_matching": frozenset({"threading"}),
}
HEAVY = ("anthropic", "httpx", "httpx2", "hypothesis", "yaml", "jsonschema", "rich", "vcr")


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path, *, typing_too: bool = True) -> Iterator[str]:
    """Every module that a file imports, in functions as well; those for type checking only if asked for."""
    tree = ast.parse(path.read_text("utf-8"))
    guarded = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and isinstance(branch.test, ast.Name) and branch.test.id == "TYPE_CHECKING"
        for statement in branch.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if not typing_too and id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a name comes from"
            assert node.module is not None
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in MODULES else node.module


def ours(path: Path) -> set[str]:
    return {name for name in imports_of(path, typing_too=False) if name in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_a_layer_imports_only_layers_before_it(module: str) -> None:
    """Law 1: wire -> rules -> script, readers -> engine -> doors -> fake -> testing, cli; loop/ stands alone."""
    allowed = LAYERS[room_of(module)]
    wrong = sorted(name for name in ours(MODULES[module]) if name != "playhead" and room_of(name) not in allowed)
    assert wrong == []


def test_there_is_no_import_cycle() -> None:
    """Law 1: following imports, those inside functions too, never leads back to where one began."""
    graph = {module: ours(path) - {module} for module, path in MODULES.items()}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for name in sorted(graph[module]):
                visit(name, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("module", [name for name in MODULES if room_of(name) in PURE_ROOMS])
def test_rooms_before_the_doors_do_no_io(module: str) -> None:
    """Law 2: no clock, chance, environment, SDK or HTTP library before the doors."""
    names = {name for name in imports_of(MODULES[module], typing_too=False) if name != "urllib.parse"}
    used = {name.partition(".")[0] for name in names}
    assert used & (IO_AND_CHANCE - PURE_EXCEPTIONS.get(module, frozenset())) == set()


@pytest.mark.parametrize("module", MODULES)
def test_only_files_opens_files(module: str) -> None:
    """Law 2: `open`, `read_bytes` and their like are called in files.py alone."""
    if module == "playhead.files":
        return
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    opening = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    methods = [
        call.func.attr
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and not (isinstance(call.func.value, ast.Name) and call.func.value.id == "files")
    ]
    assert [name for name in named if name == "open"] == []
    assert [name for name in methods if name in opening - {"open"}] == []


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-c", "import playhead"], id="import playhead"),
        pytest.param([sys.executable, "-c", "import playhead.pytest_plugin"], id="the pytest plugin"),
        pytest.param([sys.executable, "-c", "import playhead.loop"], id="import playhead.loop"),
        pytest.param(
            [
                sys.executable,
                "-c",
                "import sys; sys.argv = ['playhead', '--help']; from playhead.cli.main import main; main()",
            ],
            id="playhead --help",
        ),
    ],
)
def test_nothing_heavy_is_loaded_early(command: list[str]) -> None:
    """Law 3: the SDK, HTTP libraries, hypothesis, yaml, jsonschema, rich and vcr load on first use only."""
    show = (
        f"import atexit, sys; atexit.register(lambda: print('LOADED', *(m for m in {HEAVY!r} if m in sys.modules)))\n"
    )
    run = subprocess.run([*command[:-1], show + command[-1]], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "LOADED"


@pytest.mark.parametrize("module", MODULES)
def test_there_is_no_mutable_module_state(module: str) -> None:
    """Law 4: no `global`, and no list, set or dict at module level that is not declared a constant mapping."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Global)] == []
    mutable = (ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Dict, ast.DictComp)
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, mutable):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            name = target.id if isinstance(target, ast.Name) else ""
            constant = name.isupper() and not isinstance(node.value, ast.List | ast.ListComp)
            assert constant or name == "__all__", (
                f"{module}.{name} at line {node.lineno}: use a tuple, or a CONSTANT mapping"
            )
            assert name == "__all__" or not mutated(tree, name), f"{module}.{name} is changed"


def mutated(tree: ast.Module, name: str) -> bool:
    """Whether anything in the file writes into the mapping of this name."""
    changing = {"update", "setdefault", "pop", "popitem", "clear", "add", "append", "extend", "remove", "discard"}

    def named(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del) and named(node.value):
            return True
        call = node.func if isinstance(node, ast.Call) else None
        if isinstance(call, ast.Attribute) and call.attr in changing and named(call.value):
            return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_files_and_functions_stay_readable(module: str) -> None:
    """No file over 500 lines, no function body over 60, a docstring at the head of every file."""
    text = MODULES[module].read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "say what belongs here and what this file may not know"
    assert text.count("\n") <= 500
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.body[0].lineno < 60, node.name
