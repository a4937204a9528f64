"""Launch descriptions made from the graph, for the files in launch/. Needs launch and launch_ros, which are not in PyPI wheels."""

from __future__ import annotations

from typing import Any

from sayso.errors import RosError
from sayso.paths import config_dir
from sayso_nodes.environment import PROFILE
from sayso_nodes.graph import Graph, Node, load_graph

LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")


def launch_description(variant: str) -> Any:
    """All nodes of the variant as lifecycle nodes that start by themselves, and the arguments of the launch file.

    Raises:
        RosError: the packages launch and launch_ros are missing.
    """
    try:
        from launch import LaunchDescription
        from launch.actions import SetEnvironmentVariable
        from launch.substitutions import EnvironmentVariable
    except ImportError:
        raise RosError("launch files need the packages launch and launch_ros (from apt, not PyPI); `sayso up` needs neither") from None
    graph = load_graph(variant)
    here = EnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", default_value="LOCALHOST")
    return LaunchDescription(
        [
            *_arguments(graph),
            SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", here),
            *(_node(graph, node) for node in graph.nodes.values()),
        ]
    )


def _arguments(graph: Graph) -> list[Any]:
    from launch.actions import DeclareLaunchArgument

    arguments = [
        DeclareLaunchArgument("domain", default_value="", description="domain file; empty: the default home"),
        DeclareLaunchArgument("params_file", default_value=str(config_dir() / "nodes.yaml"), description="parameters of the nodes"),
        DeclareLaunchArgument("namespace", default_value="", description="namespace of the robot"),
        DeclareLaunchArgument("log_level", default_value="info", choices=LOG_LEVELS, description="of all nodes"),
        DeclareLaunchArgument("respawn", default_value="true", choices=["true", "false"], description="start a node again that has died"),
    ]
    if graph.use_sim_time:
        either = ["true", "false"]
        arguments.append(DeclareLaunchArgument("use_sim_time", default_value="true", choices=either, description="go by /clock"))
    if "simulation" in graph.nodes:
        pace = "simulated seconds a second; 0: as fast as possible"
        arguments.append(DeclareLaunchArgument("real_time_factor", default_value="1.0", description=pace))
    return arguments


def _node(graph: Graph, node: Node) -> Any:
    import sys

    from launch.substitutions import EnvironmentVariable, LaunchConfiguration
    from launch_ros.actions import LifecycleNode
    from launch_ros.parameter_descriptions import ParameterValue

    parameters: dict[str, Any] = {"autostart": True}
    if graph.use_sim_time and "/clock" not in node.publishes:
        parameters["use_sim_time"] = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    if node.domain:
        parameters["domain"] = ParameterValue(LaunchConfiguration("domain"), value_type=str)
    if node.name == "simulation":
        parameters["real_time_factor"] = ParameterValue(LaunchConfiguration("real_time_factor"), value_type=float)
    environment = {"OMP_NUM_THREADS": "1"}
    # A gate that died may have been stopped, and launch cannot tell the new one so: without a gate nothing moves, which is the safe side.
    respawn = False if node.name == "motion_gate" else LaunchConfiguration("respawn")
    if node.large_messages:
        environment["FASTRTPS_DEFAULT_PROFILES_FILE"] = EnvironmentVariable("FASTRTPS_DEFAULT_PROFILES_FILE", default_value=str(PROFILE))
    return LifecycleNode(
        # The Python that reads this, not an installed script: the same in a colcon workspace and in a virtual environment.
        exec_name=node.name,
        executable=sys.executable,
        arguments=["-m", node.module],
        name=node.name,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), parameters],
        ros_arguments=["--log-level", LaunchConfiguration("log_level")],
        output="screen",
        respawn=respawn,
        respawn_delay=1.0,
        additional_env=environment,
    )
