"""SROS2 policies made from the graph allow exactly what running nodes open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from typer.testing import CliRunner

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso.errors import RosError
from sayso_nodes.commands.policies import KINDS, forbidden, opened, policy_xml, profiles, qualified
from sayso_nodes.commands.security import app
from sayso_nodes.graph import VARIANTS, load_graph
from sayso_nodes.running.processes import RunningGraph
from sayso_nodes.running.starting import security_arguments

DOMAIN = 96
SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parents[1] / "data" / "sros2_policy.xsd"))
RUNNING = ("motion_gate", "speech_output", "action_selector", "planner", "skills")
NAMESPACE = "robot1"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("namespace", ["", "robot1"])
def test_sros2_takes_the_policy(variant: str, namespace: str) -> None:
    SCHEMA.validate(policy_xml(profiles(variant, namespace, {"object": ("cup", "apple")})))


def test_the_schema_refuses_what_is_no_policy() -> None:
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        SCHEMA.validate(policy_xml(profiles("sim")).replace("ALLOW", "PERHAPS", 1))


def test_every_node_has_an_enclave_of_its_own() -> None:
    root = ET.fromstring(policy_xml(profiles("robot", "robot1")))
    paths = [enclave.get("path") for enclave in root.iter("enclave")]
    graph = load_graph("robot")
    assert set(paths) == {f"/sayso/robot1/{name}" for name in (*graph.nodes, *graph.on_demand, "recorder")}
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("namespace", ["", "robot1"])
def test_where_security_is_on_a_launched_node_takes_its_own_keys(namespace: str) -> None:
    enclaves = {each.node: each.enclave for each in profiles("robot", namespace)}
    assert security_arguments({"ROS_SECURITY_ENABLE": "true"}, namespace, "planner") == ["--enclave", enclaves["planner"]]
    assert security_arguments({}, namespace, "planner") == []


def test_velocities_are_the_gates_alone() -> None:
    for variant in VARIANTS:
        assert {each.node for each in profiles(variant) if each.allows("publish", "/cmd_vel")} <= {"motion_gate"}
        for each in profiles(variant):
            assert each.allows("request", "/stop") == ("stop" in _calls(variant, each.node))


def _calls(variant: str, node: str) -> tuple[str, ...]:
    graph = load_graph(variant)
    found = graph.nodes.get(node) or graph.on_demand.get(node)
    return found.calls if found else ()


def test_the_recorder_hears_everything_and_says_nothing() -> None:
    recorder = next(each for each in profiles("sim") if each.node == "recorder")
    assert set(recorder.allowed["publish"]) == {"/rosout", "/parameter_events"}
    assert all(recorder.allows("subscribe", qualified(topic, "/", "")) for topic in load_graph("sim").topics if topic != "/clock")


def test_each_thing_in_gazebo_has_its_own_names() -> None:
    gazebo = next(
        each
        for each in profiles("gazebo", "", {"object": ("cup",), "part": ("fridge/opens",), "motor": ("fridge/opens", "anna/x")})
        if each.node == "gazebo"
    )
    assert gazebo.allows("publish", "/gazebo/attach/cup")
    assert not gazebo.allows("publish", "/gazebo/attach/apple")
    assert gazebo.allows("publish", "/gazebo/part/fridge/opens")
    assert gazebo.allows("subscribe", "/gazebo/part_pose/fridge/opens")
    assert not gazebo.allows("publish", "/gazebo/part/lamp/shines")
    assert all("{" not in name for names in gazebo.allowed.values() for name in names)


def test_the_planner_may_ask_a_server_of_each_skill_of_the_home_and_no_other() -> None:
    planner = next(each for each in profiles("robot", "robot1", {"skill": ("vacuum",)}) if each.node == "planner")
    assert planner.allows("call", "/robot1/skill/vacuum")
    assert not planner.allows("call", "/robot1/skill/pick")
    SCHEMA.validate(policy_xml([planner]))


@pytest.mark.parametrize(("name", "resolved"), [("~/x", "/robot1/planner/x"), ("x/y", "/robot1/x/y"), ("/clock", "/clock")])
def test_names_are_resolved_as_ros_resolves_them(name: str, resolved: str) -> None:
    assert qualified(name, "/robot1", "planner") == resolved


@pytest.fixture(scope="module")
def observer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    log = tmp_path_factory.mktemp("log")
    with (
        RunningGraph("robot", nodes=RUNNING, env=environment(DOMAIN), log_dir=log, namespace=NAMESPACE) as running,
        peer(DOMAIN) as made,
    ):
        running.wait_active(PATIENCE)
        made.until(lambda: set(RUNNING) <= set(made.node.get_node_names()))
        yield made


@pytest.mark.ros
@pytest.mark.end_to_end
@pytest.mark.parametrize("name", RUNNING)
def test_a_running_node_opens_nothing_that_its_policy_forbids_and_lacks_little_that_it_allows(observer: Peer, name: str) -> None:
    profile = next(each for each in profiles("robot", NAMESPACE) if each.node == name)
    has_open: set[Any] = set()

    def complete() -> bool:
        has_open.clear()
        has_open.update(opened(observer.node, name, f"/{NAMESPACE}"))
        assert forbidden(profile, has_open) == []
        allowed = {(access, each) for access in KINDS for each in profile.allowed[access]}
        # What is asked for only by a parameter, or closed again when the node's turn has come.
        unused = {(access, each) for access, each in allowed - has_open if not each.endswith(("/get_state", "navigate_to_pose", "/joy"))}
        return not unused

    observer.until(complete)


def test_an_open_name_that_is_not_allowed_is_reported() -> None:
    gate = next(each for each in profiles("robot") if each.node == "motion_gate")
    assert forbidden(gate, [("publish", "/cmd_vel"), ("subscribe", "/audio")]) == ["motion_gate subscribe /audio"]


def test_the_policy_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["policy", "--variant", "sim", "--out", str(tmp_path / "policy.xml")])
    assert done.exit_code == 0
    SCHEMA.validate(str(tmp_path / "policy.xml"))


def test_wrong_words_and_missing_tools_are_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = CliRunner().invoke(app, ["policy", "--variant", "mars"])
    assert isinstance(wrong.exception, RosError)
    assert "one of robot, sim, gazebo, replay" in str(wrong.exception)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    missing = CliRunner().invoke(app, ["keystore", str(tmp_path / "keys")])
    assert "ros-jazzy-sros2" in str(missing.exception)
    assert not (tmp_path / "keys").exists()
