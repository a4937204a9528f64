"""Two robots on one network, told apart by their namespace: each hears, moves, stops and keeps time for itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from patience import PATIENCE

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from rclpy.qos import qos_profile_sensor_data

from ros_nodes import Peer, environment, peer
from sayso_nodes.graph import find_topic, interface
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 54
ALL = ("simulation", "motion_gate", "speech_to_text", "intent_classifier", "action_selector", "planner", "skills")
BODY = ("simulation", "motion_gate", "skills")  # what moves the other one, so that it could move


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    fast = {"simulation": {"real_time_factor": 4.0}}
    folder = tmp_path_factory.mktemp("log")
    env = environment(DOMAIN)
    with (
        RunningGraph("sim", namespace="first", nodes=ALL, parameters=fast, env=env, log_dir=folder / "first") as first,
        RunningGraph("sim", namespace="second", nodes=BODY, parameters=fast, env=env, log_dir=folder / "second") as second,
        peer(DOMAIN) as made,
    ):
        second.wait_active(PATIENCE)
        first.wait_active(PATIENCE)
        yield made


def sayso(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from sayso.cli import main; main()", *arguments]
    return subprocess.run(command, env={**os.environ, **environment(DOMAIN)}, capture_output=True, text=True, timeout=PATIENCE, check=False)


def latest(one: Peer, topic: str) -> list[Any]:
    """The topic's messages from now on, the first of which has come."""
    kind = topic.split("/", 2)[2]
    qos = find_topic(kind).qos(subscriber=True) if kind != "clock" else qos_profile_sensor_data
    messages: list[Any] = []
    one.node.create_subscription(interface("/clock" if kind == "clock" else kind), topic, messages.append, qos)
    one.until(lambda: messages)
    return messages


def test_only_the_robot_that_is_spoken_to_moves(one: Peer) -> None:
    first, second = latest(one, "/first/odom"), latest(one, "/second/odom")
    done = sayso("say", "--namespace", "first", "--json", "turn left")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["succeeded"]
    one.spin(0.2)
    assert abs(turned(first)) > 1.0  # rad
    assert abs(turned(second)) < 0.05
    assert not any(abs(message.twist.twist.angular.z) > 0.05 for message in second)


def turned(messages: list[Any]) -> float:
    start, end = (message.pose.pose.orientation for message in (messages[0], messages[-1]))
    return 2 * (start.w * end.z - start.z * end.w)  # rad, by sin(θ/2): sign and rough size


def test_stopping_one_leaves_the_other_free(one: Peer) -> None:
    assert sayso("stop", "--namespace", "first").returncode == 0
    assert latest(one, "/first/stopped")[-1].data
    assert not latest(one, "/second/stopped")[-1].data


def test_each_simulation_has_its_own_clock(one: Peer) -> None:
    assert latest(one, "/first/clock")
    assert latest(one, "/second/clock")
    assert one.node.count_publishers("/clock") == 0


def test_diagnostics_tell_the_robots_apart(one: Peer) -> None:
    heard = one.hear("/diagnostics")
    wanted = {"sayso: first/motion_gate", "sayso: second/motion_gate"}
    one.until(lambda: wanted <= {status.name for array in heard for status in array.status})


def test_a_name_that_is_no_namespace_is_refused() -> None:
    done = sayso("stop", "--namespace", "my robot")
    assert done.returncode == 2
    assert "--namespace my robot" in done.stderr
