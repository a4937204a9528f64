"""The launch files: the same nodes as the graph says, with described arguments. Skipped where ROS's package launch is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from sayso.errors import RosError
from sayso_nodes.graph import VARIANTS, load_graph

LAUNCH = Path(__file__).resolve().parents[1] / "launch"


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_has_a_launch_file(variant: str) -> None:
    assert f'launch_description("{variant}")' in (LAUNCH / f"{variant}.launch.py").read_text(encoding="utf-8")


def test_without_the_launch_package_the_error_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from sayso_nodes.launching import launch_description

    monkeypatch.setitem(sys.modules, "launch", None)
    with pytest.raises(RosError, match="`sayso up` needs neither"):
        launch_description("sim")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_launch_file_starts_the_nodes_of_the_graph(variant: str) -> None:
    launch = pytest.importorskip("launch", reason="the package launch is not in PyPI wheels")
    pytest.importorskip("launch_ros", reason="the package launch_ros is not in PyPI wheels")
    from launch.actions import DeclareLaunchArgument
    from launch.launch_description_sources import get_launch_description_from_python_launch_file
    from launch_ros.actions import LifecycleNode

    description = get_launch_description_from_python_launch_file(str(LAUNCH / f"{variant}.launch.py"))
    assert isinstance(description, launch.LaunchDescription)
    nodes = [entity for entity in description.entities if isinstance(entity, LifecycleNode)]
    graph = load_graph(variant)
    assert len(nodes) == len(graph.nodes)
    arguments = {entity.name: entity for entity in description.entities if isinstance(entity, DeclareLaunchArgument)}
    assert {"domain", "params_file", "namespace", "log_level", "respawn"} <= set(arguments)
    assert ("use_sim_time" in arguments) == graph.use_sim_time
    assert all(argument.description for argument in arguments.values())
    assert list(arguments["log_level"].choices) == ["debug", "info", "warn", "error", "fatal"]
