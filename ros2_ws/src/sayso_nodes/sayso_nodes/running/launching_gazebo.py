"""Gazebo and its bridge for gazebo.launch.py, and RViz for any launch file."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

from sayso.errors import RosError
from sayso_nodes.running.gazebo_world import BRIDGE
from sayso_nodes.running.launch_arguments import LaunchPlan
from sayso_nodes.running.starting import remappings

NEEDS = "gazebo.launch.py needs ros_gz_sim and ros_gz_bridge (sim.launch.py needs neither)"
FLAGS = "-r"  # run at once
HEADLESS = "-s --headless-rendering"  # the server alone, its camera by EGL


def gazebo(chosen: LaunchPlan, python: str) -> list[Any]:
    """Gazebo with the world of the scene, and the bridge between its topics and ROS's.

    Raises:
        RosError: ros_gz is not installed, or the world cannot be written.
    """
    from launch.actions import IncludeLaunchDescription
    from launch_ros.actions import Node

    start = share("ros_gz_sim", NEEDS) / "launch/gz_sim.launch.py"
    share("ros_gz_bridge", NEEDS)
    folder = Path(os.environ.get("ROS_HOME") or "~/.ros").expanduser() / "sayso" / (chosen.namespace.replace("/", "_") or "gazebo")
    _write(chosen, python, folder)
    world = chosen.world or folder / "world.sdf"
    flags = f"{FLAGS} {HEADLESS}" if chosen.headless else FLAGS
    arguments = {"gz_args": f"{flags} {shlex.quote(str(world))}", "on_exit_shutdown": "true"}
    bridge = Node(
        package="ros_gz_bridge",
        executable="parameter_bridge",
        name="gazebo_bridge",
        namespace=chosen.namespace,
        parameters=[{"config_file": str(folder / BRIDGE)}],
        output="screen",
        respawn=chosen.respawn,
    )
    return [IncludeLaunchDescription(str(start), launch_arguments=arguments.items()), bridge]


def _write(chosen: LaunchPlan, python: str, folder: Path) -> None:
    homes = ["--domain", chosen.circumstances.domain_file, "--scene", chosen.circumstances.scene_file]
    command = [python, "-m", "sayso_nodes.running.gazebo_world", str(folder), *homes, "--real-time-factor", str(chosen.pace)]
    command += [f"--namespace={robot}" for robot in chosen.robots or (chosen.namespace,)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RosError(f"the world for Gazebo cannot be written: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}")


def rviz(chosen: LaunchPlan) -> Any:
    """RViz with our layout, in the robot's namespace.

    Raises:
        RosError: it is not installed.
    """
    from launch_ros.actions import Node

    share("rviz2", "rviz:=true needs rviz2")
    layout = share("sayso_bringup", "rviz:=true needs our layout") / "rviz/sayso.rviz"
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=chosen.namespace,
        arguments=["-d", str(layout)],
        parameters=[{"use_sim_time": chosen.circumstances.use_sim_time}],
        remappings=[("/tf", "tf"), ("/tf_static", "tf_static"), *remappings(chosen.graph)],
        output="screen",
    )


def share(package: str, why: str) -> Path:
    """The shared files of a package.

    Raises:
        RosError: it is not installed; says why it is needed and how to install it.
    """
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError:
        apt = f"ros-{os.environ.get('ROS_DISTRO', 'jazzy')}-{package.replace('_', '-')}"
        how = "build the workspace with colcon and source it" if package.startswith("sayso") else f"sudo apt install {apt}"
        raise RosError(f"{why}, and {package} is not installed: {how}") from None
