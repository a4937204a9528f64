"""The skills node with Nav2 behind it: real nodes, real NavigateToPose goals, and a server that fails on request."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile

from foreign_interfaces import foreign_interfaces
from patience import PATIENCE
from ros_nodes import Peer, environment
from sayso.domain import load_domain
from sayso_nodes.graph import interface
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 55
WAIT = {"nav2_answer": 1.0, "nav2_silence": 1.0}
START = load_domain().places["hallway"].pose


@pytest.fixture(scope="module")
def types() -> Iterator[dict[str, str]]:
    """What a process needs to find nav2_msgs."""
    with foreign_interfaces() as folder:
        yield {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder or ""), os.environ.get("PYTHONPATH"))))}


@pytest.fixture(scope="module")
def graph(types: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    log = tmp_path_factory.mktemp("log")
    parameters = {"skills": {"backend": "nav2", **WAIT}}
    nodes = ("motion_gate", "skills")
    with RunningGraph("robot", nodes=nodes, parameters=parameters, env=environment(DOMAIN) | types, log_dir=log) as running:
        running.wait_active(PATIENCE)
        yield running


class FakeNav2:
    """The server as a process; a test sets how it behaves."""

    def __init__(self, robot: Peer, env: dict[str, str]) -> None:
        self._peer = robot
        start = [argument for name, value in zip("xy", START, strict=False) for argument in ("-p", f"start_{name}:={float(value)}")]
        command = [sys.executable, "-m", "sayso_nodes.nodes.fake_nav2", "--ros-args", "-p", "autostart:=true", "-p", "speed:=8.0", *start]
        self.process = subprocess.Popen(command, env={**os.environ, **env})

    def behave(self, **values: Any) -> FakeNav2:
        request = SetParameters.Request()
        for name, value in {"behaviour": "succeed", "cancel_delay": 0.0, "speed": 8.0, **values}.items():
            kind = {str: (4, "string_value"), float: (3, "double_value"), int: (2, "integer_value")}[type(value)]
            request.parameters.append(Parameter(name=name, value=ParameterValue(type=kind[0], **{kind[1]: value})))
        answer = self._peer.call("fake_nav2/set_parameters", request, SetParameters)
        assert all(result.successful for result in answer.results), [parameter_value_to_python(p.value) for p in request.parameters]
        return self

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


class Operator(Peer):
    """Asks for skills, and sees what moves."""

    def __init__(self) -> None:
        super().__init__(DOMAIN)
        self.skills = self.action_client("execute_skill")
        heard = ("stopped", "odom", "speech", "context")
        self.stopped, self.odometry, self.said, self.contexts = (self.hear(topic, 0) for topic in heard)

    def ask(self, name: str, **arguments: str) -> tuple[Any, list[Any]]:
        kind = interface("execute_skill")
        goal = kind.Goal()
        goal.call.name, goal.call.argument_names, goal.call.argument_values = name, list(arguments), list(arguments.values())
        feedback: list[Any] = []
        sent = self.skills.send_goal_async(goal, feedback_callback=lambda message: feedback.append(message.feedback))
        self.until(sent.done)
        assert sent.result().accepted
        return sent.result(), feedback

    def outcome(self, handle: Any) -> Any:
        result = handle.get_result_async()
        self.until(result.done)
        return result.result()

    def do(self, name: str, **arguments: str) -> Any:
        return self.outcome(self.ask(name, **arguments)[0]).result

    def close(self) -> None:
        self.skills.destroy()
        super().close()


@pytest.fixture(scope="module")
def anybody(graph: RunningGraph) -> Iterator[Operator]:
    made = Operator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(anybody: Operator, types: dict[str, str]) -> Iterator[FakeNav2]:
    made = FakeNav2(anybody, environment(DOMAIN) | types)
    anybody.until(lambda: anybody.contexts and anybody.contexts[-1].place == "hallway")  # the skills know where the robot is
    yield made
    made.close()


@pytest.fixture
def operator(anybody: Operator) -> Operator:
    anybody.call("resume")
    anybody.until(lambda: anybody.stopped and not anybody.stopped[-1].data)
    return anybody


def test_nav2_drives_to_the_place_and_reports_the_way_there(operator: Operator, server: FakeNav2) -> None:
    server.behave()
    handle, feedback = operator.ask("navigate_to", goal="kitchen")
    outcome = operator.outcome(handle)
    assert outcome.result.succeeded, outcome.result.reason
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED
    at = operator.odometry[-1].pose.pose.position
    assert (at.x, at.y) == pytest.approx(load_domain().places["kitchen"].pose[:2])
    assert any("driving to the kitchen" in each.status and "m to go" in each.status for each in feedback), [e.status for e in feedback]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"behaviour": "reject"}, "Nav2 refused the goal"),
        ({"behaviour": "abort", "error_code": 105}, "Nav2 gave up: the robot made no progress (error 105)"),
        ({"behaviour": "abort", "error_code": 9, "error_msg": "stuck in the rug"}, "Nav2 gave up: stuck in the rug (error 9)"),
        ({"behaviour": "hang"}, "nothing was heard of Nav2 for 1 s"),
    ],
)
def test_a_drive_that_fails_says_why(operator: Operator, server: FakeNav2, settings: dict[str, Any], reason: str) -> None:
    server.behave(**settings)
    outcome = operator.do("navigate_to", goal="sofa")
    assert not outcome.succeeded
    assert outcome.reason.startswith(reason)
    assert not operator.stopped[-1].data  # Nav2 itself has come to rest


def test_a_cancelled_drive_is_over_when_nav2_says_so(operator: Operator, server: FakeNav2) -> None:
    server.behave(speed=0.5, cancel_delay=0.6)
    from action_msgs.msg import GoalStatusArray

    statuses: list[int] = []
    latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    topic = "navigate_to_pose/_action/status"
    operator.node.create_subscription(GoalStatusArray, topic, lambda m: statuses.append(m.status_list[-1].status), latched)
    handle, feedback = operator.ask("navigate_to", goal="study")
    operator.until(lambda: feedback and statuses and statuses[-1] == GoalStatus.STATUS_EXECUTING)
    operator.until(handle.cancel_goal_async().done)
    outcome = operator.outcome(handle)
    assert (outcome.status, outcome.result.reason) == (GoalStatus.STATUS_CANCELED, "cancelled")
    assert statuses[-2:] == [GoalStatus.STATUS_CANCELING, GoalStatus.STATUS_CANCELED]
    assert not operator.stopped[-1].data
    assert operator.do("wait", extent="0.1").succeeded  # and the next skill may begin


def test_stop_ends_the_drive_as_well(operator: Operator, server: FakeNav2) -> None:
    server.behave(speed=0.5)
    handle, feedback = operator.ask("navigate_to", goal="kitchen")
    operator.until(lambda: feedback)
    operator.call("stop")
    assert operator.outcome(handle).result.reason == "the robot was told to stop"
    before = len(operator.odometry)
    operator.until(lambda: len(operator.odometry) > before + 3)
    assert operator.odometry[-1].pose.pose == operator.odometry[-2].pose.pose


@pytest.mark.parametrize("behaviour", ["ignore_cancel", "refuse_cancel"])
def test_the_wheels_are_stopped_where_nav2_does_not_let_go(operator: Operator, server: FakeNav2, behaviour: str) -> None:
    server.behave(behaviour=behaviour)
    handle, feedback = operator.ask("navigate_to", goal="bathroom" if behaviour == "ignore_cancel" else "dock")
    operator.until(lambda: feedback)
    operator.until(handle.cancel_goal_async().done)
    reason = operator.outcome(handle).result.reason
    expected = {"ignore_cancel": "cancelled; Nav2 did not stop within 1 s", "refuse_cancel": "cancelled; Nav2 refused to cancel the drive"}
    assert reason.startswith(expected[behaviour])
    operator.until(lambda: operator.stopped[-1].data)
    operator.until(lambda: operator.said)


def test_the_wheels_are_stopped_where_nav2_dies_on_the_drive_and_its_absence_is_named(operator: Operator, server: FakeNav2) -> None:
    server.behave(behaviour="die")
    outcome = operator.do("navigate_to", goal="sofa")
    assert server.process.wait(PATIENCE) == 1
    assert "Nav2" in outcome.reason  # with its odometry, which ends as well, or without
    operator.until(lambda: operator.stopped[-1].data)


@pytest.mark.skipif(find_spec("nav2_msgs") is not None, reason="nav2_msgs is installed")
@pytest.mark.parametrize("module", ["skills", "fake_nav2"])
def test_without_nav2_msgs_it_says_what_to_install(module: str) -> None:
    command = [sys.executable, "-m", f"sayso_nodes.nodes.{module}", "--ros-args", "-p", "autostart:=true"]
    if module == "skills":
        command += ["-p", "backend:=nav2"]
    ended = subprocess.run(
        command, env={**os.environ, **environment(DOMAIN)}, timeout=PATIENCE, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "apt install ros-jazzy-nav2-msgs" in ended.stderr.splitlines()[-1]
