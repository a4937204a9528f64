"""The people who can walk in Gazebo: where they are to go is told to motors, which bring them there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import cos, dist, pi, radians, sin

from sayso.gazebo.parts import Send
from sayso.scene.scene import Scene
from sayso.sim.handled import HandledWorld
from sayso.sim.people import Walkers
from sayso.sim.tracker import PersonTracker
from sayso.types import People

ASTRAY = 1.0  # m from where a person was sent, from which on they count from where they are: someone else sent them, or they are stuck
LONGEST = 0.2  # simulated s of one step of a walk, after a pause of the node
AXES = ("x", "y", "turn")  # ahead and to the left of where the person stands and faces in the scene, m, and to the left, rad


def walkers(scene: Scene) -> tuple[str, ...]:
    """Who can walk: who stands in the scene file."""
    return tuple(name for name, figure in scene.people.items() if figure.pose == "standing")


def motor(person_id: str, axis: str) -> str:
    """The name of a person's motor."""
    return f"{person_id}/{axis}"


class PeopleInGazebo:
    """The people of the world: they walk and hear the robot, as in the embedded simulation, and its tracker sees them."""

    def __init__(self, world: HandledWorld, send: Send, set_out: Callable[[Walkers], None], robots: Sequence[str] = ()) -> None:
        """`set_out` lets those walk who walk from the start (strolls.set_out); the tracker sees the other `robots`, too."""
        self._world, self._send, self._set_out, self._robots = world, send, set_out, robots
        self._tracker = PersonTracker(world)
        self.begin()

    def begin(self) -> None:
        """The world begins anew: everybody stands where they are."""
        self._walkers = Walkers(SentPeople(self._world, self._send))
        self._latest: float | None = None  # simulated s

    def advance(self, now: float) -> None:
        """Let those who walk go on to this moment, simulated s.

        Raises:
            SimulationError: at first, if there is no way to one of the places where somebody walks.
        """
        if self._latest is None:
            self._latest = now
            self._set_out(self._walkers)
        passed, self._latest = now - self._latest, now
        if passed > 0.0:
            self._walkers.advance(min(passed, LONGEST))

    def hear(self, text: str) -> None:
        """The robot speaks: who is near may come along, or stand still again."""
        if self._latest is not None:
            self._walkers.hear(text)

    def seen(self, stamp: float) -> People:
        """Whom the robot's tracker sees now (s). Other robots are strangers to it, and nothing hides them."""
        seen = self._tracker(stamp)
        return replace(seen, people={**seen.people, **{name: (*self._world.person(name)[:2], 0.0) for name in self._robots}})


class SentPeople:
    """The people of a world that lets them walk (sim.people.Walkers); `send` tells a motor its position from the start."""

    def __init__(self, world: HandledWorld, send: Send) -> None:
        self._world, self._send = world, send
        self._sent: dict[str, tuple[float, float, float]] = {}

    @property
    def scene(self) -> Scene:
        """What was there at the start."""
        return self._world.scene

    @property
    def at(self) -> tuple[float, float, float]:
        """Where the robot is: x, y (m), yaw (rad)."""
        return self._world.at

    def person(self, person_id: str) -> tuple[float, float, float]:
        """Where the person was sent: x, y (m), yaw (rad). Gazebo's own poses come late, and a step counts from the last one."""
        now = self._world.person(person_id)
        sent = self._sent.get(person_id, now)
        return sent if dist(sent[:2], now[:2]) <= ASTRAY else now

    def put_person(self, person_id: str, x: float, y: float, yaw: float) -> None:
        """Send the person there (m), facing `yaw` (rad), by the shorter turn."""
        before = self.person(person_id)[2]
        self._sent[person_id] = x, y, before + (yaw - before + pi) % (2 * pi) - pi
        figure = self.scene.people[person_id]
        first = radians(figure.yaw)
        dx, dy = x - figure.at[0], y - figure.at[1]
        ahead, aside = dx * cos(first) + dy * sin(first), dy * cos(first) - dx * sin(first)
        for axis, position in zip(AXES, (ahead, aside, self._sent[person_id][2] - first), strict=True):
            self._send(motor(person_id, axis), position)
