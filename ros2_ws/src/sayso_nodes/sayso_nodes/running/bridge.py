"""The configuration of ros_gz_bridge, made from the graph: the topics that Gazebo publishes and receives in the variant "gazebo"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from sayso.errors import RosError
from sayso.gazebo.topics import GAZEBO_TOPICS, OF_OTHERS, ROBOT, gazebo_topic
from sayso_nodes.graph import find_topic, load_graph, members_of

VARIANT = "gazebo"
TO_ROS, TO_GAZEBO = "GZ_TO_ROS", "ROS_TO_GZ"
# The pairs used here, from the table in ros_gz_bridge's README (branch jazzy, Apache-2.0).
PAIRS = {
    "geometry_msgs/msg/PoseStamped": "gz.msgs.Pose",
    "geometry_msgs/msg/Twist": "gz.msgs.Twist",
    "nav_msgs/msg/Odometry": "gz.msgs.Odometry",
    "rosgraph_msgs/msg/Clock": "gz.msgs.Clock",
    "sensor_msgs/msg/CameraInfo": "gz.msgs.CameraInfo",
    "sensor_msgs/msg/Image": "gz.msgs.Image",
    "sensor_msgs/msg/JointState": "gz.msgs.Model",
    "std_msgs/msg/Empty": "gz.msgs.Empty",
    "std_msgs/msg/Float64": "gz.msgs.Double",
    "std_msgs/msg/String": "gz.msgs.StringMsg",
}


@dataclass(frozen=True, slots=True)
class Bridged:
    """One entry of the bridge's file."""

    ros_topic_name: str
    gz_topic_name: str
    ros_type_name: str
    gz_type_name: str
    direction: str


def bridged(names: Mapping[str, tuple[str, ...]], namespace: str = "", robot: str = ROBOT) -> tuple[Bridged, ...]:
    """Every topic that Gazebo publishes to the variant, or subscribes to.

    Args:
        names: of the families of topics (gazebo.families.members).
        namespace: of the robot in ROS.
        robot: the name of its model in Gazebo.

    Raises:
        RosError: Gazebo has no such topic, or the bridge does not convert its type.
    """
    elsewhere = load_graph(VARIANT).elsewhere
    return tuple(
        entry
        for direction, topics in ((TO_ROS, elsewhere.publishes), (TO_GAZEBO, elsewhere.subscribes))
        for topic in topics
        if topic not in OF_OTHERS
        for entry in _entries(topic, direction, names, namespace.strip("/"), robot)
    )


def write_bridge(entries: Iterable[Bridged], path: Path) -> Path:
    """Write the file for the parameter `config_file` of parameter_bridge. What several robots share is in it once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump([asdict(entry) for entry in dict.fromkeys(entries)], sort_keys=False)
    path.write_text("# Made from sayso_nodes/graph.yaml; see sayso_nodes/running/bridge.py.\n" + text, encoding="utf-8")
    return path


def _entries(topic: str, direction: str, names: Mapping[str, tuple[str, ...]], namespace: str, robot: str) -> Iterator[Bridged]:
    described = find_topic(topic)
    if topic not in GAZEBO_TOPICS:
        raise RosError(f"the graph expects the topic '{topic}', which Gazebo does not have: see sayso/gazebo/topics.py")
    if described.type not in PAIRS:
        raise RosError(f"'{topic}' is a {described.type}, which ros_gz_bridge does not convert")
    for ros, gazebo in zip(members_of(topic, names), members_of(gazebo_topic(topic, robot), names), strict=True):
        relative = ros if ros.startswith("/") or not namespace else f"/{namespace}/{ros}"
        yield Bridged(relative, gazebo, described.type, PAIRS[described.type], direction)
