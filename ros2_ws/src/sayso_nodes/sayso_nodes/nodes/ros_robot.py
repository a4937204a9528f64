"""The robot as the skills see it (sayso.robot.Robot), made of topics and services. No call blocks."""

from __future__ import annotations

import concurrent.futures
import math
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import TwistStamped
from sayso_msgs.srv import Grip, Ground
from std_msgs.msg import String
from std_srvs.srv import Trigger

from sayso.errors import RosError
from sayso.robot import Pose
from sayso.types import Grounding, People
from sayso_nodes.conversions import from_message, header, point, to_time
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.transforms import pose_source

Point3 = tuple[float, float, float]
READ_GRIPPER = Parameter(
    "read_gripper",
    "auto",
    "ask the gripper what it holds (command read of srv/Grip); auto: in simulations",
    choices=("auto", "yes", "no"),
)
RESTING = 5  # zeros sent after the last motion: one of them may be lost


class RosRobot:
    """Takes poses and `stopped`; publishes velocities and speech, and calls services."""

    def __init__(self, node: SaysoNode) -> None:
        self.utterance_id = ""  # of the current skill
        self.stopped = False
        self._node = node
        self._reads, self._simulated = node.value("read_gripper"), node.value("use_sim_time")
        self._speed = (0.0, 0.0)
        self._zeros = 0  # to send
        self._velocities = node.publisher("cmd_vel_request")
        self._speech = node.publisher("speech")
        self._ground, self._grip = node.client("ground"), node.client("grip")
        self._stop, self._resume = node.client("stop"), node.client("resume")
        self._where = pose_source(node)
        self._people: People | None = None
        node.subscription("stopped", self._on_stopped)
        node.subscription("people", self._on_people, sampled=True)

    def pose(self) -> Pose | None:
        """The robot's pose on the map, with its time."""
        return self._where()

    def drive(self, v: float, w: float) -> None:
        """Set the speed, m/s and rad/s, to send with the next `renew`.

        Raises:
            RosError: a speed is no number; a skill of the user's own may have computed it.
        """
        self._speed = (0.0, 0.0)
        if not (math.isfinite(v) and math.isfinite(w)):
            raise RosError(f"a skill asks for the speed {v} m/s, {w} rad/s")
        self._speed = (v, w)

    @property
    def at_rest(self) -> bool:
        """Whether no velocity is left to send."""
        return self._speed == (0.0, 0.0) and self._zeros < 0

    def renew(self) -> None:
        """Request the speed again: the motion gate forgets it after its lease. At rest, request none."""
        moving = self._speed != (0.0, 0.0)
        self._zeros = RESTING if moving else self._zeros - 1
        if self._zeros < 0:
            return
        message = TwistStamped(header=header(self._node.seconds(), "base_link"))
        message.twist.linear.x, message.twist.angular.z = (float(value) for value in self._speed)
        self._velocities.publish(message)

    def grip(self, command: str, target: Point3) -> concurrent.futures.Future[tuple[bool, str]]:
        """Call srv/Grip."""
        request = Grip.Request(command=command, target=point(target))
        return self._call(self._grip, request, lambda answer: (bool(answer.success), str(answer.message)))

    def hand(self) -> concurrent.futures.Future[tuple[bool, str]] | None:
        """Read what the gripper holds, if it can tell: an old gripper might take the unknown command for another one."""
        if self._reads == "no" or (self._reads == "auto" and not self._simulated):
            return None
        request = Grip.Request(command="read")
        return self._call(self._grip, request, lambda answer: (bool(answer.success), str(answer.message)))

    def ground(self, phrase: str, object_id: str, not_before: float) -> concurrent.futures.Future[Grounding]:
        """Find what the phrase points at in a picture taken at `not_before` or later."""
        request = Ground.Request(utterance_id=self.utterance_id, object_id=object_id, phrase=phrase, not_before=to_time(not_before))
        return self._call(self._ground, request, _grounding)

    def people(self) -> People | None:
        """The last message of the person tracker."""
        return self._people

    def say(self, text: str) -> None:
        """Speak."""
        self._speech.publish(String(data=text))

    def stop(self) -> concurrent.futures.Future[tuple[bool, str]]:
        """Close the motion gate."""
        return self._call(self._stop, Trigger.Request(), lambda answer: (bool(answer.success), str(answer.message)))

    def resume(self) -> concurrent.futures.Future[tuple[bool, str]]:
        """Open the motion gate."""
        return self._call(self._resume, Trigger.Request(), lambda answer: (bool(answer.success), str(answer.message)))

    def _call(self, client: Any, request: Any, read: Callable[[Any], Any]) -> concurrent.futures.Future[Any]:
        pending: concurrent.futures.Future[Any] = concurrent.futures.Future()
        if not client.service_is_ready():
            pending.set_exception(RosError(f"no node serves {client.srv_name}"))
            return pending

        def answered(future: Any) -> None:
            try:
                pending.set_result(read(future.result()))
            except Exception as error:  # noqa: BLE001 - the waiting skill gets any error
                pending.set_exception(error if isinstance(error, RosError) else RosError(str(error)))

        client.call_async(request).add_done_callback(answered)
        return pending

    def _on_stopped(self, message: Any) -> None:
        self.stopped = message.data

    def _on_people(self, message: Any) -> None:
        self._people = from_message(message)


def _grounding(answer: Any) -> Grounding:
    if not answer.success:
        raise RosError(answer.message)
    grounding: Grounding = from_message(answer.grounding)
    return grounding
