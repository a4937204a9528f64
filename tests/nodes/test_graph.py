"""The description of the graph is consistent, and running nodes open exactly the topics that it lists."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rclpy.action import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso_nodes.graph import VARIANTS, Graph, find_node, find_topic, interface, load_graph
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 66
BY_HAND = {"talk_button", "stop_button", "joy"}  # what a person publishes
# What ROS itself opens for every lifecycle node.
OF_ROS = ("rosout", "parameter_events", "transition_event")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_name_has_its_type_and_every_node_its_module(variant: str) -> None:
    graph = load_graph(variant)
    for name in (*graph.topics, *graph.services, *graph.actions):
        assert interface(name)
    assert all(topic.why for topic in graph.topics.values())
    assert graph.nodes


def test_only_the_motion_gate_publishes_velocities() -> None:
    for variant in VARIANTS:
        graph = load_graph(variant)
        assert set(graph.publishers("cmd_vel")) <= {"motion_gate"}
        assert "cmd_vel" not in graph.elsewhere.publishes


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_subscribed_topic_has_a_publisher(variant: str) -> None:
    graph = load_graph(variant)
    present = (*graph.nodes.values(), *graph.on_demand.values(), graph.elsewhere)
    said = {topic for node in present for topic in node.publishes}
    served = {service for node in present for service in node.serves}
    performed = {action for node in present for action in node.performs}
    for node in graph.nodes.values():
        optional = {"stopped", "plan_state", "outcome"} if variant == "replay" else BY_HAND
        assert set(node.subscribes) <= said | optional
        assert set(node.calls) <= served
        assert set(node.requests) - set(node.if_asked) <= performed


def test_topics_have_one_publisher_but_for_these() -> None:
    graph = load_graph("sim")
    for topic in graph.topics:
        if topic not in ("/diagnostics", "alive", "audio", "outcome", "speech", *BY_HAND):
            assert len(graph.publishers(topic)) == 1, topic


def test_the_motion_gate_goes_first() -> None:
    others = [node.priority for node in load_graph("robot").nodes.values() if node.name != "motion_gate"]
    assert find_node("motion_gate").priority < min(others)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="no variant 'mars' of the graph: robot, sim, gazebo, replay"):
        load_graph("mars")


@pytest.mark.parametrize("installed", [True, False])
def test_frames_are_published_where_tf2_msgs_is_installed(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    from sayso_nodes import graph

    found = graph.find_spec
    monkeypatch.setattr(graph, "find_spec", lambda name: (installed or None) if name == "tf2_msgs" else found(name))
    graph._description.cache_clear()
    try:
        sim, robot = load_graph("sim"), load_graph("robot")
    finally:
        monkeypatch.undo()
        graph._description.cache_clear()
    assert ("tf" in sim.topics) == installed
    assert ({"tf", "tf_static"} <= set(sim.nodes["simulation"].publishes)) == installed
    assert ("tf" in robot.elsewhere.publishes) == installed


@pytest.fixture(scope="module")
def observer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with RunningGraph("sim", env=environment(DOMAIN), log_dir=tmp_path_factory.mktemp("log")) as running, peer(DOMAIN) as made:
        running.wait_active(PATIENCE)
        made.until(lambda: set(load_graph("sim").nodes) <= set(made.node.get_node_names()))
        yield made


def _plain(names: list[tuple[str, list[str]]], graph: Graph, node: str) -> set[str]:
    """Without what belongs to ROS, and without the parts that actions consist of; as the graph writes them."""
    absolute = {name for name in graph.topics if name.startswith("/")}
    found = {name for name, _ in names if "/_action/" not in name and not name.startswith(f"/{node}/") and name.strip("/") not in OF_ROS}
    return {name if name in absolute else name.removeprefix("/") for name in found}


@pytest.mark.end_to_end
@pytest.mark.parametrize("name", load_graph("sim").nodes)
def test_a_running_node_opens_exactly_what_the_graph_says(observer: Peer, name: str) -> None:
    graph, node = load_graph("sim"), observer.node
    described = graph.nodes[name]
    clock = {"/clock"} if name != "simulation" else set()  # ROS's own time source
    unasked = set(described.if_asked)  # no parameter asks for these here

    def as_described() -> bool:
        return (
            _plain(node.get_publisher_names_and_types_by_node(name, "/"), graph, name) == set(described.publishes)
            and _plain(node.get_subscriber_names_and_types_by_node(name, "/"), graph, name) == set(described.subscribes) - unasked | clock
            and _plain(node.get_service_names_and_types_by_node(name, "/"), graph, name) == set(described.serves)
            and _plain(node.get_client_names_and_types_by_node(name, "/"), graph, name) == set(described.calls)
            and {action.strip("/") for action, _ in get_action_server_names_and_types_by_node(node, name, "/")} == set(described.performs)
            and {action.strip("/") for action, _ in get_action_client_names_and_types_by_node(node, name, "/")}
            == set(described.requests) - unasked
        )

    observer.until(as_described)  # discovery is not at once


SIM = load_graph("sim")
PUBLISHED = {topic for node in SIM.nodes.values() for topic in node.publishes}  # without nodes that may join


@pytest.mark.end_to_end
@pytest.mark.parametrize("topic", [topic for topic in SIM.topics if topic in PUBLISHED])
def test_a_running_topic_has_the_type_and_quality_that_the_graph_says(observer: Peer, topic: str) -> None:
    described = find_topic(topic)
    publishers = observer.until(lambda: observer.node.get_publishers_info_by_topic(topic))
    for end in publishers:
        assert end.topic_type == described.type
        assert (end.qos_profile.reliability == ReliabilityPolicy.RELIABLE) == (described.publish == "reliable")
        assert (end.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL) == (described.latched or described.remembered)
        if described.lifespan:
            assert end.qos_profile.lifespan.nanoseconds == described.lifespan * 1e9


@pytest.mark.end_to_end
def test_only_the_motion_gate_publishes_cmd_vel_in_the_running_graph(observer: Peer) -> None:
    publishers = observer.until(lambda: observer.node.get_publishers_info_by_topic("cmd_vel"))
    assert [end.node_name for end in publishers] == ["motion_gate"]
