"""For unit tests of the skills: a small home, and a kinematic robot whose camera and gripper are computed from geometry.

Only these tests use it; tests in the simulation use the real camera, grounder and gripper.
"""

from __future__ import annotations

import math
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.domain import Domain, load_domain
from sayso.robot import Pose, RobotMap, SkillRunner
from sayso.robot.geometry import wrap
from sayso.scene.scene import Area, Figure, Floor, Part, Placed, RobotStart, Room, Scene, Shape, Wall
from sayso.types import Candidate, Grounding, People, SkillCall, SkillOutcome

TICK = 0.05  # s

_PLACES = {
    "west": {"kind": "room", "pose": (1.5, 2.0, 0.0)},
    "east": {"kind": "room", "pose": (5.5, 2.0, 0.0)},
    "cell": {"kind": "room", "pose": (8.5, 2.0, 0.0)},
    "dock": {"kind": "spot", "inside": "west", "pose": (0.5, 2.0, math.pi)},
    "counter": {"inside": "east", "pose": (6.4, 2.0, 0.0), "surface": True},
    "low_table": {"inside": "west", "pose": (3.2, 1.05, -math.pi / 2), "surface": True},
    "stool": {"inside": "west", "pose": (2.0, 0.9, -math.pi / 2)},
}


def small_domain() -> Domain:
    """The default home's language with the places, objects and people of the small home."""
    data = load_domain().model_dump()
    data |= {
        "name": "small home",
        "speaker": "anna",
        "places": _PLACES,
        "people": {"anna": {"names": ["anna"]}, "ben": {"names": ["ben"]}},
        "objects": {"red_cup": {"names": ["red cup"], "category": "cup"}, "ball": {"names": ["ball"], "category": "ball"}},
    }
    return Domain.model_validate(data)


def small_scene() -> Scene:
    """Three rooms in a row, 4 m deep: west and east are joined by a door of 0.9 m; the third has no door."""
    floor = Floor(colors=("#808080", "#808080"))
    block = Part(box=(0.6, 1.6, 0.9), at=(0.0, 0.0, 0.45), color="#808080")
    return Scene(
        name="small home",
        shapes={
            "counter": Shape(size=(0.6, 1.6, 0.9), parts=(block,), areas=(Area(x=(-0.3, 0.3), y=(-0.8, 0.8), z=0.9),)),
            "low_table": Shape(size=(0.4, 0.8, 0.4), parts=(block,), areas=(Area(x=(-0.2, 0.2), y=(-0.4, 0.4), z=0.4),)),
            "stool": Shape(size=(0.4, 0.4, 0.5), parts=(block,)),
            "person": Shape(size=(0.4, 0.5, 1.7), parts=(block,), hand=(0.4, 0.0, 0.9)),
        },
        rooms={
            "west": Room(area=(0, 0, 4, 4), floor=floor),
            "east": Room(area=(4, 0, 8, 4), floor=floor),
            "cell": Room(area=(8, 0, 9, 4), floor=floor),
        },
        walls=(
            Wall(start=(0, 0), end=(9, 0)),
            Wall(start=(0, 4), end=(9, 4)),
            Wall(start=(0, 0), end=(0, 4)),
            Wall(start=(9, 0), end=(9, 4)),
            Wall(start=(4, 0), end=(4, 4), openings=((2.6, 3.5),)),
            Wall(start=(8, 0), end=(8, 4)),
        ),
        furniture={
            "counter": Placed(shape="counter", at=(7.5, 2.0), yaw=180),
            "low_table": Placed(shape="low_table", at=(3.2, 0.5), yaw=90),
            "stool": Placed(shape="stool", at=(2.0, 0.3), yaw=90),
        },
        objects={},
        people={"anna": Figure(at=(0.8, 3.2), yaw=0)},
        robot=RobotStart(at=(1.5, 2.0)),
    )


@dataclass
class Slow:
    """An answer of the gripper that comes at a time of the robot's, or never."""

    robot: KinematicRobot
    at: float
    answer: tuple[bool, str]

    def done(self) -> bool:
        return self.robot.time >= self.at

    def result(self) -> tuple[bool, str]:
        assert self.done()
        return self.answer


@dataclass
class KinematicRobot:
    """Drives exactly as commanded; its view is 60° wide and 4 m deep; its gripper reaches 6 cm."""

    x: float = 1.5
    y: float = 2.0
    yaw: float = 0.0
    things: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    stopped: bool = False
    jammed: bool = False
    silent: bool = False  # grounder, gripper and motion gate never answer
    in_hand: str | None = None  # what the gripper tells that it holds; None: it cannot tell
    gripping: float = 0.0  # s that a grip takes
    answers_lost: bool = False  # grips are done, and never answered
    before: str | None = None  # what it held before the last grip
    in_hand_since: float = 0.0  # when that grip ends
    held: str = ""  # why the motion gate does not open
    odometry_until: float = math.inf
    misleading: list[tuple[float, float, float]] = field(default_factory=list)  # false results of the next looks
    gripped: list[tuple[str, tuple[float, float, float]]] = field(default_factory=list)
    confidence: dict[str, float] = field(default_factory=dict)  # of seen things; else 1
    refusals: int = 0  # number of times that the gripper fails first
    seen: dict[str, tuple[float, float, float]] | None = None  # whom the person tracker sees; None: there is none
    tracker_until: float = math.inf
    said: list[str] = field(default_factory=list)
    doubles: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # what else the phrase of that thing fits
    looks: list[float] = field(default_factory=list)  # the yaw at each
    track: list[tuple[float, float]] = field(default_factory=list)
    time: float = 0.0
    delay: int = 0  # ticks until a command reaches the wheels
    on_the_way: list[tuple[float, float]] = field(default_factory=list)
    speeds: tuple[float, float] = (0.0, 0.0)

    def pose(self) -> Pose:
        return Pose(self.x, self.y, self.yaw, min(self.time, self.odometry_until))

    def drive(self, v: float, w: float) -> None:
        self.speeds = v, w

    def grip(self, command: str, target: tuple[float, float, float]) -> Future[tuple[bool, str]] | Slow:
        self.gripped.append((command, target))
        if self.refusals:
            self.refusals -= 1
            slipped = False, "the gripper slipped"
            return Slow(self, self.time + self.gripping, slipped) if self.gripping else self._answer(slipped)
        if command == "grasp":
            near = [name for name, point in self.things.items() if math.dist(point, target) <= 0.06]
            if not near:
                return self._answer((False, "nothing within 6 cm of the target"))
            del self.things[near[0]]
        if self.in_hand is not None:
            self.in_hand, self.before, self.in_hand_since = near[0] if command == "grasp" else "", self.in_hand, self.time + self.gripping
        if self.gripping:
            return Slow(self, math.inf if self.answers_lost else self.time + self.gripping, (True, ""))
        return self._answer((True, ""))

    def hand(self) -> Future[tuple[bool, str]] | None:
        now = self.in_hand if self.time >= self.in_hand_since else self.before
        return None if now is None else self._answer((True, now))

    def ground(self, phrase: str, object_id: str, not_before: float) -> Future[Grounding]:
        assert not_before <= self.time
        self.looks.append(self.yaw)
        point = self.misleading.pop(0) if self.misleading else self.things.get(object_id)
        bearing = self.pose().bearing(point[:2]) if point else math.pi
        found = point is not None and (abs(bearing) < math.radians(30) and self.pose().distance(point[:2]) < 4.0)
        point = point or (math.nan, math.nan, math.nan)
        sure = self.confidence.get(object_id, 1.0) if found else 0.0
        grounding = Grounding("", self.time, object_id, phrase, np.ones((1, 1)), 0.0, sure, found, point=point)
        if found and object_id in self.doubles:
            both = [Candidate(0.5, (0.0, 0.0), (0.0, 0.0, 1.0, 1.0), each) for each in (point, self.doubles[object_id])]
            grounding = replace(grounding, candidates=tuple(both), options=("the left one", "the right one"))
        return self._answer(grounding)

    def _answer(self, result):
        future: Future = Future()
        if not self.silent:
            future.set_result(result)
        return future

    def people(self) -> People | None:
        return None if self.seen is None else People(min(self.time, self.tracker_until), self.seen)

    def say(self, text: str) -> None:
        self.said.append(text)

    def stop(self) -> Future[tuple[bool, str]]:
        self.stopped = not self.silent
        return self._answer((True, ""))

    def resume(self) -> Future[tuple[bool, str]]:
        if self.held:
            return self._answer((False, f"still stopped: {self.held}"))
        self.stopped = self.stopped and self.silent
        return self._answer((True, ""))

    def advance(self) -> None:
        """Move like a unicycle for one tick."""
        self.on_the_way.append(self.speeds)
        v, w = self.on_the_way.pop(0) if len(self.on_the_way) > self.delay else (0.0, 0.0)
        if self.jammed or self.stopped:
            v = w = 0.0
        middle = self.yaw + w * TICK / 2
        self.x += v * math.cos(middle) * TICK
        self.y += v * math.sin(middle) * TICK
        self.yaw = wrap(self.yaw + w * TICK)
        self.time += TICK
        self.track.append((self.x, self.y))


def run(runner: SkillRunner, robot: KinematicRobot, name: str, within: float = 120.0, **arguments: str) -> SkillOutcome:
    """Run one skill to its end."""
    runner.start(SkillCall(name, tuple(sorted(arguments.items()))))
    deadline = robot.time + within
    while robot.time < deadline:
        outcome = runner.tick(robot.time)
        if outcome is not None:
            return outcome
        robot.advance()
    raise AssertionError(f"{name} is not over after {within} s: {runner.status}")


def small_map() -> RobotMap:
    return RobotMap.from_scene(small_scene(), small_domain())


def at_home(**state) -> tuple[SkillRunner, KinematicRobot]:
    """A runner and its robot in the small home."""
    robot = KinematicRobot(**state)
    return SkillRunner(small_map(), robot), robot
