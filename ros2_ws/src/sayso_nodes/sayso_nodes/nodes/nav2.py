"""Driving by Nav2: NavigateToPose goals and their results. Only the goal's status says whether the robot has arrived.

A drive is over only when the robot is known to rest: a cancellation waits for Nav2's answer and then for the result. Without an answer (the
server is gone, hangs, or refuses to cancel) its controller may still be driving, so the motion gate is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient

from sayso.errors import RosError
from sayso.robot import Pose
from sayso_nodes.conversions import header
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.transforms import quaternion_of

ACTION = "navigate_to_pose"
MISSING = "needs nav2_msgs, which is not installed: apt install ros-jazzy-nav2-msgs (ROS from wheels has none)"

NAV2 = (
    Parameter("nav2_answer", 5.0, "backend nav2: how long Nav2 may take to appear, to accept a goal and to cancel one, s", 0.1, 60.0),
    Parameter("nav2_silence", 5.0, "backend nav2: longest pause of feedback before Nav2 is assumed dead, s", 0.5, 60.0),
    Parameter("nav2_timeout", 300.0, "backend nav2: longest drive to one goal, s", 1.0, 7200.0),
    Parameter("nav2_behavior_tree", "", "backend nav2: behaviour tree of the goals; empty: Nav2's default"),
)

# Error codes of Nav2's planners (2xx) and controllers (1xx), since Jazzy, that a person can do something about.
CODES = {
    102: "it does not know where the robot is on the map",
    104: "its controller had to wait for too long",
    105: "the robot made no progress",
    106: "its controller found no way past an obstacle",
    202: "it does not know where the robot is on the map",
    203: "the robot is outside its map",
    204: "the goal is outside its map",
    205: "the robot stands in an obstacle of its map",
    206: "the goal is in an obstacle of its map",
    207: "planning took too long",
    208: "there is no way there",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for Nav2, s."""

    answer: float = 5.0  # until the server is there, until it accepts, and until a cancelled goal is over
    silence: float = 5.0  # without feedback
    travel: float = 300.0  # until the goal is reached


class Nav2Travel:
    """One NavigateToPose goal, from the wait for the server to the result. `tick` keeps its deadlines.

    Args:
        client: an rclpy ActionClient, or a double of one.
        now: steady seconds. Not ROS time: an answer takes as long as the network, even if a simulation is paused.
        close_gate: keeps the robot still when Nav2 is out of reach.
    """

    def __init__(self, client: Any, goal: Any, now: Callable[[], float], patience: Patience, close_gate: Callable[[str], None]) -> None:
        self.remaining: float | None = None  # m, as Nav2 says
        self.lost = ""  # why the motion gate had to be closed; empty if it had not
        self._client, self._goal, self._now, self._patience, self._close_gate = client, goal, now, patience, close_gate
        self._began = self._heard = now()
        self._handle: Any = None  # of the accepted goal
        self._sent = self._over = self._asked_to_cancel = False
        self._wanted = True
        self._ended = 0.0  # when it was no longer wanted
        self._reason = ""
        self.tick()

    def done(self) -> bool:
        """True if the drive is over and the robot at rest."""
        return self._over

    def result(self) -> str:
        """Why the goal was not reached; empty if it was."""
        return self._reason

    def cancel(self) -> None:
        """Cancel the drive."""
        self._end("cancelled")

    def tick(self) -> None:
        """Take the next step, or give up after a deadline."""
        if self._over:
            return
        waited = self._now() - (self._began if self._wanted else self._ended)
        if not self._sent:
            self._send(waited)
        elif not self._wanted:
            if waited > self._patience.answer:
                self._lose(f"Nav2 did not stop within {self._patience.answer:g} s")
        elif self._handle is None:
            if waited > self._patience.answer:
                self._end(f"Nav2 did not answer within {self._patience.answer:g} s")
        elif not self._client.server_is_ready():
            self._lose("Nav2 went away on the drive")
        elif waited > self._patience.travel:
            self._end(f"Nav2 was not there after {self._patience.travel:g} s")
        elif self._now() - self._heard > self._patience.silence:
            self._end(f"nothing was heard of Nav2 for {self._patience.silence:g} s")

    def _send(self, waited: float) -> None:
        if not self._wanted:
            self._finish(self._reason)
        elif self._client.server_is_ready():
            self._sent, self._began = True, self._now()
            self._client.send_goal_async(self._goal, feedback_callback=self._on_feedback).add_done_callback(self._on_answer)
        elif waited > self._patience.answer:
            self._finish(f"no node serves {ACTION}: is Nav2 running?")

    def _on_answer(self, answer: Any) -> None:
        handle = self._read(answer, "take the goal")
        if handle is None:
            return
        if not handle.accepted:
            self._finish("Nav2 refused the goal: is it active (ros2 lifecycle get /bt_navigator)?" if self._wanted else self._reason)
            return
        self._handle, self._heard = handle, self._now()
        handle.get_result_async().add_done_callback(self._on_result)
        if not self._wanted or self._over:  # while the goal was on its way
            self._ask_to_cancel()

    def _on_feedback(self, message: Any) -> None:
        self._heard = self._now()
        self.remaining = float(message.feedback.distance_remaining)

    def _on_result(self, answer: Any) -> None:
        response = self._read(answer, "drive")
        if response is None:
            return
        status = response.status
        if status == GoalStatus.STATUS_SUCCEEDED:
            self._finish("")
        elif not self._wanted:
            self._finish(self._reason)
        elif status == GoalStatus.STATUS_CANCELED:
            self._finish("another client cancelled Nav2's goal")
        elif status == GoalStatus.STATUS_ABORTED:
            self._finish(f"Nav2 gave up{cause(response.result)}")
        else:
            self._lose(f"Nav2 knows nothing of the goal any more (status {status})")

    def _end(self, reason: str) -> None:
        """Cancel the goal and wait for its end."""
        if self._over or not self._wanted:
            return
        self._wanted, self._reason, self._ended = False, reason, self._now()
        if not self._sent:
            self._finish(reason)
        elif self._handle is not None:
            self._ask_to_cancel()

    def _ask_to_cancel(self) -> None:
        if not self._asked_to_cancel:
            self._asked_to_cancel = True
            self._handle.cancel_goal_async().add_done_callback(self._on_cancelled)

    def _on_cancelled(self, answer: Any) -> None:
        response = self._read(answer, "cancel")
        if response is None or response.goals_canceling or response.return_code == CancelGoal.Response.ERROR_GOAL_TERMINATED:
            return  # the result is on its way
        # A refusing server in Python says ERROR_NONE and names no goal; one in C++ says ERROR_REJECTED.
        self._lose(f"Nav2 refused to cancel the drive (code {response.return_code})")

    def _read(self, answer: Any, doing: str) -> Any:
        try:
            return answer.result()
        except Exception as error:  # noqa: BLE001 - rclpy passes on any error
            self._lose(f"Nav2 failed to {doing}: {error}")
            return None

    def _lose(self, reason: str) -> None:
        """Close the motion gate: Nav2 is out of reach and its controller may be driving."""
        if not self._over:
            self.lost = reason
            self._close_gate(reason)
            self._finish(f"{self._reason}; {reason}" if self._reason else reason)

    def _finish(self, reason: str) -> None:
        if not self._over:
            self._over, self._reason = True, reason


class Nav2Navigator:
    """Sends the robot to poses with Nav2, one at a time.

    Raises:
        RosError: nav2_msgs is not installed.
    """

    def __init__(self, node: SaysoNode, close_gate: Callable[[str], None]) -> None:
        kind = navigate_to_pose("backend nav2")
        node._allow("requests", ACTION)
        self._node, self._kind, self._close_gate = node, kind, close_gate
        self._patience = Patience(*(node.value(name) for name in ("nav2_answer", "nav2_silence", "nav2_timeout")))
        self._client = ActionClient(node, kind, ACTION)
        self._travel: Nav2Travel | None = None
        node.on_close(self._client.destroy)
        node.on_close(self._leave)

    def __call__(self, goal: Pose) -> Nav2Travel:
        """Start to drive to the goal."""
        message = self._kind.Goal(behavior_tree=self._node.value("nav2_behavior_tree"))
        message.pose.header = header(self._node.seconds(), self._node.value("map_frame"))
        message.pose.pose.position.x, message.pose.pose.position.y = float(goal.x), float(goal.y)
        message.pose.pose.orientation = quaternion_of(goal.yaw)
        self._travel = Nav2Travel(self._client, message, self._steady, self._patience, self._close_gate)
        return self._travel

    def tick(self) -> bool:
        """Keep the deadlines; True while the robot drives."""
        if self._travel is not None:
            self._travel.tick()
        return self._travel is not None and not self._travel.done()

    @property
    def lost(self) -> str:
        """Why the motion gate had to be closed on the last drive; empty if it had not."""
        return self._travel.lost if self._travel is not None else ""

    def _leave(self) -> None:
        if self._travel is not None:
            self._travel.cancel()

    def _steady(self) -> float:
        return float(self._node.steady.now().nanoseconds * 1e-9)


def navigate_to_pose(who: str) -> Any:
    """The action's type.

    Raises:
        RosError: it is not installed.
    """
    try:
        return interface("nav2_msgs/action/NavigateToPose")
    except ImportError:
        raise RosError(f"{who} {MISSING}") from None


def cause(result: Any) -> str:
    """The reason in an aborted goal's result: ": no way there (error 208)". Nav2 before Jazzy gives none."""
    code, text = int(getattr(result, "error_code", 0)), str(getattr(result, "error_msg", "")).strip()
    said = text.splitlines()[0] if text else CODES.get(code, "")
    return (f": {said}" if said else "") + (f" (error {code})" if code else "")
