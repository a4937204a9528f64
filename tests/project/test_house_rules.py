"""The house rules of docs/architecture.md, checked over every file. import-linter checks the imports: see pyproject.toml."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

import pytest
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
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if members:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _defines_a_node(path: Path) -> bool:
    classes = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ClassDef))
    return any(isinstance(base, ast.Name) and base.id == "SaysoNode" for each in classes for base in each.bases)


@pytest.mark.parametrize("path", [path for path in sorted(NODES.rglob("*.py")) if _defines_a_node(path)], ids=_name)
def test_a_node_holds_no_mathematics(path: Path) -> None:
    """A module with a node converts, calls and publishes. It may name NumPy's types, but it imports nothing to calculate with."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    assert not re.findall(r"(?:import|from) (?:math|numpy|scipy|torch|onnxruntime)\b", ast.unparse(tree))


@pytest.mark.parametrize("path", [*MODULES, *NODE_MODULES], ids=_name)
def test_a_module_has_one_job(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES, "split it"


@pytest.mark.parametrize("path", [*MODULES, *NODE_MODULES, *SCRIPTS], ids=_name)
def test_functions_are_short_and_take_few_parameters(path: Path) -> None:
    functions = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, Function)]
    assert not [f"{each.name}: {_length(each)} lines" for each in functions if _length(each) > LONGEST]
    assert not [f"{each.name}: {_parameters(each)} parameters" for each in functions if _parameters(each) > PARAMETERS]


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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize("path", [*MODULES, *NODE_MODULES], ids=_name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", NODE_MODULES, ids=_name)
def test_nodes_use_the_clock_of_ros(path: Path) -> None:
    """`time.time` would be wrong in simulation and replay; `time.monotonic` is for processes, not for messages."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute) and node.attr == "time"]
    assert not [node for node in calls if isinstance(node.value, ast.Name) and node.value.id == "time"]


def test_the_data_between_stages_is_frozen() -> None:
    classes = [item for item in vars(sayso.types).values() if is_dataclass(item) and isinstance(item, type)]
    assert len(classes) > 15
    assert all(item.__dataclass_params__.frozen for item in classes)  # type: ignore[attr-defined]


def test_module_names_are_specific() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert not [_name(path) for path in [*MODULES, *NODE_MODULES] if path.stem in empty]


def test_the_repository_stays_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "models").rglob("*") if path.is_file()) <= 50e6


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=_name)
def test_tests_that_start_nodes_are_marked_so_that_they_run_one_by_one(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    starts = path.name != Path(__file__).name and re.search(r"\.wait_active\(|\bpeer\(", text)
    assert not starts or "pytest.mark.ros" in text
