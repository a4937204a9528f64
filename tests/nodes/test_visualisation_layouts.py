"""RViz configuration and Foxglove layout: every topic is in the graph, with a type and QoS that the display accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from sayso_nodes.graph import find_topic, interface, load_graph

pytestmark = pytest.mark.ros
BRINGUP = Path(__file__).resolve().parents[2] / "ros2_ws" / "src" / "sayso_bringup"
RVIZ = yaml.safe_load((BRINGUP / "rviz" / "sayso.rviz").read_text(encoding="utf-8"))
FOXGLOVE = json.loads((BRINGUP / "foxglove" / "sayso.json").read_text(encoding="utf-8"))

# Classes and what they show, from rviz_default_plugins/plugins_description.xml and rviz_common (github.com/ros2/rviz, branch jazzy).
DISPLAYS = {
    "rviz_default_plugins/Image": "sensor_msgs/msg/Image",
    "rviz_default_plugins/Map": "nav_msgs/msg/OccupancyGrid",
    "rviz_default_plugins/MarkerArray": "visualization_msgs/msg/MarkerArray",
    "rviz_default_plugins/Path": "nav_msgs/msg/Path",
    "rviz_default_plugins/RobotModel": "std_msgs/msg/String",
    "rviz_default_plugins/TF": "",  # always /tf and /tf_static
}
WIDGETS = {"rviz_common/Displays", "rviz_common/Views", "rviz_common/Time", "rviz_common/Selection", "rviz_common/Tool Properties"}
TOOLS = {f"rviz_default_plugins/{name}" for name in ("MoveCamera", "Select", "FocusCamera", "Measure", "Interact")}
VIEWS = {"rviz_default_plugins/Orbit", "rviz_default_plugins/TopDownOrtho", "rviz_default_plugins/XYOrbit"}

# Panel types of Foxglove that its open-source kin has as well (Lichtblick: packages/suite-base/src/panels/index.ts).
PANELS = {"3D", "Image", "Plot", "StateTransitions", "RawMessages", "DiagnosticSummary", "DiagnosticStatusPanel", "Table", "Tab"}
IN_3D = {"nav_msgs/msg/OccupancyGrid", "nav_msgs/msg/Path", "visualization_msgs/msg/MarkerArray", "geometry_msgs/msg/PoseStamped"}
SCALARS = re.compile(r"(double|float|boolean|string|u?int\d+)$")


def displays() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = RVIZ["Visualization Manager"]["Displays"]
    return found


def panels(kind: str) -> Iterator[dict[str, Any]]:
    return (config for name, config in FOXGLOVE["configById"].items() if name.split("!")[0] == kind)


def said(topic: str) -> bool:
    """True if the topic has a publisher on a robot and in the simulation."""
    return all(load_graph(variant).publishers(topic) for variant in ("robot", "sim"))


def test_rviz_knows_every_class() -> None:
    assert {panel["Class"] for panel in RVIZ["Panels"]} <= WIDGETS
    assert {display["Class"] for display in displays()} <= set(DISPLAYS)
    assert {tool["Class"] for tool in RVIZ["Visualization Manager"]["Tools"]} <= TOOLS
    assert RVIZ["Visualization Manager"]["Views"]["Current"]["Class"] in VIEWS


@pytest.mark.parametrize("display", [one for one in displays() if "Topic" in one], ids=lambda one: one["Name"])
def test_rviz_listens_as_the_topic_is_spoken(display: dict[str, Any]) -> None:
    topic = display["Topic"]["Value"]
    described = find_topic(topic)
    assert not topic.startswith("/"), "absolute: RViz in the namespace of a robot would show another one"
    assert described.type == DISPLAYS[display["Class"]]
    assert said(topic)
    assert display["Topic"]["Durability Policy"] == ("Transient Local" if described.latched else "Volatile")
    assert display["Topic"]["Reliability Policy"] == ("Reliable" if described.publish == "reliable" else "Best Effort")


def test_rviz_shows_all_there_is_to_see() -> None:
    shown = {display["Topic"]["Value"] for display in displays() if "Topic" in display}
    assert shown >= {topic for topic in load_graph("sim").topics if topic.startswith("view/")} | {"path"}
    assert any(display["Class"] == "rviz_default_plugins/TF" for display in displays())
    assert RVIZ["Visualization Manager"]["Global Options"]["Fixed Frame"] == "map"


def leaves(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
        return
    assert node["direction"] in ("row", "column")
    assert 0 < node["splitPercentage"] < 100
    yield from leaves(node["first"])
    yield from leaves(node["second"])


def test_foxglove_places_every_panel_once_and_knows_its_type() -> None:
    placed = list(leaves(FOXGLOVE["layout"]))
    assert sorted(placed) == sorted(FOXGLOVE["configById"])
    assert {name.split("!")[0] for name in placed} <= PANELS
    assert all(config["foxglovePanelTitle"] == config["lichtblickPanelTitle"] for config in FOXGLOVE["configById"].values())


def test_a_layout_to_look_at_moves_nothing() -> None:
    assert not {name.split("!")[0] for name in FOXGLOVE["configById"]} & {"Teleop", "Publish", "CallService"}


def test_foxglove_shows_maps_paths_and_markers_in_space() -> None:
    (space,) = panels("3D")
    for name in space["topics"]:
        topic = find_topic(name.removeprefix("/"))
        assert topic.type in IN_3D
        assert said(topic.name)
    assert space["followTf"] == "map"


def test_foxglove_shows_pictures_and_diagnostics() -> None:
    pictures = [find_topic(panel["imageMode"]["imageTopic"].removeprefix("/")) for panel in panels("Image")]
    assert [(topic.name, topic.type) for topic in pictures] == [
        (f"view/{name}", "sensor_msgs/msg/Image") for name in ("attention", "posterior")
    ]
    assert [find_topic(panel["topicToRender"]).type for panel in panels("DiagnosticSummary")] == ["diagnostic_msgs/msg/DiagnosticArray"]


def paths() -> Iterator[tuple[str, bool]]:
    """Every message path of the layout, and whether it must lead to a number or a word that can be drawn."""
    for kind in ("Plot", "StateTransitions"):
        yield from ((one["value"], True) for panel in panels(kind) for one in panel["paths"])
    yield from ((panel["topicPath"], False) for panel in panels("RawMessages"))


@pytest.mark.parametrize(("path", "drawn"), list(paths()))
def test_every_message_path_of_foxglove_leads_somewhere(path: str, drawn: bool) -> None:
    topic, *fields = path.removeprefix("/").split(".")
    assert said(topic)
    kind = find_topic(topic).type
    for field in fields:
        name, index = re.fullmatch(r"(\w+)(\[(?:\d+|:)\])?", field).groups()  # type: ignore[union-attr]
        kind = interface("/".join(_full(kind))).get_fields_and_field_types()[name]
        repeated = kind.startswith("sequence<") or kind.endswith("]")
        assert repeated == bool(index), f"{path}: {name} is {kind}"
        kind = re.sub(r"^sequence<(.*?)(, \d+)?>$|\[\d+\]$", r"\1", kind)
    if drawn:
        assert SCALARS.match(kind), f"{path} leads to {kind}"


def _full(kind: str) -> list[str]:
    parts = kind.split("/")
    return parts if len(parts) == 3 else [parts[0], "msg", parts[1]]


def test_the_posterior_is_plotted() -> None:
    (plot,) = panels("Plot")
    assert plot["xAxisVal"] == "index"
    assert "/action_belief.candidates[:].probability" in [one["value"] for one in plot["paths"]]
