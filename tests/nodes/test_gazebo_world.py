"""The whole graph with a real Gazebo: all nodes over DDS, the world and the robot in Gazebo's physics, pictures by its renderer.

Skipped by name where there is no Gazebo that works. It runs alone and at half pace: Gazebo, its renderer in software and all nodes fill two
cores. docs/gazebo.md says how to run it.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from sayso.domain import load_domain
from sayso.errors import RosError
from sayso_nodes.running.gazebo_server import RunningGazebo, gazebo_programs, trouble
from sayso_nodes.running.gazebo_world import write

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from rich.console import Console

from ros_nodes import environment
from sayso.console.stages import StageView
from sayso_nodes.commands.demo_watch import Watch
from sayso_nodes.commands.errand import carry_out
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs in Gazebo")]
DOMAIN = 41
LIMIT = 240.0  # s
PACE = 0.5  # simulated seconds a second


class World(NamedTuple):
    """The apartment in Gazebo, with all nodes."""

    gazebo: RunningGazebo
    graph: RunningGraph
    watch: Watch


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    try:
        programs = gazebo_programs()
    except RosError as error:
        pytest.skip(str(error))
    if why := trouble(programs):
        pytest.skip(why)
    folder: Path = tmp_path_factory.mktemp("gazebo")
    write(folder, pace=PACE)
    with ExitStack() as stack:
        gazebo = stack.enter_context(RunningGazebo(programs, folder, environment(DOMAIN), folder))
        graph = stack.enter_context(RunningGraph("gazebo", env=environment(DOMAIN), log_dir=folder / "log"))
        graph.wait_active(LIMIT, meanwhile=gazebo.check)
        watch = stack.enter_context(Watch(StageView(Console(file=io.StringIO())), DOMAIN, gazebo.check))
        yield World(gazebo, graph, watch)


def test_the_robot_goes_to_the_kitchen_and_nothing_else_moves(world: World) -> None:
    checks = carry_out("go to the kitchen", "done", world.watch, load_domain(), time.monotonic() + LIMIT, world.graph.poll)
    assert checks
    assert [check for check in checks if not check.ok] == []
