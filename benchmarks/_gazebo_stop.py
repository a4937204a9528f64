"""A spoken stop in Gazebo: simulated time from the end of the word until Gazebo's own robot is at rest.

The node wav_player plays stop words, of voices that the spotter was not trained on, while the robot drives to and fro by the motion gate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import Trigger

from _gazebo_world import Onlooker, measured, write_measured
from sayso.console.watch import counted
from sayso.robot.follow import Limits, Ramp
from sayso.scene import load_scene
from sayso.types import FloatArray
from sayso_nodes.conversions import from_time, to_time
from sayso_nodes.graph import find_topic, interface
from stop_latency import StopPhrase, stop_phrases

NODES = ("gazebo", "motion_gate", "stop_spotter", "wav_player")
PACE = 0.5  # simulated seconds a second: on two cores the nodes would wait for the processor behind Gazebo, as on no robot
SPEED = 0.3  # m/s
ASIDE = 1.9  # rad that the robot turns first, so that it has room before and behind it
PERIOD = 0.05  # simulated s between requests
PAUSE = 0.4  # simulated s without a request, which the gate wants after `resume`
PATIENCE = 1.5  # simulated s from the end of the word in which the robot must be at rest
QUIET = 0.5  # simulated s after the last piece of sound
RESTS = 0.01  # m/s below which it is at rest


class SpokenStop(NamedTuple):
    """Simulated seconds from the end of the word to zero on cmd_vel and to rest; infinite if neither came."""

    zero: float
    rest: float


def spoken_stops(programs: Any, folder: Path, count: int) -> list[SpokenStop]:
    """`count` spoken stops of a robot at SPEED, in the default home's world at PACE.

    Raises:
        RosError: the world or a node is not there in time, or ended.
    """
    write_measured(folder, PACE)
    phrases = stop_phrases(folder, count)
    with measured(programs, folder, load_scene(), nodes=NODES) as onlooker:
        driver = _Driver(onlooker)
        driver.turn(ASIDE)
        return [driver.stop(phrases[index % len(phrases)]) for index in counted(range(count), "spoken stops", count)]


class _Driver:
    """Drives the robot by requests to the motion gate, on a line through the place where it begins."""

    def __init__(self, onlooker: Onlooker) -> None:
        self._onlooker, self._begin = onlooker, onlooker.standing()
        self._sound: list[float] = []  # stamps
        self._zeros: list[float] = []
        self._stopped = self._moves = False
        node = onlooker.node
        self._requests = node.create_publisher(TwistStamped, "cmd_vel_request", 1)
        self._resume = node.create_client(interface("resume"), "resume")
        self._player = node.create_client(SetParameters, "wav_player/set_parameters")
        for topic, callback in (("audio", self._on_audio), ("cmd_vel", self._on_velocity), ("stopped", self._on_stopped)):
            node.create_subscription(interface(topic), topic, callback, find_topic(topic).qos(subscriber=True))
        onlooker.wait(lambda: self._resume.service_is_ready() and self._player.service_is_ready(), "the motion gate and the player")

    def turn(self, angle: float) -> None:
        """Turn on the spot, to the left, by about this angle in rad."""
        self._release()
        began = self._onlooker.seconds
        self._drive(0.0, 1.0, lambda: self._onlooker.seconds > began + angle)
        self._begin = self._onlooker.standing()

    def stop(self, phrase: StopPhrase) -> SpokenStop:
        """Drive, play the phrase, and see when the robot is at rest."""
        onlooker = self._onlooker
        onlooker.wait(lambda: not self._sound or onlooker.seconds > self._sound[-1] + QUIET, "the last sound to end")
        self._release()
        here = onlooker.standing()
        onlooker.truth.clear()
        self._sound, self._zeros = [], []
        files = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=[str(phrase.path)])
        self._player.call_async(SetParameters.Request(parameters=[Parameter(name="files", value=files)]))
        ahead = float((here[:2, 3] - self._begin[:2, 3]) @ here[:2, 0])  # m before the place where it began
        self._drive(
            -SPEED if ahead > 0.0 else SPEED, 0.0, lambda: bool(self._sound) and onlooker.seconds > self._sound[0] + phrase.end + PATIENCE
        )
        if not self._stopped or not self._zeros:
            return SpokenStop(math.inf, math.inf)
        end = self._sound[0] + phrase.end
        return SpokenStop(self._zeros[-1] - end, _rest(onlooker.truth) - end)

    def _release(self) -> None:
        done = self._resume.call_async(Trigger.Request())
        self._onlooker.wait(done.done, "the motion gate's answer")
        began = self._onlooker.seconds
        self._onlooker.wait(lambda: self._onlooker.seconds > began + PAUSE, "simulated time to pass")

    def _drive(self, v: float, w: float, until: Callable[[], bool]) -> None:
        """Request a velocity until a condition holds."""
        ramp, message = Ramp(Limits()), TwistStamped()
        while not until():
            now = self._onlooker.seconds
            message.header.stamp = to_time(now)
            message.twist.linear.x, message.twist.angular.z = ramp(v, w, now)
            self._requests.publish(message)
            self._onlooker.wait(lambda now=now: self._onlooker.seconds > now + PERIOD, "simulated time to pass")  # type: ignore[misc]

    def _on_audio(self, message: Any) -> None:
        self._sound.append(from_time(message.header.stamp))

    def _on_velocity(self, message: Any) -> None:
        moves = message.linear.x != 0.0 or message.angular.z != 0.0
        if self._moves and not moves:
            self._zeros.append(self._onlooker.seconds)
        self._moves = moves

    def _on_stopped(self, message: Any) -> None:
        self._stopped = message.data


def _rest(truth: dict[float, FloatArray]) -> float:
    """The stamp from which on the robot is at rest; infinite if it is not at the end."""
    stamps = np.array(sorted(truth))
    places = np.array([truth[stamp][:2, 3] for stamp in stamps])
    moving = np.flatnonzero(np.linalg.norm(np.diff(places, axis=0), axis=1) > RESTS * np.diff(stamps))
    if not len(moving) or moving[-1] + 2 >= len(stamps):
        return math.inf
    return float(stamps[moving[-1] + 1])
