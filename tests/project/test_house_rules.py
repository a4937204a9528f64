"""The rules of the house: each one that DESIGN names is checked here, over every file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import sayso.types

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src" / "sayso"
NODES = ROOT / "ros2_ws" / "src" / "sayso_nodes" / "sayso_nodes"
STAGES = ("speech", "intent", "selection", "grounding", "planning")
ROS_PACKAGES = (
    "rclpy",
    "rosidl",
    "ament_index_python",
    "launch",
    "launch_ros",
    "sayso_msgs",
    "sayso_nodes",
    "std_msgs",
    "sensor_msgs",
    "geometry_msgs",
    "nav_msgs",
)
MODULES = sorted(LIBRARY.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module that the file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_the_library_imports_nothing_of_ros(path: Path) -> None:
    assert not [name for name in imports(path) if name.split(".")[0] in ROS_PACKAGES]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_knows_no_other_stage(stage: str) -> None:
    others = tuple(f"sayso.{other}" for other in (*STAGES, "sim", "robot", "console", "training", "pipeline") if other != stage)
    found = [
        f"{_name(path)}: {name}" for path in sorted((LIBRARY / stage).rglob("*.py")) for name in imports(path) if name.startswith(others)
    ]
    assert not found


@pytest.mark.parametrize("path", [path for path in MODULES if path.relative_to(LIBRARY).parts[0] not in ("nn", "training")], ids=_name)
def test_torch_is_needed_for_training_alone(path: Path) -> None:
    allowed = {LIBRARY / "speech" / "whisper.py"}
    assert path in allowed or not [name for name in imports(path) if name.split(".")[0] in ("torch", "sklearn", "transformers")]


def _defines_a_node(path: Path) -> bool:
    classes = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ClassDef))
    return any(isinstance(base, ast.Name) and base.id == "SaysoNode" for each in classes for base in each.bases)


@pytest.mark.parametrize("path", [path for path in sorted(NODES.rglob("*.py")) if _defines_a_node(path)], ids=_name)
def test_a_node_holds_no_mathematics(path: Path) -> None:
    """A module with a node converts, calls and publishes. It may name NumPy's types, but it imports nothing to calculate with."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    assert not re.findall(r"(?:import|from) (?:math|numpy|scipy|torch|onnxruntime)\b", ast.unparse(tree))


@pytest.mark.parametrize("path", [*MODULES, *sorted(NODES.rglob("*.py"))], ids=_name)
def test_no_module_is_two(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 330, "split it: one module, one job"


@pytest.mark.parametrize("path", [*MODULES, *sorted(NODES.rglob("*.py"))], ids=_name)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(NODES.rglob("*.py")), ids=_name)
def test_nodes_use_the_clock_of_ros(path: Path) -> None:
    """`time.time` would be wrong in simulation and replay; `time.monotonic` is for processes, not for messages."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute) and node.attr == "time"]
    assert not [node for node in calls if isinstance(node.value, ast.Name) and node.value.id == "time"]


def test_what_passes_between_stages_is_frozen() -> None:
    classes = [item for item in vars(sayso.types).values() if is_dataclass(item) and isinstance(item, type)]
    assert len(classes) > 15
    assert all(item.__dataclass_params__.frozen for item in classes)  # type: ignore[attr-defined]


def test_no_names_that_say_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert not [_name(path) for path in [*MODULES, *NODES.rglob("*.py")] if path.stem in empty]


def test_the_repository_stays_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "models").rglob("*") if path.is_file()) <= 40e6
