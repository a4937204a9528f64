"""The robot that does not run into people: it slows down for whoever its tracker sees ahead, and stops before it touches them."""

from __future__ import annotations

import math

from sayso.robot.geometry import Point2, Point3, Pose
from sayso.robot.map import RobotMap
from sayso.robot.people import PeopleMemory
from sayso.robot.skill import Pending, Robot
from sayso.types import Grounding, People

BODY = 0.25  # m, the radius of a standing person
APART = 0.08  # m that the robot keeps between itself and a person in its way
JUST_NOW = 5.0  # s: a robot that gets no further gives up within this time
SLOWING = 1.2  # 1/s: the speed towards a person is this times the way that is left


class Considerate:
    """A Robot in front of a Robot: `drive` passes no speed that leads into a person. People who stand where the map has them are on it."""

    def __init__(self, robot: Robot, people: PeopleMemory, robot_map: RobotMap) -> None:
        self._robot, self._people, self._map = robot, people, robot_map
        self._waits = ("", -math.inf)  # for whom the robot last slowed down, and when, s

    @property
    def stopped(self) -> bool:
        """Whether the motion gate keeps the robot still."""
        return self._robot.stopped

    def pose(self) -> Pose | None:
        """The last odometry."""
        return self._robot.pose()

    def drive(self, v: float, w: float) -> None:
        """Set the speed, or a smaller one."""
        pose = self._robot.pose()
        if pose is not None and v:
            for name, at in self._people.astray(self._map, pose.stamp).items():
                room = self._room(pose, at, v)
                if abs(v) > SLOWING * room:
                    v = math.copysign(SLOWING * room, v)
                    self._waits = (name, pose.stamp)
        self._robot.drive(v, w)

    def in_the_way(self, now: float) -> str:
        """The id of the person for whom the robot has just slowed down, empty for nobody."""
        name, since = self._waits
        return name if now - since <= JUST_NOW else ""

    def grip(self, command: str, target: Point3) -> Pending[tuple[bool, str]]:
        """Use the gripper."""
        return self._robot.grip(command, target)

    def hand(self) -> Pending[tuple[bool, str]] | None:
        """Read the gripper."""
        return self._robot.hand()

    def ground(self, phrase: str, object_id: str, not_before: float) -> Pending[Grounding]:
        """Find what the phrase points at."""
        return self._robot.ground(phrase, object_id, not_before)

    def people(self) -> People | None:
        """The last report of the person tracker."""
        return self._robot.people()

    def say(self, text: str) -> None:
        """Speak."""
        self._robot.say(text)

    def stop(self) -> Pending[tuple[bool, str]]:
        """Close the motion gate."""
        return self._robot.stop()

    def resume(self) -> Pending[tuple[bool, str]]:
        """Open the motion gate."""
        return self._robot.resume()

    def _room(self, pose: Pose, at: Point2, v: float) -> float:
        """How far the robot can drive straight in the direction of `v` before it is too near to the person, m; inf if it passes them."""
        dx, dy = at[0] - pose.x, at[1] - pose.y
        ahead = math.copysign(1.0, v) * (math.cos(pose.yaw) * dx + math.sin(pose.yaw) * dy)
        aside = abs(math.cos(pose.yaw) * dy - math.sin(pose.yaw) * dx)
        near = self._map.radius + BODY + APART
        if ahead <= 0.0 or aside >= near:
            return math.inf
        return max(ahead - math.sqrt(near**2 - aside**2), 0.0)
