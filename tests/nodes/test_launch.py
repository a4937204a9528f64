"""The launch files: arguments name their allowed values, and all nodes start in order. Without ROS's launch, its tests are skipped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from hypothesis import given
from hypothesis import strategies as st
from lifecycle_msgs.srv import GetState

from ros_nodes import environment, peer
from sayso.errors import RosError
from sayso.paths import config_dir
from sayso.speech.listening import MODES
from sayso_nodes.graph import VARIANTS, load_graph
from sayso_nodes.running.launch_arguments import MODES as LAUNCH_MODES
from sayso_nodes.running.launch_arguments import arguments, of_each_robot, plan
from sayso_nodes.running.processes import RunningGraph
from sayso_nodes.running.starting import Circumstances, own_parameters, restart_after, restart_parameters, still_counted

LAUNCH = Path(__file__).resolve().parents[2] / "launch"
DOCS = LAUNCH.parent / "docs/launch.md"
DOMAIN = 53


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_has_a_launch_file(variant: str) -> None:
    assert f'launch_description("{variant}")' in (LAUNCH / f"{variant}.launch.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_argument_is_described_and_its_default_allowed(variant: str) -> None:
    table = arguments(variant)
    assert len({row.name for row in table}) == len(table)
    for row in table:
        assert row.description
        assert not row.choices or row.default in row.choices
    assert [node.name for node in plan(variant, {}).nodes] == list(load_graph(variant).nodes)


def names(variant: str, **values: str) -> list[str]:
    return [node.name for node in plan(variant, values).nodes]


def test_some_nodes_can_be_chosen_or_left_out() -> None:
    assert names("robot", nodes="speech_to_text, motion_gate") == ["motion_gate", "speech_to_text"]
    assert "microphone" not in names("robot", without="microphone,speech_output")
    assert names("sim", nodes="all,microphone")[-1] == "microphone"


def test_without_a_skill_server_the_robot_serves_the_skills_itself() -> None:
    assert "skills" not in names("robot", skill_server="none")
    assert plan("robot", {}).parameters["skills"] == {"backend": "nav2"}
    assert plan("robot", {"skill_server": "sim"}).parameters["skills"] == {"backend": "direct"}
    assert plan("sim", {}).parameters["skills"] == {"backend": "direct"}


def test_when_it_listens_is_an_argument_that_leaves_the_parameter_file_alone() -> None:
    assert plan("robot", {"listen": "wake_word"}).parameters["speech_to_text"] == {"listen": "wake_word"}
    assert "speech_to_text" not in plan("robot", {}).parameters
    assert LAUNCH_MODES == MODES


def test_a_domain_and_a_scene_are_named_by_path_or_by_name() -> None:
    path = str(config_dir() / "warehouse.yaml")
    assert plan("sim", {"domain": "warehouse"}).circumstances.domain_file == path
    assert plan("sim", {"domain": path}).circumstances.domain_file == path
    assert plan("sim", {"scene": "apartment"}).circumstances.scene_file == str(config_dir() / "scenes/apartment.yaml")


@pytest.mark.parametrize(
    ("variant", "values", "complaint"),
    [
        ("robot", {"skill_server": "moveit"}, "skill_server:=moveit: one of nav2, sim, none"),
        ("robot", {"listen": "sometimes"}, "listen:=sometimes: one of always, push_to_talk, wake_word"),
        ("sim", {"use_sim_time": "yes"}, "use_sim_time:=yes: one of true, false"),
        ("sim", {"log_level": "loud"}, "one of debug, info, warn, error, fatal"),
        ("sim", {"nodes": "planer"}, "no node 'planer' here; there are simulation, motion_gate"),
        ("robot", {"without": "simulation"}, "no node 'simulation' here"),
        ("sim", {"nodes": "skills", "without": "skills"}, "nothing is left to start"),
        ("sim", {"nodes": ""}, "nothing is left to start"),
        ("sim", {"domain": "castle"}, "domain:=castle: no such file, and none of ours in"),
        ("sim", {"domain": "/nowhere/home.yaml"}, "no such file"),
        ("sim", {"scene": "castle"}, "scene:=castle: no such file"),
        ("sim", {"params_file": "/nowhere.yaml"}, "params_file:=/nowhere.yaml: no such file"),
        ("sim", {"real_time_factor": "fast"}, "real_time_factor:=fast: a number, 0 or more"),
        ("sim", {"real_time_factor": "-1"}, "real_time_factor:=-1: a number, 0 or more"),
        ("sim", {"real_time_factor": "nan"}, "a number, 0 or more"),
        ("gazebo", {"real_time_factor": "-1"}, "real_time_factor:=-1: a number, 0 or more"),
        ("sim", {"namespace": "my robot"}, "namespace:=my robot: letters, digits and _"),
        ("sim", {"namespace": "1st"}, "not beginning with a digit"),
        ("sim", {"record": "true", "record_to": "/tmp"}, "record_to:=/tmp: is there already"),
        ("gazebo", {"world": "/nowhere.sdf"}, "world:=/nowhere.sdf: no such file"),
        ("gazebo", {"headless": "perhaps"}, "headless:=perhaps: one of true, false"),
        ("gazebo", {"robots": "one,one"}, "robots:=one,one: a name for each, all different"),
        ("gazebo", {"robots": "one,"}, "robots:=one,: a name for each, all different"),
        ("gazebo", {"robots": "one,my robot"}, "robots:=my robot: letters, digits and _"),
        ("gazebo", {"robots": "one,two", "namespace": "three"}, "leave one out"),
        ("replay", {"bag": "/nowhere"}, "bag:=/nowhere: no such file"),
        ("robot", {"domain": "~nobody/home.yaml"}, "domain:=~nobody/home.yaml: no such file"),
    ],
)
def test_a_wrong_argument_says_what_is_allowed(variant: str, values: dict[str, str], complaint: str) -> None:
    with pytest.raises(RosError, match=re.escape(complaint)):
        plan(variant, values)


def test_a_spoilt_domain_file_is_refused_once_with_its_line(tmp_path: Path) -> None:
    spoilt = tmp_path / "home.yaml"
    spoilt.write_text("places:\n  kitchen: {pose: [1, 2]}\n")
    with pytest.raises(RosError, match=r"home\.yaml:\d+: "):
        plan("sim", {"domain": str(spoilt)})


@given(st.sampled_from(VARIANTS), st.dictionaries(st.sampled_from([row.name for row in arguments("sim")]), st.text(max_size=12)))
def test_no_argument_brings_more_than_a_clear_error(variant: str, values: dict[str, str]) -> None:
    try:
        chosen = plan(variant, values)
    except RosError as error:
        assert ":=" in str(error)
    else:
        assert chosen.nodes


# Order and restarts.


def levels(variant: str) -> dict[str, int]:
    """Node → how many others must be active one after the other before it; raises where they wait for each other in a circle."""
    graph = load_graph(variant)
    found: dict[str, int] = {}
    while len(found) < len(graph.nodes):
        ready = [name for name in graph.nodes if name not in found and set(graph.before(name)) <= set(found)]
        assert ready, f"{sorted(set(graph.nodes) - set(found))} wait for each other"
        found |= {name: max((found[other] + 1 for other in graph.before(name)), default=0) for name in ready}
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_nodes_wait_for_each_other(variant: str) -> None:
    assert levels(variant)


def test_the_gate_is_first_and_the_microphone_last() -> None:
    level = levels("robot")
    assert level["motion_gate"] == 0
    assert level["motion_gate"] < level["skills"] < level["planner"] < level["microphone"] == max(level.values())
    assert level["motion_gate"] < level["speech_to_text"]  # "stop" is understood when it can be obeyed


def test_a_node_waits_for_none_that_is_not_started() -> None:
    graph = load_graph("sim")
    server = graph.nodes["command_server"]
    assert own_parameters(graph, server, Circumstances(("command_server", "speech_to_text")))["after"] == ["speech_to_text"]
    assert "after" not in own_parameters(graph, server, Circumstances(("command_server",)))


@pytest.mark.ros
def test_a_node_activates_when_those_before_it_are_active(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=(), env=environment(DOMAIN), log_dir=tmp_path) as graph, peer(DOMAIN) as one:

        def is_(state: str) -> bool:
            return one.call("/speech_output/get_state", kind=GetState).current_state.label == state

        graph.start("speech_output", {"after": ["motion_gate"]})
        one.until(lambda: is_("inactive"))
        one.spin(0.5)
        assert is_("inactive")
        graph.start("motion_gate")
        one.until(lambda: is_("active"))


@pytest.mark.ros
def test_a_command_can_wait_for_nodes(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=(), namespace="one", env=environment(DOMAIN), log_dir=tmp_path) as graph:
        waits = [sys.executable, "-m", "sayso_nodes.running.when_active", "--namespace", "one", "motion_gate", "--", "echo", "they are"]
        with subprocess.Popen(waits, env={**os.environ, **environment(DOMAIN)}, stdout=subprocess.PIPE, text=True) as waiting:
            graph.start("motion_gate")
            assert waiting.communicate(timeout=PATIENCE)[0] == "they are\n"


def test_what_dies_is_started_again_a_little_later_each_time_and_not_for_ever() -> None:
    assert [restart_after("planner", -9, restarts) for restarts in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, None]
    assert restart_after("motion_gate", 1, 3) == restart_after("stop_spotter", 1, 3) == 0.0  # without them nothing moves
    assert restart_after("planner", 0, 0) is None  # ended on request
    assert restart_after("planner", 2, 0) is None  # refuses its parameters: it would again


def test_restarts_count_no_more_when_the_node_has_lived_for_a_while() -> None:
    assert [still_counted(5, lived) for lived in (0.0, 9.0, 10.0, 1e6)] == [5, 5, 0, 0]


def test_only_the_gate_begins_otherwise_than_before() -> None:
    assert restart_parameters("motion_gate") == {"stopped": True}
    assert restart_parameters("planner") == {}


# With ROS's own launch.


def test_without_the_launch_package_the_error_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso_nodes.running.launching import launch_description

    monkeypatch.setitem(sys.modules, "launch", None)
    with pytest.raises(RosError, match="`sayso up` needs neither"):
        launch_description("sim")


@pytest.fixture
def ros_launch() -> Any:
    pytest.importorskip("launch_ros", reason="the package launch_ros is not in PyPI wheels")
    return pytest.importorskip("launch", reason="the package launch is not in PyPI wheels")


def started(ros_launch: Any, variant: str, **values: str) -> list[Any]:
    """What the launch file starts with those arguments."""
    from launch.actions import DeclareLaunchArgument, OpaqueFunction
    from launch.launch_description_sources import get_launch_description_from_python_launch_file

    entities = get_launch_description_from_python_launch_file(str(LAUNCH / f"{variant}.launch.py")).entities
    context = ros_launch.LaunchContext()
    declared = [entity for entity in entities if isinstance(entity, DeclareLaunchArgument)]
    assert [argument.name for argument in declared] == [row.name for row in arguments(variant)]
    context.launch_configurations.update(values)
    for argument in declared:
        argument.execute(context)
    (start,) = (entity for entity in entities if isinstance(entity, OpaqueFunction))
    return start.execute(context) or []


@pytest.mark.parametrize("variant", ["robot", "sim", "replay"])
def test_a_launch_file_starts_the_nodes_of_the_graph(ros_launch: Any, variant: str) -> None:
    from launch_ros.actions import LifecycleNode

    nodes = [entity for entity in started(ros_launch, variant) if isinstance(entity, LifecycleNode)]
    assert len(nodes) == len(load_graph(variant).nodes)


def test_without_gazebo_the_error_says_what_to_install(ros_launch: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    with pytest.raises(RosError, match=r"sudo apt install ros-.*-ros-gz-sim"):
        started(ros_launch, "gazebo")


def test_gazebo_gets_the_world_of_the_scene_and_its_bridge(ros_launch: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from launch.actions import IncludeLaunchDescription
    from launch_ros.actions import LifecycleNode, Node

    for package in ("ros_gz_sim", "ros_gz_bridge"):  # only what the launch file reads of them
        marker = tmp_path / "share/ament_index/resource_index/packages" / package
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
        (tmp_path / "share" / package).mkdir()
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}")
    monkeypatch.setenv("ROS_HOME", str(tmp_path / "home of ros"))
    entities = started(ros_launch, "gazebo", namespace="one", headless="true", domain="warehouse", real_time_factor="0.5")
    (included,) = (entity for entity in entities if isinstance(entity, IncludeLaunchDescription))
    folder = tmp_path / "home of ros/sayso/one"
    assert dict(included.launch_arguments)["gz_args"] == f"-r -s --headless-rendering '{folder}/world.sdf'"
    assert "<real_time_factor>0.5</real_time_factor>" in (folder / "world.sdf").read_text()
    assert "/one/cmd_vel" in (folder / "bridge.yaml").read_text()
    (bridge,) = (entity for entity in entities if isinstance(entity, Node) and not isinstance(entity, LifecycleNode))
    assert (bridge.node_package, bridge.node_executable) == ("ros_gz_bridge", "parameter_bridge")


def test_several_robots_in_gazebo_share_a_world_and_know_each_other(tmp_path: Path) -> None:
    chosen = plan("gazebo", {"robots": "one, two", "record": "true", "record_to": str(tmp_path / "bags")})
    one, two = of_each_robot(chosen)
    assert (one.namespace, two.namespace) == ("one", "two")
    assert one.nodes == two.nodes == chosen.nodes
    assert one.parameters["gazebo"] == {"robots": ["two"], "walks": True}
    assert two.parameters["gazebo"] == {"robots": ["one"], "walks": False}
    assert [each.record_to for each in (one, two)] == [tmp_path / "bags/one", tmp_path / "bags/two"]
    assert of_each_robot(plan("gazebo", {}))[0].namespace == ""


@pytest.mark.ros
def test_a_gate_that_died_is_launched_again_and_is_stopped(ros_launch: Any, tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(RUN.format(file=LAUNCH / "robot.launch.py"))
    env = {**os.environ, **environment(DOMAIN), "ROS_LOG_DIR": str(tmp_path)}
    with peer(DOMAIN) as one, subprocess.Popen([sys.executable, str(script)], env=env, stderr=subprocess.PIPE, text=True) as launched:
        try:
            stopped = one.hear("stopped")
            one.until(lambda: stopped)
            assert not stopped[-1].data
            (gate,) = (int(pid) for pid in Path(f"/proc/{launched.pid}/task/{launched.pid}/children").read_text().split())
            os.kill(gate, signal.SIGKILL)
            one.until(lambda: stopped[-1].data)
        finally:
            launched.send_signal(signal.SIGINT)
            assert launched.wait(PATIENCE) == 0


RUN = """
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
service = LaunchService()
included = IncludeLaunchDescription("{file}", launch_arguments=[("nodes", "motion_gate")])
service.include_launch_description(LaunchDescription([included]))
raise SystemExit(service.run())
"""


def test_the_example_of_two_robots_in_the_documentation_is_a_launch_file(ros_launch: Any, tmp_path: Path) -> None:
    from launch.actions import IncludeLaunchDescription
    from launch.launch_description_sources import get_launch_description_from_python_launch_file

    example = re.search(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    file = tmp_path / "two.launch.py"
    file.write_text(example[1])
    included = get_launch_description_from_python_launch_file(str(file)).entities
    assert all(isinstance(entity, IncludeLaunchDescription) for entity in included)
    given = [dict(entity.launch_arguments) for entity in included]
    assert [values["namespace"] for values in given] == ["robot1", "robot2"]
    assert all(set(values) <= {row.name for row in arguments("sim")} for values in given)


def test_every_argument_is_in_the_documentation() -> None:
    documented = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| (`.*?) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE))))
    assert {row.name for variant in VARIANTS for row in arguments(variant)} == documented
