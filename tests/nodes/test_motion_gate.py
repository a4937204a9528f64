"""The motion gate as a process, over DDS: which velocities reach the wheels."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool, String

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN, OTHER = 63, 92
LEASE = 0.15  # s
JOY_BUTTON = 1


class Wheels:
    """A peer that requests velocities and sees which arrive."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.velocities = peer.hear("cmd_vel")
        self.stopped = peer.hear("stopped")
        self.requests = peer.speaker("cmd_vel_request")
        self.made = 0.0  # stamp of the last request, s
        peer.until(lambda: self.velocities and self.stopped)

    def begin_anew(self) -> None:
        """Nothing stopped, nothing requested for longer than a lease, nothing seen."""
        assert self.peer.call("resume").success
        self.peer.until(lambda: not self.stopped[-1].data)
        self.peer.spin(LEASE + 0.05)
        self.velocities.clear()

    def request(self, v: float, age: float = 0.0) -> None:
        self.request_made_at(time.time() - age, v)

    def request_made_at(self, stamp: float, v: float) -> None:
        self.made = stamp
        message = TwistStamped()
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        message.twist.linear.x = v
        self.requests.publish(message)

    def stops_while(self, press: Callable[[], None]) -> None:
        """Press repeatedly, as buttons do: messages sent before discovery are lost."""

        def pressed() -> bool:
            press()
            self.peer.spin(0.05)
            return bool(self.stopped[-1].data)

        self.peer.until(pressed)

    def arrived(self, v: float) -> bool:
        return any(velocity.linear.x == pytest.approx(v) for velocity in self.velocities)

    def request_until(self, v: float, arrives: float | None = None) -> None:
        """Request it until it arrives, or what becomes of it: on a busy machine one request may be older than its lease when it is read."""

        def asked() -> bool:
            self.request(v)
            return self.arrived(v if arrives is None else arrives)

        self.peer.until(asked)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    log, joystick = tmp_path_factory.mktemp("log"), {"motion_gate": {"joy_button": JOY_BUTTON}}
    with RunningGraph("robot", nodes=("motion_gate",), parameters=joystick, env=environment(DOMAIN), log_dir=log) as running:
        running.wait_active(PATIENCE)
        yield running


@pytest.fixture(scope="module")
def joined(graph: RunningGraph) -> Iterator[Wheels]:
    with peer(DOMAIN) as made:
        yield Wheels(made)


@pytest.fixture
def wheels(joined: Wheels) -> Wheels:
    joined.begin_anew()
    return joined


def test_passes_a_fresh_request(wheels: Wheels) -> None:
    wheels.request_until(0.2)


def test_a_request_older_than_its_lease_does_not_pass(wheels: Wheels) -> None:
    wheels.request(0.3, age=1.0)
    wheels.request_until(0.1)  # so the old one has been seen as well
    assert not wheels.arrived(0.3)


def test_a_request_from_the_future_does_not_pass(wheels: Wheels) -> None:
    wheels.request(0.3, age=-1.0)
    wheels.request_until(0.1)
    assert not wheels.arrived(0.3)


def test_zero_follows_when_requests_cease(wheels: Wheels) -> None:
    wheels.request_until(0.2)
    wheels.peer.until(lambda: wheels.velocities[-1].linear.x == 0.0)


def test_no_faster_than_allowed_whatever_is_requested(wheels: Wheels) -> None:
    wheels.request_until(50.0, arrives=0.6)
    wheels.request(float("nan"))
    wheels.peer.until(lambda: wheels.velocities[-1].linear.x == 0.0)
    assert max(velocity.linear.x for velocity in wheels.velocities) == pytest.approx(0.6)


def test_stop_makes_zero_and_nothing_passes_until_resumed(wheels: Wheels) -> None:
    wheels.request_until(0.2)
    assert wheels.peer.call("stop").success
    wheels.velocities.clear()
    wheels.peer.until(lambda: wheels.stopped[-1].data)

    def repeated() -> bool:
        wheels.request(0.2)
        wheels.peer.spin(0.05)
        return len(wheels.velocities) > 10

    wheels.peer.until(repeated)  # zero is repeated
    assert all(velocity.linear.x == 0.0 for velocity in wheels.velocities)
    assert wheels.peer.call("resume").success
    wheels.peer.until(lambda: not wheels.stopped[-1].data)


@pytest.mark.timed  # on a busy machine there would be breaks
def test_what_is_requested_without_a_break_since_before_the_stop_moves_nothing_after_it(wheels: Wheels) -> None:
    def goes_on() -> bool:  # as a navigation that was not cancelled
        wheels.begin_anew()
        wheels.request_until(0.2)
        wheels.peer.call("stop", meanwhile=lambda: wheels.request(0.2))  # they may be read before the stop, and pass
        wheels.peer.call("resume", meanwhile=lambda: wheels.request(0.3))
        for _ in range(10):
            wheels.request(0.3)
            wheels.peer.spin(0.03)
        return wheels.arrived(0.3)

    assert not wheels.peer.undisturbed(goes_on, longest=0.1)
    wheels.peer.spin(LEASE + 0.1)
    wheels.request_until(0.3)


@pytest.mark.timed
def test_a_request_that_was_late_on_its_way_is_no_pause(wheels: Wheels) -> None:
    def late() -> bool:
        wheels.begin_anew()
        wheels.request_until(0.2)
        wheels.peer.call("stop", meanwhile=lambda: wheels.request(0.2))  # they may be read before the stop, and pass
        wheels.peer.call("resume", meanwhile=lambda: wheels.request(0.3))
        wheels.peer.spin(LEASE + 0.05)
        wheels.request_made_at(wheels.made + LEASE - 0.02, 0.3)  # within a lease of the one before, however long the call took
        wheels.peer.spin(0.1)
        return wheels.arrived(0.3)

    # A request that is read once its lease is over proves nothing: the answer to resume, the wait and the way leave 0.08 s of it.
    assert not wheels.peer.undisturbed(late, longest=0.05)


def test_a_button_stops_and_releasing_it_resumes_nothing(wheels: Wheels) -> None:
    button = wheels.peer.speaker("stop_button")
    wheels.stops_while(lambda: button.publish(Bool(data=True)))
    refused = wheels.peer.call("resume")
    assert (refused.success, refused.message) == (False, "still stopped: the button is pressed")
    button.publish(Bool(data=False))
    wheels.peer.spin(0.3)
    assert wheels.stopped[-1].data  # to let go is not to resume
    wheels.peer.until(lambda: wheels.peer.call("resume").success)
    wheels.peer.until(lambda: not wheels.stopped[-1].data)


def test_a_button_of_a_joystick_stops(wheels: Wheels) -> None:
    joystick = wheels.peer.speaker("joy")
    joystick.publish(Joy(buttons=[1, 0, 1]))
    joystick.publish(Joy(buttons=[]))  # a joystick of fewer buttons
    wheels.peer.spin(0.3)
    assert not wheels.stopped[-1].data
    wheels.stops_while(lambda: joystick.publish(Joy(buttons=[0, 1])))
    joystick.publish(Joy(buttons=[0, 0]))
    wheels.peer.until(lambda: wheels.peer.call("resume").success)


def test_a_heartbeat_that_ceases_stops_the_robot_and_says_whose_it_was(wheels: Wheels) -> None:
    diagnoses = wheels.peer.hear("/diagnostics")
    hearts = wheels.peer.speaker("heartbeat")

    def stopped_while_it_beats() -> bool:
        for _ in range(15):
            hearts.publish(String(data="tablet"))
            if wheels.stopped[-1].data:  # after a disturbance
                wheels.peer.call("resume")
            wheels.peer.spin(0.1)
        return bool(wheels.stopped[-1].data)

    assert not wheels.peer.undisturbed(stopped_while_it_beats, longest=0.3)
    wheels.peer.until(lambda: wheels.stopped[-1].data)
    refused = wheels.peer.call("resume")
    assert not refused.success
    assert "tablet has been silent for" in refused.message
    assert "heartbeat_within = 0" in refused.message
    diagnoses.clear()
    trouble = wheels.peer.until(lambda: diagnoses)[0].status[0]
    assert trouble.level == DiagnosticStatus.ERROR
    assert "tablet has been silent" in trouble.message
    set_parameter(wheels, "heartbeat_within", 0.0)
    assert wheels.peer.call("resume").success
    set_parameter(wheels, "heartbeat_within", 1.0)
    hearts.publish(String(data="tablet"))
    wheels.peer.until(lambda: wheels.stopped[-1].data)
    hearts.publish(String(data="tablet"))  # it is back: a person may go on
    wheels.peer.until(lambda: wheels.peer.call("resume").success)
    set_parameter(wheels, "heartbeat_within", 0.0)  # for the other tests


def test_nothing_moves_while_a_heartbeat_is_late_and_then_it_goes_on(wheels: Wheels) -> None:
    set_parameter(wheels, "heartbeat_within", 60.0)  # late, and not missing
    hearts = wheels.peer.speaker("heartbeat")

    def drive(seconds: float, *, beats: bool) -> list[float]:
        wheels.velocities.clear()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if beats:
                hearts.publish(String(data="tablet"))
            wheels.request(0.2)
            wheels.peer.spin(0.05)
        return [message.linear.x for message in wheels.velocities]

    def late() -> list[float]:
        wheels.peer.until(lambda: drive(0.3, beats=True)[-1:] == [0.2])
        return drive(1.0, beats=False)

    seen = wheels.peer.undisturbed(late, longest=0.1)
    assert seen[0] == 0.2
    assert seen[-1] == 0.0
    assert 0.2 not in seen[seen.index(0.0) :]
    assert not wheels.stopped[-1].data
    wheels.peer.until(lambda: drive(0.5, beats=True)[-1:] == [0.2])
    set_parameter(wheels, "heartbeat_within", 0.0)  # for the other tests


def set_parameter(wheels: Wheels, name: str, value: float) -> None:
    wanted = Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value))
    answer = wheels.peer.call("motion_gate/set_parameters", SetParameters.Request(parameters=[wanted]), SetParameters)
    assert answer.results[0].successful


def test_who_joins_late_knows_that_the_robot_is_stopped(wheels: Wheels) -> None:
    wheels.peer.call("stop")
    with peer(DOMAIN) as late:
        stopped = late.hear("stopped")
        late.until(lambda: stopped and stopped[-1].data)


def test_a_gate_that_was_killed_begins_stopped(tmp_path: Path) -> None:
    domain = OTHER
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        graph.wait_active(PATIENCE)
        graph.processes["motion_gate"].process.kill()
        graph.processes["motion_gate"].process.wait()
        assert "started again" in graph.poll()[0]
        stopped: list[Any] = made.hear("stopped")
        made.until(lambda: stopped and stopped[-1].data)
        made.call("resume")
        made.until(lambda: not stopped[-1].data)


@pytest.mark.parametrize(
    ("argument", "complaint"),
    [
        ("lease:=9.0", "parameter lease: 9.0 is not in [0.05, 0.5]"),
        ("laese:=0.2", "no parameter 'laese'; it has after, autostart, await_clock"),
    ],
)
def test_a_wrong_parameter_is_refused_in_one_line(argument: str, complaint: str) -> None:
    command = [sys.executable, "-m", "sayso_nodes.nodes.motion_gate", "--ros-args", "-p", "autostart:=true", "-p", argument]
    done = subprocess.run(command, env=None, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
