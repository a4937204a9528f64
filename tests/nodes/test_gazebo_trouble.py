"""Gazebo is paused, begins anew or fails in mid-errand, over DDS: the robot rests, the errand goes on or ends, and nothing is called done.

The test takes the place of Gazebo and of its bridge.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

from deciding import Decider
from patience import PATIENCE
from ros_nodes import Peer, environment
from sayso.domain import load_domain
from sayso_nodes.conversions import MAP, to_time
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs in Gazebo")]
DOMAIN = 99
NODES = ("gazebo", "motion_gate", "planner", "skills")
STEP, PACE = 0.02, 2.0  # s of steady time; simulated seconds in one of them
START = (3.2, 2.6, 0.0)  # free floor of the living room
RESTS_WITHIN = 1.5  # s
STANDS = 11.0  # s after which it is said that simulated time stands
KITCHEN = load_domain().places["kitchen"].pose


class Gazebo(Peer):
    """A clock and a base that rolls as it is told. It lives in a thread of its own."""

    def __init__(self) -> None:
        super().__init__(DOMAIN)
        self.at, self.seconds, self.speeds = list(START), 10.0, (0.0, 0.0)
        self.runs, self.breaks = True, False
        self.clock = self.node.create_publisher(Clock, "/clock", 10)
        self.odometry = self.node.create_publisher(Odometry, "odom", 5)
        self.node.create_subscription(Twist, "cmd_vel", self.on_velocity, 1)
        self.node.create_timer(STEP, self.step)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def on_velocity(self, message: Twist) -> None:
        self.speeds = message.linear.x, message.angular.z

    def step(self) -> None:
        if not self.runs:
            return
        seconds, (v, w) = STEP * PACE, self.speeds
        self.seconds += seconds
        x, y, yaw = self.at
        self.at = [x + v * seconds * math.cos(yaw), y + v * seconds * math.sin(yaw), yaw + w * seconds]
        self.clock.publish(Clock(clock=to_time(self.seconds)))
        message = Odometry()
        message.header.stamp, message.header.frame_id = to_time(self.seconds), MAP
        pose = message.pose.pose
        pose.position.x, pose.position.y, yaw = [math.nan] * 3 if self.breaks else self.at
        pose.orientation.z, pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        self.odometry.publish(message)

    def begin(self) -> None:
        """A new world: its time starts from 0, and the robot stands where it began."""
        self.at, self.seconds, self.runs, self.breaks = list(START), 0.0, True, False

    def close(self) -> None:
        self.executor.shutdown()
        self.thread.join(10)
        super().close()


class Person(Decider):
    """Gives commands, and sees what the wheels are told."""

    def __init__(self, gazebo: Gazebo, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.gazebo, self.velocities = gazebo, self.hear("cmd_vel")
        self.diagnostics = self.hear("/diagnostics", publishers=2)

    def drive(self) -> str:
        """Send the robot from its start to the kitchen; the utterance, once it is on its way."""
        self.gazebo.begin()
        self.spin(2.0)  # the nodes notice the new world
        utterance = self.command("go_to", goal="kitchen")
        self.until(lambda: self.gazebo.at[0] > START[0] + 0.5 or math.dist(self.gazebo.at[:2], START[:2]) > 0.5)
        return utterance

    def rests(self) -> None:
        """Fail unless the wheels are told to stand from soon on."""
        self.spin(RESTS_WITHIN)
        self.velocities.clear()
        self.spin(1.0)
        assert not any(each.linear.x or each.angular.z for each in self.velocities)

    def warned(self, words: str) -> bool:
        return any(words in status.message for each in self.diagnostics for status in each.status)

    def ended(self, utterance: str) -> Any:
        return next((each for each in self.outcomes if each.utterance_id == utterance), None)

    def is_there(self) -> bool:
        return math.dist(self.gazebo.at[:2], KITCHEN[:2]) < 0.3


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    gazebo = Gazebo()
    with RunningGraph("gazebo", nodes=NODES, env=environment(DOMAIN), log_dir=tmp_path_factory.mktemp("log")) as graph:
        graph.wait_active(PATIENCE)
        made = Person(gazebo, graph)
        made.until(lambda: made.clock)
        yield made
        made.close()
    gazebo.close()


def test_a_paused_gazebo_is_told_in_one_line_and_the_drive_goes_on_with_its_time(person: Person) -> None:
    utterance = person.drive()
    person.gazebo.runs = False
    began = time.monotonic()
    person.rests()
    person.until(lambda: person.warned("simulated time stands still"))
    person.spin(max(0.0, STANDS + 2.0 - (time.monotonic() - began)))
    assert person.ended(utterance) is None  # it is neither done nor given up
    stood = list(person.gazebo.at)
    person.gazebo.runs = True
    outcome = person.outcome(utterance)
    assert outcome.succeeded, outcome.reason
    assert person.is_there()
    assert person.gazebo.at != stood


def test_a_gazebo_that_dies_and_begins_anew_leaves_no_errand_called_done_that_is_not(person: Person) -> None:
    utterance = person.drive()
    person.gazebo.runs = False
    person.rests()
    person.gazebo.begin()
    outcome = person.outcome(utterance)
    assert outcome.succeeded == person.is_there()
    again = person.outcome_of("go_to", goal="kitchen")
    assert again.succeeded, again.reason
    assert person.is_there()


def test_a_robot_whose_pose_is_no_number_rests_and_its_errand_ends_as_not_done(person: Person) -> None:
    utterance = person.drive()
    person.gazebo.breaks = True
    person.rests()
    outcome = person.outcome(utterance)
    assert not outcome.succeeded
    assert "no odometry for" in outcome.reason
    assert person.warned("start the world anew")
