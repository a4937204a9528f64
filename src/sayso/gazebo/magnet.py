"""The magnet gripper in Gazebo: plans each grip from the world's reported poses and checks its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np

from sayso.gazebo.people import walkers
from sayso.gazebo.releases import ATTACHED, DETACHED
from sayso.gazebo.robot_sdf import BEGINS_AT
from sayso.gazebo.topics import ARM
from sayso.scene.layout import Rectangle, hand_of, shelves, stands
from sayso.scene.scene import Point3, Scene
from sayso.sim.arm import reaching
from sayso.sim.gripper import BELOW, PERSON_REACH, free_spot, hull_distance, surface_at
from sayso.sim.operating import HEADROOM, OPERATE
from sayso.sim.pointing import POINT
from sayso.sim.robot_body import CARRYING, FOLDED, ArmPose
from sayso.sim.truth import IN_GRIPPER, ON_FLOOR, WorldTruth, resting_place
from sayso.sim.wiping import WIPE
from sayso.types import FloatArray

DROP = 0.01  # m above a surface, where an object is released
HELD = 0.1  # m from the fingers to the hull of the held object, at most
ALMOST_NONE = 1e-6
GIVEN = 0.25  # m from a person's hand to the object in it, at most


@dataclass(frozen=True, slots=True)
class Grip:
    """The steps for one request: the arm moves to `arm`, the magnet attaches or detaches, the arm moves to `after`."""

    object_id: str
    arm: ArmPose
    attach: bool  # False: detach
    after: ArmPose
    done: str  # one line that reports success
    person: str = ""  # who receives the object
    in_front: ArmPose | None = None  # of a shelf behind a door, where it passes on its way in and out


def motor_positions(arm: ArmPose) -> dict[str, float]:
    """The commands for the arm's motors, by joint, to reach that pose; they count from the arm's initial pose."""
    return {joint: float(getattr(arm, joint)) - BEGINS_AT[f"arm/{joint}"] for joint in ARM}


def way(start: ArmPose, goal: ArmPose) -> tuple[ArmPose, ArmPose, ArmPose]:
    """Waypoints of an arm that holds something: up, over, down. A straight move would sweep off objects beside the goal."""
    high = max(start.lift, goal.lift)
    return replace(start, lift=high), replace(goal, lift=high), goal


def way_in(start: ArmPose, grip: Grip, *, full: bool) -> tuple[ArmPose, ...]:
    """Waypoints of the arm to where the magnet is switched; `full`: it holds something."""
    first = grip.in_front or grip.arm
    return (*(way(start, first) if full else (first,)), *((grip.arm,) if grip.in_front else ()))


def way_out(grip: Grip) -> tuple[ArmPose, ...]:
    """Waypoints of the arm from there."""
    first = grip.in_front or grip.arm
    return (*((first,) if grip.in_front else ()), *(way(first, grip.after) if grip.attach else (grip.after,)))


@dataclass
class Magnet:
    """The known state of the world, and the gripper's decisions. Poses are the last ones received, in the map frame."""

    scene: Scene
    robot: tuple[float, float, float] | None = None  # x, y, yaw; m, rad
    arm: ArmPose = FOLDED
    feet: dict[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)  # object → position (3,), rotation (3, 3)
    heard: Counter[str] = field(default_factory=Counter)  # object → how many of its poses have come
    states: dict[str, str] = field(default_factory=dict)  # object → what its joint said last
    people: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # of those who move, robots too: x, y (m), yaw (rad)
    holding: str = ""
    lifting: str = ""  # what the magnet takes, until that is known to have succeeded
    others: tuple[str, ...] = ()  # robots in the same world
    shut_in: Callable[[Point3], str] = lambda _: ""  # why nothing can be reached there; empty if it can

    def __post_init__(self) -> None:
        self.surfaces: tuple[Rectangle, ...] = stands(self.scene)
        self.shelves: tuple[Rectangle, ...] = shelves(self.scene)

    @property
    def is_complete(self) -> bool:
        """Whether the poses of all objects are known."""
        return self.feet.keys() == self.scene.objects.keys()

    @property
    def sees_people(self) -> bool:
        """Whether the poses of the robot and of all others who move are known."""
        return self.robot is not None and self.people.keys() == {*walkers(self.scene), *self.others}

    @property
    def at(self) -> tuple[float, float, float]:
        """Where the robot is: x, y (m), yaw (rad)."""
        assert self.robot is not None  # who asks has heard of it
        return self.robot

    def foot(self, object_id: str) -> tuple[FloatArray, FloatArray]:
        """The object's foot (3,), m, and its rotation (3, 3)."""
        return self.feet[object_id]

    def person(self, person_id: str) -> tuple[float, float, float]:
        """Where the person stands, and faces: x, y (m), yaw (rad); before Gazebo says so, as in the scene."""
        if person_id in self.people:
            return self.people[person_id]
        figure = self.scene.people[person_id]
        return *figure.at, radians(figure.yaw)

    def hand(self, person_id: str) -> Point3:
        """The palm of the person's open hand, m."""
        return hand_of(self.scene, person_id, self.person(person_id))

    def forget(self) -> None:
        """The world begins anew: nothing is held, and no pose is known."""
        self.holding = self.lifting = ""
        self.feet.clear()
        self.states.clear()
        self.people.clear()

    def plan(self, command: str, target: Point3) -> Grip | str:
        """The steps to carry out, or one line that says why it can't be done."""
        if self.robot is None or not self.feet:
            return "nothing has been heard from Gazebo yet: is the bridge running?"
        if not np.isfinite(target).all():
            return "the target is not a point"
        distance, reach = hypot(target[0] - self.robot[0], target[1] - self.robot[1]), self.scene.gripper.reach
        if distance > reach:
            return f"the target is {distance:.2f} m away, the arm reaches {reach:g} m"
        if command == "grasp":
            return self._grasp(target)
        if command not in {"release", "hand_over"}:
            return f"'{command}' is not a gripper command: {', '.join(('grasp', 'release', 'hand_over', *OPERATE, WIPE, POINT))}"
        if not self.holding:
            return "the gripper is empty"
        return self._release(target) if command == "release" else self._hand_over(target)

    def succeeded(self, grip: Grip) -> bool:
        """Whether the world shows the intended result."""
        held = self._is_at_the_fingers(grip.object_id)
        if grip.attach or held:
            return grip.attach and held
        if grip.person:
            return float(np.linalg.norm(self.middle(grip.object_id) - np.array(self.hand(grip.person)))) <= GIVEN
        x, y, z = (float(value) for value in self.feet[grip.object_id][0])
        return resting_place((x, y, z), self.surfaces) != ON_FLOOR

    def conclude(self, grip: Grip) -> None:
        """Remember what the gripper holds now: what it took, or what it let go of if that hangs at its fingers all the same."""
        self.holding = grip.object_id if self._is_at_the_fingers(grip.object_id) else ""

    def _is_at_the_fingers(self, object_id: str) -> bool:
        return hull_distance(self.scene, object_id, self.fingers, *self.feet[object_id]) <= HELD

    def reached(self, arm: ArmPose) -> bool:
        """Whether the arm is within 2 cm and 2° of that pose."""
        turn = (self.arm.yaw - arm.yaw + pi) % (2 * pi) - pi
        return abs(turn) < 0.035 and abs(self.arm.lift - arm.lift) < 0.02 and abs(self.arm.stretch - arm.stretch) < 0.02

    def hear_pose(self, name: str, foot: FloatArray) -> bool:
        """Update the pose (4, 4) of an object. False if it is no pose (NaN): the last one stays."""
        if not np.isfinite(foot).all():
            return False
        self.feet[name] = (foot[:3, 3], foot[:3, :3])
        self.heard[name] += 1
        return True

    def hear_state(self, name: str, state: str) -> None:
        """Update what the joint of an object says of itself."""
        self.states[name] = state

    def switched(self, grip: Grip) -> bool:
        """Whether the joint says that it has done what the grip wants of it."""
        return self.states.get(grip.object_id) == (ATTACHED if grip.attach else DETACHED)

    def hear_person(self, name: str, pose: FloatArray) -> bool:
        """Update the pose (4, 4) of a person or of another robot. False if it is no pose (NaN): the last one stays."""
        if not np.isfinite(pose).all():
            return False
        self.people[name] = float(pose[0, 3]), float(pose[1, 3]), atan2(float(pose[1, 0]), float(pose[0, 0]))
        return True

    def hear_joints(self, positions: Mapping[str, float]) -> None:
        """Update the arm from Gazebo's joint positions by name, which count from the arm's initial pose."""
        joints = {joint: positions[f"arm/{joint}"] + BEGINS_AT[f"arm/{joint}"] for joint in ARM if f"arm/{joint}" in positions}
        self.arm = replace(self.arm, **joints)

    @property
    def fingers(self) -> FloatArray:
        """(3,) m, the end of the arm."""
        x, y, yaw = self.robot or (0.0, 0.0, 0.0)
        angle = yaw + self.arm.yaw
        return np.array([x + cos(angle) * self.arm.stretch, y + sin(angle) * self.arm.stretch, self.arm.lift])

    def truth(self, stamp: float, facts: tuple[str, ...] = ()) -> WorldTruth | None:
        """The ground truth from Gazebo's messages, with what is true of furniture; None until every pose has been received."""
        if self.robot is None or not self.is_complete:
            return None
        locations = []
        for name in self.scene.objects:
            x, y, z = (float(value) for value in self.feet[name][0])
            place = resting_place((x, y, z), self.surfaces)
            is_held = name in (self.holding, self.lifting)
            locations.append(IN_GRIPPER if is_held else self._receiver(name) if place == ON_FLOOR else place)
        positions = np.array([self.middle(name) for name in self.scene.objects])
        people = {name: self.person(name)[:2] for name in self.scene.people}
        return WorldTruth(stamp, *self.robot, tuple(self.scene.objects), tuple(locations), positions, facts, people)

    def _receiver(self, name: str) -> str:
        """The person in whose hand an object lies that is on no surface; "floor" if it is nobody's."""
        away = {person: float(np.linalg.norm(self.middle(name) - np.array(self.hand(person)))) for person in self.scene.people}
        nearest = min(away, key=lambda person: away[person], default="")
        return nearest if nearest and away[nearest] <= GIVEN else ON_FLOOR

    def _grasp(self, target: Point3) -> Grip | str:
        if self.holding:
            return f"the gripper holds {self.holding} already"
        point = np.array(target)
        near = {name: hull_distance(self.scene, name, point, *foot) for name, foot in self.feet.items()}
        taken = min(near, key=lambda name: (near[name], float(np.linalg.norm(self.middle(name) - point))))
        if near[taken] > self.scene.gripper.radius:
            return f"nothing is within {100 * self.scene.gripper.radius:g} cm of the target"
        x, y, z = (float(value) for value in self.middle(taken))
        if reason := self.shut_in((x, y, z)):
            return reason
        arm = self._arm_at((x, y, z), self._to_side(taken))
        return Grip(taken, arm, attach=True, after=CARRYING, done=f"took {taken}", in_front=self._in_front((x, y, z), arm))

    def _release(self, target: Point3) -> Grip | str:
        held = self.holding
        surface = surface_at(target, self.surfaces)
        if surface is None:
            return "there is nothing at the target to set it down on"
        if reason := self.shut_in((*target[:2], surface.top)):
            return reason
        others = [name for name in self.feet if name != held and abs(self.feet[name][0][2] - surface.top) < BELOW]
        taken = [(*self.middle(name)[:2], self.scene.hull(name).radius) for name in others]
        spot = free_spot(target, self.scene.hull(held).radius, surface, taken)
        if spot is None:
            return f"there is no room left on {surface.name}"
        above = surface.top + self.scene.hull(held).half[2] + DROP
        arm = self._arm_at((*spot, above), self._ahead())
        front = self._in_front((*spot, above), arm)
        return Grip(held, arm, attach=False, after=FOLDED, done=f"set {held} down on {surface.name}", in_front=front)

    def _hand_over(self, target: Point3) -> Grip | str:
        hands = {person: self.hand(person) for person in self.scene.people}
        person = min(hands, key=lambda name: float(np.linalg.norm(np.subtract(hands[name], target))), default="")
        if not person or float(np.linalg.norm(np.subtract(hands[person], target))) > PERSON_REACH:
            return f"nobody's hand is within {PERSON_REACH:g} m of the target"
        x, y, z = hands[person]
        arm = self._arm_at((x, y, z + self.scene.hull(self.holding).half[2] + DROP), self._ahead())
        return Grip(self.holding, arm, attach=False, after=FOLDED, done=f"gave {self.holding} to {person}", person=person)

    def _arm_at(self, point: Point3, short_of: float) -> ArmPose:
        return reaching(self.at, point, short_of=short_of)

    def _in_front(self, point: Point3, arm: ArmPose) -> ArmPose | None:
        """The arm drawn back at the height of a shelf that has a point over it; None if there is none."""
        x, y, z = point
        inside = any(shelf.distance(x, y) == 0.0 and 0.0 <= z - shelf.top <= HEADROOM for shelf in self.shelves)
        return replace(arm, stretch=FOLDED.stretch) if inside else None

    def _to_side(self, object_id: str) -> float:
        """Metres from the middle of an object to its side towards the robot: an umbrella across the way is thin, one along it is long."""
        hull, away = self.scene.hull(object_id), np.array([*self.at[:2], 0.0]) - self.middle(object_id)
        away[2] = 0.0
        if hull.box is None or not away.any():
            return hull.radius
        own = np.abs(self.feet[object_id][1].T @ (away / np.linalg.norm(away)))
        return float(min(half / along for half, along in zip(hull.half, own, strict=True) if along > ALMOST_NONE))

    def _ahead(self) -> float:
        """Metres from the fingers to the middle of what they hold, seen from above. It is rigid in the hand."""
        ahead = float(np.linalg.norm((self.middle(self.holding) - self.fingers)[:2]))
        return min(ahead, self.scene.hull(self.holding).radius + HELD)

    def middle(self, object_id: str) -> FloatArray:
        """(3,) m, the middle of the object's hull."""
        foot, rotation = self.feet[object_id]
        middle: FloatArray = foot + rotation @ np.array([0.0, 0.0, self.scene.hull(object_id).half[2]])
        return middle
