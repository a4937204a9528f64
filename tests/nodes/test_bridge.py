"""The bridge to Gazebo carries every topic that the nodes use, in the right direction, as types that it knows how to convert."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from sayso.errors import RosError
from sayso.gazebo import write_world
from sayso.gazebo.families import members
from sayso.gazebo.topics import OF_OTHERS
from sayso.scene import load_scene
from sayso_nodes.graph import find_topic, load_graph
from sayso_nodes.running import bridge
from sayso_nodes.running.bridge import PAIRS, TO_GAZEBO, TO_ROS, bridged, write_bridge

NAMES = {"object": ("red_cup", "apple"), "part": ("fridge/opens", "anna"), "motor": ("fridge/opens", "anna/x"), "joint": ("lift",)}


def test_every_topic_of_foreign_software_is_bridged_in_its_direction() -> None:
    graph, entries = load_graph("gazebo"), bridged(NAMES)
    said = {entry.ros_topic_name for entry in entries if entry.direction == TO_ROS}
    heard = {entry.ros_topic_name for entry in entries if entry.direction == TO_GAZEBO}
    for topic in set(graph.elsewhere.publishes) - OF_OTHERS:
        assert topic.format(object="apple", joint="lift", part="anna") in said
    for topic in graph.elsewhere.subscribes:
        assert topic.format(object="apple", joint="lift", motor="anna/x") in heard
    assert not said & heard


def test_what_the_nodes_listen_to_comes_from_a_node_or_over_the_bridge() -> None:
    graph = load_graph("gazebo")
    ours = {topic for node in (*graph.nodes.values(), *graph.on_demand.values()) for topic in node.publishes}
    for node in graph.nodes.values():
        wanted = {topic for topic in node.subscribes if topic not in graph.topics or not graph.topics[topic].device}
        assert wanted <= ours | set(graph.elsewhere.publishes), node.name


def test_types_are_those_of_the_graph_and_pairs_that_the_bridge_knows() -> None:
    for entry in bridged(NAMES):
        assert PAIRS[entry.ros_type_name] == entry.gz_type_name
    assert {entry.ros_topic_name: entry.ros_type_name for entry in bridged(NAMES)}["cmd_vel"] == find_topic("cmd_vel").type


def test_a_namespace_is_put_before_every_name_but_the_clocks() -> None:
    names = [entry.ros_topic_name for entry in bridged(NAMES, "robot1")]
    assert [name for name in names if not name.startswith("/robot1/")] == ["/clock"]


def test_the_world_has_every_topic_that_is_bridged(tmp_path: Path) -> None:
    scene = load_scene()
    world = ET.parse(write_world(scene, tmp_path)).getroot()
    topics = {element.text for element in world.iter() if element.text and element.tag.endswith("topic")}
    camera = f"/{next(world.iter('sensor')).findtext('topic')}"
    topics |= {f"{camera}/{what}" for what in ("image", "depth_image", "camera_info")}
    topics |= {f"/model/{name}/pose" for name in (*members(scene)["object"], *members(scene)["part"])} | {
        "/clock"
    }  # these are made by Gazebo from names
    assert {entry.gz_topic_name for entry in bridged(members(scene))} <= topics


def test_the_file_is_what_parameter_bridge_reads(tmp_path: Path) -> None:
    entries = yaml.safe_load(write_bridge(bridged(NAMES), tmp_path / "bridge.yaml").read_text())
    assert all(set(entry) == {"ros_topic_name", "gz_topic_name", "ros_type_name", "gz_type_name", "direction"} for entry in entries)
    assert len(entries) == len(bridged(NAMES))


def test_each_of_several_robots_has_topics_of_its_own_in_one_file(tmp_path: Path) -> None:
    entries = [entry for name in ("robot1", "robot2") for entry in bridged(NAMES, name, name)]
    lines = yaml.safe_load(write_bridge(entries, tmp_path / "bridge.yaml").read_text())
    assert [line["ros_topic_name"] for line in lines].count("/clock") == 1
    gazebos = {line["ros_topic_name"]: line["gz_topic_name"] for line in lines}
    assert [gazebos[f"/{name}/odom"] for name in ("robot1", "robot2")] == ["/model/robot1/odometry", "/model/robot2/odometry"]
    assert gazebos["/robot1/gazebo/pose/apple"] == gazebos["/robot2/gazebo/pose/apple"] == "/model/apple/pose"


def test_a_topic_that_gazebo_has_not_or_cannot_convert_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(bridge.GAZEBO_TOPICS, "odom")
    with pytest.raises(RosError, match="expects the topic 'odom', which Gazebo does not have"):
        bridged(NAMES)
    monkeypatch.undo()
    monkeypatch.delitem(bridge.PAIRS, "nav_msgs/msg/Odometry")
    with pytest.raises(RosError, match="'odom' is a nav_msgs/msg/Odometry"):
        bridged(NAMES)
