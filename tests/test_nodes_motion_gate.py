"""The motion gate as a process of its own, over DDS: what reaches the wheels, and what does not."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TwistStamped

from ros_nodes import Peer, environment, peer
from sayso_nodes.running import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 63
LEASE = 0.3  # s


class Wheels:
    """A peer that requests velocities and sees which arrive."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.velocities = peer.hear("cmd_vel")
        self.stopped = peer.hear("stopped")
        self.requests = peer.speaker("cmd_vel_request")
        peer.until(lambda: self.velocities and self.stopped)

    def request(self, v: float, age: float = 0.0) -> None:
        message = TwistStamped()
        stamp = time.time() - age
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        message.twist.linear.x = v
        self.requests.publish(message)

    def arrived(self, v: float) -> bool:
        return any(velocity.linear.x == pytest.approx(v) for velocity in self.velocities)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(DOMAIN), log_dir=tmp_path_factory.mktemp("log")) as running:
        running.wait_active(60)
        yield running


@pytest.fixture
def wheels(graph: RunningGraph) -> Iterator[Wheels]:
    with peer(DOMAIN) as made:
        made.call("resume")
        yield Wheels(made)


def test_passes_a_fresh_request(wheels: Wheels) -> None:
    wheels.request(0.2)
    wheels.peer.until(lambda: wheels.arrived(0.2))


def test_a_request_older_than_its_lease_does_not_pass(wheels: Wheels) -> None:
    wheels.request(0.3, age=1.0)
    wheels.request(0.1)
    wheels.peer.until(lambda: wheels.arrived(0.1))  # so the old one has been seen as well
    assert not wheels.arrived(0.3)


def test_zero_follows_when_requests_cease(wheels: Wheels) -> None:
    wheels.request(0.2)
    wheels.peer.until(lambda: wheels.arrived(0.2))
    wheels.peer.until(lambda: wheels.velocities[-1].linear.x == 0.0)


def test_no_faster_than_allowed_whatever_is_requested(wheels: Wheels) -> None:
    wheels.request(50.0)
    wheels.peer.until(lambda: wheels.arrived(0.6))
    wheels.request(float("nan"))
    wheels.peer.until(lambda: wheels.velocities[-1].linear.x == 0.0)
    assert max(velocity.linear.x for velocity in wheels.velocities) == pytest.approx(0.6)


def test_stop_makes_zero_and_nothing_passes_until_resumed(wheels: Wheels) -> None:
    wheels.request(0.2)
    wheels.peer.until(lambda: wheels.arrived(0.2))
    assert wheels.peer.call("stop").success
    wheels.velocities.clear()
    wheels.peer.until(lambda: wheels.stopped[-1].data)
    for _ in range(10):
        wheels.request(0.2)
        wheels.peer.spin(0.05)
    assert len(wheels.velocities) > 3  # zero is repeated
    assert all(velocity.linear.x == 0.0 for velocity in wheels.velocities)
    assert wheels.peer.call("resume").success
    wheels.peer.until(lambda: not wheels.stopped[-1].data)
    wheels.request(0.2)
    wheels.peer.until(lambda: wheels.arrived(0.2))


def test_who_joins_late_knows_that_the_robot_is_stopped(wheels: Wheels) -> None:
    wheels.peer.call("stop")
    with peer(DOMAIN) as late:
        stopped = late.hear("stopped")
        late.until(lambda: stopped and stopped[-1].data)


def test_a_gate_that_was_killed_begins_stopped(tmp_path: Path) -> None:
    domain = DOMAIN + 1
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        graph.wait_active(60)
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
        ("lease:=9.0", "parameter lease: 9.0 is not in [0.15, 0.5]"),
        ("laese:=0.2", "no parameter 'laese'; it has after, autostart, lease"),
    ],
)
def test_a_wrong_parameter_is_refused_in_one_line(argument: str, complaint: str) -> None:
    command = [sys.executable, "-m", "sayso_nodes.motion_gate", "--ros-args", "-p", "autostart:=true", "-p", argument]
    done = subprocess.run(command, env=None, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
