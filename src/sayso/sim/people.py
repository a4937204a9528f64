"""The simulated people: they stand, walk along a path, or go along with the robot when it asks them to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import atan2, cos, hypot, radians, sin
from typing import Protocol

import numpy as np

from sayso.scene.layout import obstacles
from sayso.scene.scene import Scene
from sayso.types import FloatArray

EARSHOT = 2.5  # m within which a person hears the robot
COME, ARRIVED = "come with me", "here we are"  # what a person understands of the robot's words
BEHIND = 1.0  # m from the robot that a person who goes along keeps
GAP = 0.6  # m: a person goes no nearer to the robot's centre than this
PAST = tuple(side * radians(angle) for angle in (30, 60, 90, 120) for side in (1, -1))  # directions in which they pass the robot
AWAY = (0.0, *PAST)  # directions in which they step back from it
PATIENCE = 1.5  # s in front of the robot, after which they step back …
LETS_PASS = 1.3  # m … this far
ROOM = 0.25  # m from a person's middle to what stands there
HEAD = 1.9  # m: what is higher is in nobody's way
CRUMB = 0.1  # m between the points of the robot's trail
WALKS_FOR, RESTS_FOR = (4.0, 9.0), (1.0, 4.0)  # s: a person who goes along stops now and then


@dataclass
class _Walk:
    """What one person does: the points still to come, m, those that follow them, and whether they are the robot's trail."""

    points: deque[tuple[float, float]]
    pace: float  # m/s
    rounds: tuple[tuple[float, float], ...] = ()
    behind_robot: bool = False
    rests_at: float = 0.0  # s of the walk: when the person stops
    goes_at: float = 0.0  # … and goes on
    blocked: float = 0.0  # s for which the robot has stood in the way
    clock: float = field(default=0.0)  # s since the walk began


class PeopledWorld(Protocol):
    """Where the robot and the people of a scene are, m and rad in the map frame."""

    @property
    def scene(self) -> Scene:
        """What was there at the start."""

    @property
    def at(self) -> tuple[float, float, float]:
        """Where the robot is: x, y, yaw."""

    def person(self, person_id: str) -> tuple[float, float, float]:
        """Where the person stands, and faces: x, y, yaw."""

    def put_person(self, person_id: str, x: float, y: float, yaw: float) -> None:
        """Let the person stand there."""


class Walkers:
    """The people of one world. Time passes in `advance`; `seed` determines all chance."""

    def __init__(self, world: PeopledWorld, seed: int = 0) -> None:
        self._world = world
        self._rng = np.random.default_rng([seed, 1])  # the gripper's chance does not depend on who walks
        self._walks: dict[str, _Walk] = {}
        self._blocks = tuple(each for each in obstacles(world.scene) if each.bottom < HEAD and each.name not in world.scene.people)

    def walk(self, person_id: str, path: FloatArray, then: FloatArray | None = None) -> None:
        """Let the person walk along the (N, 2) points, m, and along those of `then` again and again."""
        points = [(float(x), float(y)) for x, y in path]
        rounds = [(float(x), float(y)) for x, y in ([] if then is None else then)]
        if len(set(rounds)) < 2:  # round and round on one spot would never end
            rounds = []
        self._walks[person_id] = _Walk(deque(points), self._world.scene.people[person_id].pace, tuple(rounds))

    def come_along(self, person_id: str) -> None:
        """Let the person walk behind the robot, on the way that it takes."""
        walk = _Walk(deque([self._robot()[:2]]), self._world.scene.people[person_id].pace, behind_robot=True)
        walk.rests_at = float(self._rng.uniform(*WALKS_FOR))
        self._walks[person_id] = walk

    def stand(self, person_id: str) -> None:
        """Let the person stand still."""
        self._walks.pop(person_id, None)

    def walking(self, person_id: str) -> bool:
        """Whether the person has still somewhere to go."""
        return person_id in self._walks

    def hear(self, text: str) -> None:
        """The robot speaks: whoever is nearest to it comes with it if it asks, and stands still again when it has arrived."""
        said = text.lower()
        if ARRIVED in said:
            self._walks = {name: walk for name, walk in self._walks.items() if not walk.behind_robot}
        x, y, _ = self._robot()
        stand = (name for name, person in self._world.scene.people.items() if person.pose == "standing")  # the others stay where they are
        away = {name: hypot(at[0] - x, at[1] - y) for name in stand for at in [self.places()[name]]}
        nearest = min(away, key=lambda name: away[name], default="")
        if COME in said and nearest and away[nearest] <= EARSHOT:
            self.come_along(nearest)

    def places(self) -> dict[str, tuple[float, float]]:
        """Where everybody is: person → x, y in m."""
        return {name: self._world.person(name)[:2] for name in self._world.scene.people}

    def advance(self, seconds: float) -> tuple[str, ...]:
        """Let time pass; returns who has moved."""
        return tuple(self._moved(seconds)) if self._walks else ()

    def _moved(self, seconds: float) -> Iterator[str]:
        robot = self._robot()
        for name, walk in tuple(self._walks.items()):
            walk.clock += seconds
            if walk.behind_robot and hypot(walk.points[-1][0] - robot[0], walk.points[-1][1] - robot[1]) >= CRUMB:
                walk.points.append(robot[:2])
            if walk.clock < walk.goes_at or (walk.behind_robot and (self._rests(walk) or self._distance(name, robot) <= BEHIND)):
                continue
            if self._stepped(name, walk, walk.pace * seconds, robot):
                yield name
            if not walk.points:
                del self._walks[name]

    def _rests(self, walk: _Walk) -> bool:
        if walk.clock >= walk.rests_at:
            walk.goes_at = walk.clock + float(self._rng.uniform(*RESTS_FOR))
            walk.rests_at = walk.goes_at + float(self._rng.uniform(*WALKS_FOR))
        return walk.clock < walk.goes_at

    def _stepped(self, name: str, walk: _Walk, length: float, robot: tuple[float, float, float]) -> bool:
        """Walk that far (m) towards the next points; nobody walks into the robot."""
        x, y, yaw = self._world.person(name)
        start, whole = (x, y), length
        while walk.points and length > 0.0:
            dx, dy = walk.points[0][0] - x, walk.points[0][1] - y
            rest = hypot(dx, dy)
            step = min(rest, length)
            if rest > 0.0:
                yaw = atan2(dy, dx)
                x, y = x + cos(yaw) * step, y + sin(yaw) * step
            length -= step
            if step < rest or (walk.behind_robot and len(walk.points) == 1):
                break
            walk.points.popleft()
            if not walk.points:
                walk.points.extend(walk.rounds)
        nearer = hypot(x - robot[0], y - robot[1]) < min(hypot(start[0] - robot[0], start[1] - robot[1]), GAP)
        if nearer or walk.blocked > PATIENCE:
            x, y = self._past(walk, start, yaw, whole, robot)
            while len(walk.points) > 1 and hypot(walk.points[0][0] - robot[0], walk.points[0][1] - robot[1]) < GAP:
                walk.points.popleft()  # the robot stands there
        if (x, y) == start:
            return False
        self._world.put_person(name, x, y, yaw)
        return True

    def _past(
        self, walk: _Walk, start: tuple[float, float], yaw: float, length: float, robot: tuple[float, float, float]
    ) -> tuple[float, float]:
        """A step (m) past the robot; for who waits in vain, back, and then they let it pass."""
        if walk.blocked <= PATIENCE:
            there = self._aside(start, yaw, length, robot, PAST)
            walk.blocked = walk.blocked + length / walk.pace if there == start else 0.0
            return there
        away = atan2(start[1] - robot[1], start[0] - robot[0])
        there = self._aside(start, away, length, robot, AWAY)
        if there == start or hypot(there[0] - robot[0], there[1] - robot[1]) > LETS_PASS:
            walk.blocked, walk.goes_at = 0.0, walk.clock + RESTS_FOR[1]
        return there

    def _aside(
        self,
        start: tuple[float, float],
        yaw: float,
        length: float,
        robot: tuple[float, float, float],
        turns: tuple[float, ...],
    ) -> tuple[float, float]:
        """A step (m) in the first of these directions, from `yaw` on, that is on free floor and not into the robot; else none."""
        apart, room = hypot(start[0] - robot[0], start[1] - robot[1]), self._room(*start)
        for turn in turns:
            x, y = start[0] + cos(yaw + turn) * length, start[1] + sin(yaw + turn) * length
            if hypot(x - robot[0], y - robot[1]) >= min(apart, GAP) and self._room(x, y) >= min(room, ROOM):
                return x, y
        return start

    def _room(self, x: float, y: float) -> float:
        """Metres from there to the nearest wall or furniture."""
        return min(block.distance(x, y) for block in self._blocks)

    def _distance(self, name: str, robot: tuple[float, float, float]) -> float:
        x, y, _ = self._world.person(name)
        return hypot(x - robot[0], y - robot[1])

    def _robot(self) -> tuple[float, float, float]:
        return self._world.at
