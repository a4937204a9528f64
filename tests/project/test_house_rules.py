"""The house rules of docs/architecture.md, checked over every file. import-linter checks the imports: see pyproject.toml."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path

from grimp import build_graph

import sayso.types

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src" / "sayso"
NODES = ROOT / "ros2_ws" / "src" / "sayso_nodes" / "sayso_nodes"
MODULES = sorted(LIBRARY.rglob("*.py"))
NODE_MODULES = sorted(NODES.rglob("*.py"))
SCRIPTS = sorted(file for folder in ("benchmarks", "examples", "scripts") for file in (ROOT / folder).rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef
LINES, LONGEST, PARAMETERS = 400, 60, 8


def imports(path: Path, *, members: bool = False) -> Iterator[str]:
    """Every module that the file imports anywhere; with `members`, also MODULE.NAME of each `from MODULE import NAME`."""
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if members:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _tree(path: Path) -> ast.Module:
    """Nobody changes it: several rules read it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of its tree."""
    return tuple(ast.walk(_tree(path)))


def _offenders(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Only the files in which something was found."""
    return {name: faults for name, faults in found.items() if faults}


def _defines_a_node(path: Path) -> bool:
    classes = (node for node in _nodes(path) if isinstance(node, ast.ClassDef))
    return any(isinstance(base, ast.Name) and base.id == "SaysoNode" for each in classes for base in each.bases)


def test_a_node_holds_no_mathematics() -> None:
    """A module with a node converts, calls and publishes. It may name NumPy's types, but it imports nothing to calculate with."""
    nodes = [path for path in NODE_MODULES if _defines_a_node(path)]
    assert len(nodes) > 10
    found = {}
    for path in nodes:
        tree = _tree(path)
        body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
        text = ast.unparse(ast.Module(body, []))
        found[_name(path)] = re.findall(r"(?:import|from) (?:math|numpy|scipy|torch|onnxruntime)\b", text)
    assert _offenders(found) == {}


def test_a_module_has_one_job() -> None:
    lengths = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in (*MODULES, *NODE_MODULES)}
    assert {name: lines for name, lines in lengths.items() if lines > LINES} == {}, "split them"


def test_functions_are_short_and_take_few_parameters() -> None:
    found = {}
    for path in (*MODULES, *NODE_MODULES, *SCRIPTS):
        functions = [node for node in _nodes(path) if isinstance(node, Function)]
        found[_name(path)] = [
            *(f"{each.name}: {_length(each)} lines" for each in functions if _length(each) > LONGEST),
            *(f"{each.name}: {_parameters(each)} parameters" for each in functions if _parameters(each) > PARAMETERS),
        ]
    assert _offenders(found) == {}


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _parameters(function: Function) -> int:
    """The number of parameters, without the `self` or `cls` of a method."""
    arguments = function.args
    named = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len(named) - (named[:1] in (["self"], ["cls"])) + bool(arguments.vararg) + bool(arguments.kwarg)


def test_a_class_name_stands_for_one_class() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in (*MODULES, *NODE_MODULES, *SCRIPTS):
        for node in _nodes(path):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(_name(path))
    assert not {name: paths for name, paths in found.items() if len(paths) > 1}


def test_every_module_is_reached_by_a_test() -> None:
    """A test imports it, or imports a module that uses it. Training takes hours, and tests start the nodes as processes."""
    graph = build_graph("sayso", "sayso_nodes", cache_dir=None)
    waiting = {name for path in (ROOT / "tests").rglob("*.py") for name in imports(path, members=True)}
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in graph.modules and name not in reached:
            reached.add(name)
            waiting |= graph.find_modules_directly_imported_by(name)
    own_process = {"sayso.gazebo.drake_view"}  # runs in a separate process
    library = {name for name in graph.modules if name.startswith("sayso.") and not name.startswith("sayso.training.")}
    modules = {name for name in library - own_process if not graph.find_children(name)}
    assert not sorted(modules - reached)


def test_every_module_says_what_it_is_for() -> None:
    assert [_name(path) for path in (*MODULES, *NODE_MODULES) if not ast.get_docstring(_tree(path))] == []


def test_nodes_use_the_clock_of_ros() -> None:
    """`time.time` would be wrong in simulation and replay; `time.monotonic` is for processes, not for messages."""
    found = {}
    for path in NODE_MODULES:
        named = [node for node in _nodes(path) if isinstance(node, ast.Attribute) and node.attr == "time"]
        found[_name(path)] = [f"line {node.lineno}" for node in named if isinstance(node.value, ast.Name) and node.value.id == "time"]
    assert _offenders(found) == {}


def test_the_data_between_stages_is_frozen() -> None:
    classes = [item for item in vars(sayso.types).values() if is_dataclass(item) and isinstance(item, type)]
    assert len(classes) > 15
    assert all(item.__dataclass_params__.frozen for item in classes)  # type: ignore[attr-defined]


def test_module_names_are_specific() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert not [_name(path) for path in [*MODULES, *NODE_MODULES] if path.stem in empty]


def test_the_repository_stays_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "models").rglob("*") if path.is_file()) <= 60e6


def test_tests_that_start_nodes_are_marked_so_that_they_run_one_by_one() -> None:
    texts = {_name(path): path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)}
    starting = [name for name, text in texts.items() if re.search(r"\.wait_active\(|\bpeer\(", text)]
    assert len(starting) > 20
    assert [name for name in starting if "pytest.mark.ros" not in texts[name]] == []
