"""The magnet gripper: grasps, sets down and hands over objects, and sometimes fails."""

from __future__ import annotations

from math import cos, hypot, sin, sqrt
from typing import Literal, get_args

import numpy as np

from sayso.scene.layout import Rectangle
from sayso.scene.scene import Point3, Scene
from sayso.sim.appliances import OperatedInMujoco
from sayso.sim.arm import Arm, Welds, reaching
from sayso.sim.basket import Basket
from sayso.sim.operating import OPERATE, Operation, Operator, answered
from sayso.sim.pointing import POINT, Pointer
from sayso.sim.pouring import POUR, Pourer
from sayso.sim.robot_body import FOLDED
from sayso.sim.wiping import WIPE, StainsInMujoco, Wiper
from sayso.sim.world import World
from sayso.types import FloatArray

GripCommand = Literal["grasp", "release", "hand_over"]
READ, STOP = "read", "stop"  # what it holds; let go of a handle
READ_BASKET, STOW, UNSTOW = "read_basket", "stow", "unstow"  # what is in the basket; the last is followed by an object
SPIRAL = 60  # spots tried around the target to set an object down
BESIDE = 0.02  # m between the hulls of two objects side by side
PERSON_REACH = 0.8  # m: the largest distance of a person's hand from the target of a hand-over
BELOW = 0.3  # m: the largest height difference between the target and the surface to set something down on
BESIDE_HAND = 0.13  # m between two objects that one person holds


class Gripper:
    """A magnet on an arm, with the object it holds and the objects given to people. `rng` is the only source of chance."""

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self.holding = ""  # id of the object in the gripper
        self.given: dict[str, str] = {}  # object → person who holds it
        self._world, self._rng = world, rng
        self._arm = Arm(world.model, world.data)
        self._welds = Welds(world.model, world.data, world.scene.objects)
        self._arm.snap(FOLDED)
        self._operator = Operator(world, self._arm, OperatedInMujoco(world.scene, world.model, world.data), self._fails)
        self.basket = Basket(world, self._arm, self._welds, self._fails)
        self._pourer = Pourer(world, self._arm, self._welds, self._fails, lambda: self._operator.period)
        self._wiper = Wiper(world, self._arm, StainsInMujoco(world.model), self._fails, lambda: self._operator.period)
        self._pointer = Pointer(world, self._arm, self._fails, lambda: self._operator.period)

    def let_go(self, object_id: str) -> None:
        """Release the object from the gripper or the person that holds it."""
        self._welds.let_go(object_id)
        self.given.pop(object_id, None)
        self.basket.take_off(object_id)
        if self.holding == object_id:
            self.holding = ""

    def reset(self, rng: np.random.Generator) -> None:
        """Forget the held object and the objects handed over."""
        for object_id in self._world.scene.objects:
            self.let_go(object_id)
        self._rng = rng
        self._operator.reset()
        self._wiper.reset()
        self._pourer.contents.reset()
        self._pointer.reset()
        self._arm.snap(FOLDED)

    @property
    def busy(self) -> bool:
        """Whether it opens, wipes, pours or points."""
        return self._operator.busy

    def advance(self, seconds: float) -> None:
        """Advance the arm's motion by that many seconds."""
        self._arm.advance(seconds)
        self._operator.advance(seconds)

    def request(self, command: str, target: Point3) -> Operation:
        """Carry out a srv/Grip request whose result may take a while: also "open", "close", "switch_on", "switch_off", "wipe", "pour",
        "point", "stop", and those of the basket: "stow", "unstow red_cup", "read_basket".

        Args:
            command: what to do.
            target: m, map frame.

        Returns:
            The result, done at once for what `grip` can do.
        """
        if command == STOP:
            self._operator.stop()
            return answered((True, ""))
        if command in OPERATE:
            return self._operator.begin(command, target, self.holding)
        if command == WIPE:
            return self._operator.run(self._wiper.wipe(target, self.holding))
        if command == POUR:
            return self._operator.run(self._pourer.pour(self.holding, self._at(target)))
        if command == POINT:
            return self._operator.run(self._pointer.point(target, self.holding))
        if command == READ_BASKET:
            return answered((True, ", ".join(self.basket.contents)))
        if command == STOW:
            return self._operator.run(self.basket.stow(self.holding, lambda: self.let_go(self.holding)))
        if command.startswith(f"{UNSTOW} "):
            return self._operator.run(self.basket.unstow(command.removeprefix(f"{UNSTOW} "), self.holding, self._take))
        return answered(self.grip(command, target))

    def facts(self) -> tuple[str, ...]:
        """What is true of doors, drawers and appliances, of furniture that has stains, and what was poured and pointed at, as literals."""
        return (*self._operator.operated.facts(), *self._wiper.facts(), *self._pourer.contents.facts(), *self._pointer.facts())

    def grip(self, command: str, target: Point3) -> tuple[bool, str]:
        """Carry out a srv/Grip request: grasp the object at the target, set it down there, or hand it to the person there.

        Args:
            command: "grasp", "release", "hand_over", or "read": the message is then the object in the gripper, empty for none.
            target: m, map frame.

        Returns:
            Whether it succeeded, and the result or the reason in one line.
        """
        if command == READ:
            return True, self.holding
        if command not in get_args(GripCommand):
            return False, f"'{command}' is not a gripper command: {', '.join((*get_args(GripCommand), *OPERATE, WIPE, POUR, POINT))}"
        if not np.isfinite(target).all():
            return False, "the target is not a point"
        x, y, *_ = self._world.odometry
        distance, reach = hypot(target[0] - x, target[1] - y), self._world.scene.gripper.reach
        if distance > reach:
            return False, f"the target is {distance:.2f} m away, the arm reaches {reach:g} m"
        if command == "grasp":
            return self._grasp(target)
        if not self.holding:
            return False, "the gripper is empty"
        return self._release(target) if command == "release" else self._hand_over(target)

    def _fails(self, command: str) -> bool:
        return bool(self._rng.random() < {str(name): p for name, p in self._world.scene.gripper.fails.items()}.get(command, 0.0))

    @property
    def contents(self) -> dict[str, float]:
        """Vessel → ml in it."""
        return self._pourer.contents.left

    def _at(self, target: Point3) -> str:
        """The object at the target that is not in the gripper; empty if there is none."""
        point = np.array(target)
        others = [name for name in self._world.scene.objects if name != self.holding]
        near = {name: hull_distance(self._world.scene, name, point, *self._world.foot(name)) for name in others}
        # If several hulls touch the target, take the one whose middle is nearest.
        taken = min(near, key=lambda name: (near[name], float(np.linalg.norm(self._world.middle(name) - point))), default="")
        return taken if taken and near[taken] <= self._world.scene.gripper.radius else ""

    def _grasp(self, target: Point3) -> tuple[bool, str]:
        if self.holding:
            return False, f"the gripper holds {self.holding} already"
        taken = self._at(target)
        if not taken:
            return False, f"nothing is within {100 * self._world.scene.gripper.radius:g} cm of the target"
        if self._fails("grasp"):
            return False, "it slipped out of the gripper"
        middle = self._world.middle(taken)
        if reason := self._operator.shut_in((middle[0], middle[1], middle[2])):
            return False, reason
        self._stretch_to((middle[0], middle[1], middle[2]), self._world.scene.hull(taken).radius)
        self._take(taken)
        self._arm.carry()
        return True, f"took {taken}"

    def _take(self, object_id: str) -> None:
        self.let_go(object_id)
        self._welds.hold("hand", object_id)
        self.holding = object_id

    def _release(self, target: Point3) -> tuple[bool, str]:
        held = self.holding
        radius = self._world.scene.hull(held).radius
        surface = surface_at(target, self._world.surfaces)
        if surface is None:
            return False, "there is nothing at the target to set it down on"
        if reason := self._operator.shut_in((*target[:2], surface.top)):
            return False, reason
        others = [name for name in self._world.scene.objects if name not in (held, *self.given, *self.basket.contents)]
        level = [name for name in others if abs(self._world.foot(name)[0][2] - surface.top) < BELOW]
        taken = [(*self._world.middle(name)[:2], self._world.scene.hull(name).radius) for name in level]
        spot = free_spot(target, radius, surface, taken)
        x, y, yaw, *_ = self._world.odometry
        if spot is None or hypot(spot[0] - x, spot[1] - y) > self._world.scene.gripper.reach:
            return False, f"there is no room left within reach on {surface.name}"
        if self._fails("release"):
            return False, "it stuck to the gripper"
        self._stretch_to((*spot, surface.top + self._world.scene.hull(held).half[2]), radius)
        self._put(held, (*spot, surface.top + 0.002), yaw)
        self._arm.fold()
        return True, f"set {held} down on {surface.name}"

    def _hand_over(self, target: Point3) -> tuple[bool, str]:
        held = self.holding
        hands = {person: self._world.hand(person) for person in self._world.scene.people}
        person = min(hands, key=lambda name: float(np.linalg.norm(np.subtract(hands[name], target))), default="")
        if not person or float(np.linalg.norm(np.subtract(hands[person], target))) > PERSON_REACH:
            return False, f"nobody's hand is within {PERSON_REACH:g} m of the target"
        if self._fails("hand_over"):
            return False, f"{person} did not get hold of it"
        spot, facing = self._in_hand(person, sum(holder == person for holder in self.given.values()))
        self._stretch_to(spot, self._world.scene.hull(held).radius)
        self._put(held, spot, facing)
        self._welds.hold("world", held)
        self.given[held] = person
        self._arm.fold()
        return True, f"gave {held} to {person}"

    def carry_along(self, person: str) -> None:
        """Move what the person holds to where their hand is now."""
        for count, held in enumerate(name for name, holder in self.given.items() if holder == person):
            self._world.pose(held, *self._in_hand(person, count))
            self._world.refresh()  # a weld begins from the pose that the thing has
            self._welds.hold("world", held)

    def _in_hand(self, person: str, count: int) -> tuple[Point3, float]:
        """The foot (m) and the yaw (rad) of a thing in the person's hand, beside `count` others that it holds."""
        (x, y, z), facing, aside = self._world.hand(person), self._world.person(person)[2], BESIDE_HAND * count
        return (x - sin(facing) * aside, y + cos(facing) * aside, z), facing

    def _stretch_to(self, point: Point3, radius: float) -> None:
        x, y, yaw, *_ = self._world.odometry
        self._arm.snap(reaching((x, y, yaw), point, short_of=radius))
        self._world.refresh()

    def _put(self, object_id: str, foot: Point3, yaw: float) -> None:
        self.let_go(object_id)
        self._world.pose(object_id, foot, yaw)
        self._world.refresh()


def surface_at(target: Point3, surfaces: tuple[Rectangle, ...]) -> Rectangle | None:
    """The surface at the target, or the floor if the target is low and no furniture stands there."""
    x, y, z = target
    near = [surface for surface in surfaces if surface.distance(x, y) <= 0.1 and abs(surface.top - z) <= BELOW]
    if near:
        return min(near, key=lambda surface: (surface.distance(x, y), abs(surface.top - z)))
    if z > BELOW or any(surface.distance(x, y) == 0.0 for surface in surfaces):
        return None
    return Rectangle("floor", x, y, 0.0, (0.5, 0.5), 0.0, 0.0)


def hull_distance(scene: Scene, object_id: str, point: FloatArray, foot: FloatArray, rotation: FloatArray) -> float:
    """Distance (m) from a point to the hull of an object with that foot (3,) and rotation (3, 3); 0 inside."""
    hull = scene.hull(object_id)
    half = np.array(hull.half)
    own = rotation.T @ (point - foot) - (0.0, 0.0, half[2])
    if hull.box is None:
        return float(hypot(max(hypot(own[0], own[1]) - half[0], 0.0), max(abs(own[2]) - half[2], 0.0)))
    return float(np.linalg.norm(np.maximum(np.abs(own) - half, 0.0)))


def free_spot(target: Point3, radius: float, surface: Rectangle, taken: list[tuple[float, float, float]]) -> tuple[float, float] | None:
    """The free spot on the surface nearest to the target for an object of that radius; None if there is none.

    `taken` is x, y, radius (m) of the objects that stand there already.
    """
    room = [max(half - radius, 0.0) for half in surface.half]
    own_x, own_y = surface.local(target[0], target[1])
    for step in range(SPIRAL):
        # Vogel's spiral: evenly spread spots, nearest first.
        distance, angle = 0.035 * sqrt(step), 2.399963 * step
        x = max(-room[0], min(room[0], own_x + distance * cos(angle)))
        y = max(-room[1], min(room[1], own_y + distance * sin(angle)))
        spot = surface.point(x, y)
        if all(hypot(spot[0] - other[0], spot[1] - other[1]) >= radius + other[2] + BESIDE for other in taken):
            return spot
    return None
