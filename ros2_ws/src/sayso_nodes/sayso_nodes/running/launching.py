"""Launch descriptions made from the graph, for the files in launch/. Needs launch and launch_ros, which are not in PyPI wheels.

They may be included in another bringup: they change nothing outside the processes they start.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sayso.errors import RosError
from sayso_nodes.environment import node_environment, remove_dead_segments
from sayso_nodes.graph import Node
from sayso_nodes.running.launch_arguments import Argument, LaunchPlan, arguments, of_each_robot, plan
from sayso_nodes.running.launching_gazebo import gazebo, rviz, share
from sayso_nodes.running.starting import (
    cause,
    own_parameters,
    remappings,
    restart_after,
    restart_parameters,
    security_arguments,
    still_counted,
)

# Set by a surrounding GroupAction, and needed for nodes that restart after it has ended.
SURROUNDINGS = ("ros_namespace", "ros_remaps", "global_params")


def launch_description(variant: str) -> Any:
    """The nodes of the variant, which activate themselves in order, and the arguments of the launch file.

    Raises:
        RosError: the packages launch and launch_ros are missing.
    """
    require_launch()
    from launch import LaunchDescription
    from launch.actions import OpaqueFunction

    return LaunchDescription([*declared(arguments(variant)), OpaqueFunction(function=_start, kwargs={"variant": variant})])


def require_launch() -> None:
    """Raise RosError if ROS's own launch is missing."""
    try:
        import launch  # noqa: F401
        import launch_ros  # noqa: F401
    except ImportError:
        raise RosError("launch files need the packages launch and launch_ros (from apt, not PyPI); `sayso up` needs neither") from None


def declared(table: tuple[Argument, ...]) -> list[Any]:
    """The table as arguments of a launch file."""
    from launch.actions import DeclareLaunchArgument

    return [
        DeclareLaunchArgument(row.name, default_value=row.default, description=row.description, choices=row.choices or None)
        for row in table
    ]


def values(context: Any, table: tuple[Argument, ...]) -> dict[str, str]:
    """The arguments' values in this launch."""
    from launch.substitutions import LaunchConfiguration

    return {row.name: LaunchConfiguration(row.name).perform(context) for row in table}


def _start(context: Any, variant: str) -> list[Any]:
    chosen = plan(variant, values(context, arguments(variant)))
    remove_dead_segments(frozenset())  # of a robot that was killed together with its launcher
    entities = gazebo(chosen, python()) if variant == "gazebo" else []
    return entities + [entity for robot in of_each_robot(chosen) for entity in _robot(context, robot)]


def _robot(context: Any, chosen: LaunchPlan) -> list[Any]:
    """The nodes of one robot, and what goes with them."""
    entities = [entity for node in chosen.nodes for entity in _started(context, chosen, node)]
    if chosen.record_to is not None:
        entities.append(_recorder(context, chosen))
    if chosen.bag is not None:
        entities.append(_player(chosen))
    if chosen.rviz:
        entities.append(rviz(chosen))
    return entities


def _started(context: Any, chosen: LaunchPlan, node: Node, restarts: int = 0) -> list[Any]:
    """The node, and what happens when it ends."""
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit
    from launch_ros.actions import LifecycleNode

    own = {**own_parameters(chosen.graph, node, chosen.circumstances), **chosen.parameters.get(node.name, {})}
    if restarts:
        own |= restart_parameters(node.name)
    process = LifecycleNode(**_process(context, chosen, node, own))
    began = time.monotonic()
    kept = {name: context.launch_configurations[name] for name in SURROUNDINGS if name in context.launch_configurations}

    def ended(event: Any, context: Any) -> list[Any]:
        if context.is_shutdown:
            return []
        # launch_ros counts names, and would warn that the restarted node is a second one.
        counted = getattr(context.locals, "unique_ros_node_names", {})
        counted[process.node_name] = 0
        return _ended(chosen, node, event.returncode, still_counted(restarts, time.monotonic() - began), kept)

    return [process, RegisterEventHandler(OnProcessExit(target_action=process, on_exit=ended, handle_once=True))]


def _ended(chosen: LaunchPlan, node: Node, code: int, restarts: int, kept: Mapping[str, Any]) -> list[Any]:
    """Restart the node with its original configuration, or log that it is not restarted."""
    from launch.actions import GroupAction, LogInfo, OpaqueFunction, TimerAction

    wait = restart_after(node.name, code, restarts) if chosen.respawn else None
    if wait is None:
        return [LogInfo(msg=f"{node.name} ended ({cause(code)}) and is not started again")]

    def surround(context: Any) -> None:
        context.launch_configurations.update(kept)

    def again(context: Any) -> list[Any]:
        return _started(context, chosen, node, restarts + 1)

    group = GroupAction([OpaqueFunction(function=surround), OpaqueFunction(function=again)])
    message = LogInfo(msg=f"{node.name} ended ({cause(code)}), is started again in {wait:g} s")
    return [message, TimerAction(period=wait, actions=[group]) if wait else group]


def _process(context: Any, chosen: LaunchPlan, node: Node, own: Mapping[str, object]) -> dict[str, Any]:
    """The arguments of launch_ros's Node for a process."""
    environment = {name: value for name, value in node_environment(node, {}, None).items() if context.environment.get(name) != value}
    return {
        "executable": python(),
        "arguments": ["-m", node.module],
        "exec_name": node.name,
        "name": node.name,
        "namespace": chosen.namespace,
        "parameters": [str(chosen.params_file), _typed(own)],
        "remappings": list(remappings(chosen.graph)),
        "ros_arguments": ["--log-level", chosen.log_level, *security_arguments(context.environment, chosen.namespace, node.name)],
        "output": "screen",
        "additional_env": environment,
    }


def python() -> str:
    """The interpreter of the nodes, from the active virtual environment, because `ros2` itself runs in the system's."""
    activated = Path(os.environ.get("VIRTUAL_ENV", "")) / "bin/python3"
    return str(activated) if activated.is_absolute() and activated.is_file() else sys.executable


def _typed(own: Mapping[str, object]) -> dict[str, Any]:
    """The values with their types: launch would read text as YAML, and a file named 7 is not a number."""
    from launch_ros.parameter_descriptions import ParameterValue

    typed: dict[str, Any] = {}
    for name, value in own.items():
        kind = list[str] if isinstance(value, list) else type(value)
        typed[name] = ParameterValue(value, value_type=kind)
    return typed


def _recorder(context: Any, chosen: LaunchPlan) -> Any:
    from launch_ros.actions import Node as Process

    own = {"folder": str(chosen.record_to), "variant": chosen.graph.variant, "use_sim_time": chosen.circumstances.use_sim_time}
    return Process(**_process(context, chosen, Node("recorder", "every topic to a bag"), own))


def _player(chosen: LaunchPlan) -> Any:
    """Play the bag's topics that no node publishes, once the nodes are active."""
    from launch.actions import ExecuteProcess

    share("ros2bag", "bag:= is played by `ros2 bag play`")
    prefix = f"/{chosen.namespace}" if chosen.namespace else ""
    topics = [name if name.startswith("/") else f"{prefix}/{name}" for name in chosen.graph.elsewhere.publishes if name != "/clock"]
    wait = ["-m", "sayso_nodes.running.when_active", "--namespace", chosen.namespace, *(node.name for node in chosen.nodes), "--"]
    play = ["ros2", "bag", "play", str(chosen.bag), "--clock", "--topics", *topics]
    return ExecuteProcess(cmd=[python(), *wait, *play], name="bag", output="screen")
