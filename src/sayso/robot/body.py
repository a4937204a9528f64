"""Shared by all skills: the robot, its map, the object in its hand, its sightings, and small movements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from sayso.domain import Domain
from sayso.robot.choosing import SkillAmbiguous, choices_in, chosen_in, is_described, phrase_for
from sayso.robot.detour import around
from sayso.robot.follow import Limits, PathFollower, Turning
from sayso.robot.geometry import Point2, Point3, Pose, Standing, wrap
from sayso.robot.map import RobotMap
from sayso.robot.path import PathPlanner
from sayso.robot.people import HAND, SAME_SPOT, PeopleMemory, standing
from sayso.robot.sightings import Sightings
from sayso.robot.skill import Asking, Navigator, Pending, Robot, Skill, SkillFailed, Step, T
from sayso.types import Choice, FloatArray, Grounding, SkillCall

ANSWER_WITHIN = 15.0  # s; after this, assume that the grounder or gripper crashed
STILL = 0.25  # s without motion before a picture is taken


MakeSkill = Callable[["RobotState", SkillCall], Skill]  # begins a skill: nothing runs before its first tick


@dataclass
class RobotState:
    """State that persists between skills, with the pose and time of the current tick."""

    domain: Domain
    map: RobotMap
    planner: PathPlanner
    robot: Robot
    limits: Limits = field(default_factory=Limits)
    sightings: Sightings = field(default_factory=Sightings)
    people: PeopleMemory = field(default_factory=PeopleMemory)
    holding: str = ""  # id of the object that the robot believes it holds
    choices: dict[str, tuple[Choice, ...]] = field(default_factory=dict)  # object → the thing that a person has chosen, then the others
    doubtful: bool = False  # the gripper has failed, or its answer was not awaited: what it holds is to be read
    unanswered: Pending[tuple[bool, str]] | None = None  # the last command to the gripper whose answer was not awaited
    letting_go: SkillCall | None = None  # it was cut off while the gripper let go of a thing: an empty hand then means that it did
    states: set[tuple[str, str]] = field(default_factory=set)  # what it has opened, closed and switched: ("open", "fridge")
    now: float = 0.0  # s
    pose: Pose = field(default_factory=lambda: Pose(0.0, 0.0, 0.0))
    path: FloatArray | None = None  # (N, 2) m, the path being driven
    navigator: Navigator | None = None  # drives to points of the map; None: the skills drive themselves

    def follow(self, goal: Point2, yaw: float | None, status: str) -> Skill:
        """Drive to a point of the map, or the free floor nearest to it, and turn to `yaw` there."""
        if self.navigator is not None:
            yield from self._travel(self.navigator, goal, yaw, status)
            return
        people = self.people.astray(self.map, self.now).values()
        self.path = around(self.planner, self.planner(self.pose.xy, goal), people)
        follower = PathFollower(self.path, yaw, self.map, self.limits)
        try:
            while not follower.arrived:
                v, w = follower(self.pose, self.now)
                self.robot.drive(v, w)
                yield Step(f"{status}, {follower.remaining:.1f} m to go", 1 - follower.remaining / max(follower.length, 0.1))
        finally:
            self.path = None
        yield from self.settle(status)

    def _travel(self, navigator: Navigator, goal: Point2, yaw: float | None, status: str) -> Skill:
        """The same, driven by a navigator. Without a `yaw`, the goal's heading is the direction from here to the goal."""
        towards = math.atan2(goal[1] - self.pose.y, goal[0] - self.pose.x) if yaw is None else yaw
        travel = navigator(Pose(*goal, towards, self.now))
        longest = 0.1  # m
        try:
            while not travel.done():
                rest = max(travel.remaining or 0.0, self.pose.distance(goal))  # Nav2 says 0 before it has planned
                longest = max(longest, rest)
                yield Step(f"{status}, {rest:.1f} m to go", 1 - rest / longest)
        finally:
            travel.cancel()  # the skill may end before the travel does
        if travel.result():
            raise SkillFailed(travel.result())
        yield from self.settle(status)

    def turn(self, angle: float, status: str) -> Skill:
        """Turn on the spot, to the left if `angle` (rad) is positive."""
        turning = Turning(angle, self.limits)
        while True:
            v, w = turning(self.pose, self.now)
            if turning.arrived:
                break
            self.robot.drive(v, w)
            yield Step(status, 1 - abs(turning.rest) / max(abs(angle), 0.01))
        yield from self.settle(status)

    def face(self, point: Point2, status: str) -> Skill:
        """Turn on the spot to look at a point."""
        yield from self.turn(self.pose.bearing(point), status)

    def settle(self, status: str) -> Skill:
        """Stop and wait until the robot has been still for a moment."""
        self.robot.drive(0.0, 0.0)
        before, since = self.pose, self.now
        while self.now - since < STILL:
            yield Step(status, 1.0)
            if self.pose.distance(before.xy) > 0.002 or abs(wrap(self.pose.yaw - before.yaw)) > 0.003:
                before, since = self.pose, self.now

    def look(self, phrase: str, object_id: str, status: str) -> Asking[Grounding]:
        """Ground the phrase in a picture taken from here, now."""
        pending = self.robot.ground(phrase, object_id, self.now)
        return (yield from self.answer(pending, status, "the visual grounder"))

    def glimpse(self, phrase: str, object_id: str, status: str) -> Asking[tuple[Point3 | None, tuple[Choice, ...]]]:
        """The object's position as seen from here, None if it is not seen or the point is implausible; and what else the phrase fits alike.

        What a person has chosen is no longer one of several.
        """
        choices = self.choices.get(object_id, ())
        grounding = yield from self.look(phrase_for(phrase, choices), object_id, status)
        placed = bool(choices) and not is_described(choices)
        point = chosen_in(grounding, choices) if placed else grounding.point if grounding.found else None
        if point is None or not self.map.plausible(point, self.pose.xy):
            return None, ()
        return point, () if placed else choices_in(grounding)

    def sighting(self, phrase: str, object_id: str, status: str) -> Asking[Point3 | None]:
        """The object's position as seen from here.

        Raises:
            SkillAmbiguous: the phrase fits several things that it does not tell apart: the robot takes none of them at random.
        """
        point, alike = yield from self.glimpse(phrase, object_id, status)
        if alike:
            raise SkillAmbiguous(phrase, alike, self.pose.xy)
        return point

    def grip(self, command: str, target: Point3, status: str) -> Skill:
        """Run a gripper command; if it fails, its message is the reason. Unless it succeeds, the gripper is read before the next skill."""
        self.unanswered, succeeded = self.robot.grip(command, target), False
        try:
            succeeded, message = yield from self.answer(self.unanswered, status, "the gripper")
        finally:  # also when the skill ends here: the gripper may go on, and take the thing after all
            self.doubtful = self.doubtful or not succeeded
            self.unanswered = None if self.unanswered.done() else self.unanswered
        if not succeeded:
            raise SkillFailed(message or "the gripper failed")

    def answer(self, pending: Pending[T], status: str, who: str) -> Asking[T]:
        """Wait for the result of a slow call."""
        asked = self.now
        while not pending.done():
            if self.now - asked > ANSWER_WITHIN:
                raise SkillFailed(f"{who} did not answer within {ANSWER_WITHIN:.0f} s")
            yield Step(status)
        return pending.result()

    def spoken(self, entity_id: str) -> str:
        """The robot's words for it: "the red cup"."""
        return self.domain.spoken(entity_id)

    def person(self, person_id: str) -> Standing:
        """Where the person is: as the tracker sees them, else where they were last seen, else as on the map.

        Raises:
            SkillFailed: the robot knows none of these.
        """
        usual, seen = self.map.person(person_id), self.people.last(person_id, self.now)
        if seen is not None and (usual is None or math.dist(seen, (usual.x, usual.y)) > SAME_SPOT):
            return standing(person_id, seen, self.pose.xy, usual.hand[2] if usual else HAND)
        if usual is None:
            raise SkillFailed(f"the robot does not know where {self.spoken(person_id)} is")
        return usual

    def phrase(self, object_id: str) -> str:
        """The phrase to look for if the command gave none: the object's first name."""
        entity = self.domain.entity(object_id)
        return entity.spoken(object_id) if entity else object_id.replace("_", " ")

    def here(self) -> str:
        """The spoken name of the place the robot is at; empty if it is at none."""
        place = self.map.place_at(self.pose.xy)
        return self.spoken(place) if place else ""
