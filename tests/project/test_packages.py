"""The ROS packages have complete descriptions, dependencies known to rosdep, and install all their files."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from patience import PATIENCE

pytest.importorskip("catkin_pkg", reason="catkin_pkg comes with ROS")

from catkin_pkg.package import Package, parse_package

import sayso

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "ros2_ws/src"
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("*/package.xml"))
BUILT_BY_CMAKE = [
    name for name in PACKAGES if (SOURCE / name / "CMakeLists.txt").exists() and name != "sayso_msgs"
]  # that one takes minutes
# Used if installed, but not required.
OPTIONAL = {"hri_actions_msgs", "hri_msgs", "vision_msgs"}


def described(name: str) -> tuple[Package, list[str]]:
    warnings: list[str] = []
    return parse_package(SOURCE / name, warnings=warnings), warnings


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_fully_described(name: str) -> None:
    package, warnings = described(name)
    assert not warnings
    assert package.package_format == 3
    assert package.name == name
    assert package.version == sayso.__version__
    assert list(package.licenses) == ["Apache-2.0"]
    assert package.maintainers
    assert package.description.endswith(".")


@pytest.mark.parametrize("name", PACKAGES)
def test_rosdep_finds_every_dependency(name: str) -> None:
    package, _ = described(name)
    known = yaml.safe_load((ROOT / "tests/data/rosdep_keys.yaml").read_text())
    kinds = ("build_depends", "buildtool_depends", "build_export_depends", "exec_depends", "test_depends")
    wanted = {dependency.name for kind in kinds for dependency in getattr(package, kind)}
    assert wanted <= {*known["jazzy"], *known["apt"], *PACKAGES}


def test_every_package_that_the_nodes_import_or_use_is_a_dependency() -> None:
    package, _ = described("sayso_nodes")
    known = set(yaml.safe_load((ROOT / "tests/data/rosdep_keys.yaml").read_text())["jazzy"])
    used = {"rclpy", "sayso", "sayso_msgs"}
    for path in (SOURCE / "sayso_nodes/sayso_nodes").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                used.add(node.module.split(".")[0])
            elif isinstance(node, ast.Import):
                used |= {name.name.split(".")[0] for name in node.names}
    graph = yaml.safe_load((SOURCE / "sayso_nodes/sayso_nodes/graph.yaml").read_text(encoding="utf-8"))
    used |= {entry["type"].split("/")[0] for kind in ("topics", "services", "actions") for entry in graph[kind].values()}
    foreign = {name for name in used - OPTIONAL if name in known or name.endswith(("_msgs", "_srvs", "_interfaces"))} | {"sayso"}
    assert foreign - {"launch", "launch_ros"} <= {dependency.name for dependency in package.exec_depends}


@pytest.fixture(scope="module")
def nodes_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The nodes as colcon installs the ament_python package."""
    folder = tmp_path_factory.mktemp("nodes")
    shutil.copytree(SOURCE / "sayso_nodes", folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "setup.py", "-q", "build", "install", "--root", str(folder / "root"), "--prefix", "/usr"]
    subprocess.run(command, cwd=folder / "source", check=True, capture_output=True, timeout=PATIENCE)
    return folder / "root/usr"


def test_every_file_of_the_nodes_is_installed(nodes_built: Path) -> None:
    here = SOURCE / "sayso_nodes/sayso_nodes"
    wanted = {str(path.relative_to(here)) for path in here.rglob("*.*") if path.suffix in (".py", ".yaml", ".xml")}
    (there,) = nodes_built.rglob("sayso_nodes/graph.yaml")
    assert wanted <= {str(path.relative_to(there.parent)) for path in there.parent.rglob("*.*")}


def test_ros2_run_finds_every_node_and_the_package_is_in_the_index(nodes_built: Path) -> None:
    graph = yaml.safe_load((SOURCE / "sayso_nodes/sayso_nodes/graph.yaml").read_text(encoding="utf-8"))
    programs = {path.name: path for path in (nodes_built / "lib/sayso_nodes").iterdir()}
    assert {*graph["nodes"], "recorder"} <= set(programs)
    assert programs["planner"].read_text().startswith("#!/usr/bin/env python3\n")  # the Python of an activated virtual environment
    assert (nodes_built / "share/ament_index/resource_index/packages/sayso_nodes").is_file()
    assert (nodes_built / "share/sayso_nodes/package.xml").is_file()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prefix into which CMake installed our packages."""
    cmake, prefix = shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}"), Path(sys.prefix)
    if cmake is None or not ((prefix / "share/ament_cmake").is_dir() or "AMENT_PREFIX_PATH" in os.environ):
        pytest.skip("ament_cmake is not installed")
    folder = tmp_path_factory.mktemp("cmake")
    env = {"AMENT_PREFIX_PATH": str(prefix), "CMAKE_PREFIX_PATH": str(prefix), **os.environ}
    for name in BUILT_BY_CMAKE:
        options = [f"-DCMAKE_INSTALL_PREFIX={folder / 'install'}", "-DBUILD_TESTING=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
        for command in (
            [cmake, "-S", str(SOURCE / name), "-B", str(folder / name), *options],
            [cmake, "--build", str(folder / name), "--target", "install"],
        ):
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "install"


def test_launch_files_and_views_are_installed(installed: Path) -> None:
    share = installed / "share/sayso_bringup"
    assert {path.name for path in (share / "launch").iterdir()} == {path.name for path in (ROOT / "launch").glob("*.py")}
    assert (share / "rviz/sayso.rviz").is_file()
    for name in BUILT_BY_CMAKE:
        assert (installed / f"share/ament_index/resource_index/packages/{name}").is_file()


def test_the_installed_library_finds_its_home_and_models(installed: Path) -> None:
    (library,) = installed.rglob("sayso/paths.py")
    env = {**os.environ, "PYTHONPATH": str(library.parents[1])}
    env.pop("SAYSO_ROOT", None)
    asked = "import sayso.paths as p; print(p.__file__, p.default_domain().is_file(), (p.models_dir() / 'manifest.yaml').is_file())"
    done = subprocess.run(
        [sys.executable, "-c", asked], env=env, cwd=installed, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == [str(library), "True", "True"]
