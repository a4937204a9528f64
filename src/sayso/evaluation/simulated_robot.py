"""The robot of the embedded simulation for the skills, in one process and as fast as it runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from sayso.robot import Pose
from sayso.robot.geometry import Point3
from sayso.robot.skill import Pending, T
from sayso.sim.simulation import Simulation
from sayso.types import Grounding, Image, People

Grounder = Callable[[Image, str, str], Grounding]


@dataclass
class SimulatedRobot:
    """The robot for the skills, on the embedded simulation, as fast as it runs."""

    simulation: Simulation
    grounder: Grounder
    stopped: bool = False
    tracker: bool = True  # has it a person tracker?
    said: list[str] = field(default_factory=list)
    found: dict[str, Point3] = field(default_factory=dict)  # object → last seen position
    picture: Image | None = None  # the last one

    def pose(self) -> Pose:
        """The robot's pose."""
        x, y, yaw, *_ = self.simulation.odometry
        return Pose(x, y, yaw, self.simulation.time)

    def drive(self, v: float, w: float) -> None:
        """Set the speed."""
        self.simulation.drive(v, w)

    def grip(self, command: str, target: Point3) -> Pending[tuple[bool, str]]:
        """Use the gripper."""
        return self.simulation.request(command, target)

    def hand(self) -> Future[tuple[bool, str]]:
        """Read the gripper."""
        return _done((True, self.simulation.holding))

    def ground(self, phrase: str, object_id: str, not_before: float) -> Future[Grounding]:
        """Ground the phrase in the last picture, or in a new one if that is too old."""
        if self.picture is None or self.picture.stamp < not_before:
            self.picture = self.simulation.render()
        grounding = self.grounder(self.picture, phrase, object_id)
        if grounding.found:
            self.found[object_id] = grounding.point
        return _done(grounding)

    def people(self) -> People | None:
        """The report of the person tracker, now."""
        return self.simulation.people_seen() if self.tracker else None

    def say(self, text: str) -> None:
        """Record a sentence of the robot; people nearby hear it."""
        self.said.append(text)
        self.simulation.people.hear(text)

    def stop(self) -> Future[tuple[bool, str]]:
        """Close the motion gate."""
        self.stopped = True
        self.simulation.drive(0.0, 0.0)
        return _done((True, ""))

    def resume(self) -> Future[tuple[bool, str]]:
        """Open the motion gate."""
        self.stopped = False
        return _done((True, ""))


def _done(answer: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(answer)
    return future
