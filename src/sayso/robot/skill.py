"""What a skill is made of: the robot it drives, the generator it is, and how it fails."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from sayso.robot.geometry import Point3, Pose
from sayso.types import Grounding

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
GripCommand = Literal["grasp", "release", "hand_over"]


class SkillFailed(Exception):  # noqa: N818 — an outcome, not an error of the program
    """The skill cannot go on; the message is the reason, one plain line for a person."""


class SkillInterrupted(SkillFailed):
    """The skill could not be carried out to its end: what it has not found out so far is not known."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a skill yields at every tick."""

    status: str  # one line for a person
    progress: float = 0.0  # in [0, 1]


# A skill runs up to its next `yield` at every tick of 20 Hz; it never waits for anything itself.
Skill = Generator[Step, None, None]
Asking = Generator[Step, None, T]  # a part of a skill that finds something out


class Pending(Protocol[T_co]):
    """An answer that is still to come; `concurrent.futures.Future` is one."""

    def done(self) -> bool:
        """Is the answer there?"""
        ...

    def result(self) -> T_co:
        """The answer, once `done`; raises SaysoError where it could not be had."""
        ...


class Robot(Protocol):
    """What the skills need of a robot. No call may block."""

    @property
    def stopped(self) -> bool:
        """Does the motion gate keep the robot still?"""
        ...

    def pose(self) -> Pose | None:
        """The last odometry in the map frame with the time it was taken; None before the first."""
        ...

    def drive(self, v: float, w: float) -> None:
        """Wanted speed, m/s forwards and rad/s to the left, kept until the next call."""
        ...

    def grip(self, command: GripCommand, target: Point3) -> Pending[tuple[bool, str]]:
        """What srv/Grip does: whether it worked, and a line that says why not."""
        ...

    def ground(self, phrase: str, object_id: str, not_before: float) -> Pending[Grounding]:
        """Find what the phrase points at in the first camera image taken at or after `not_before` (s)."""
        ...

    def say(self, text: str) -> None:
        """Speak."""
        ...

    def stop(self) -> Pending[tuple[bool, str]]:
        """Close the motion gate: whether it did, and a line that says why not."""
        ...

    def resume(self) -> Pending[tuple[bool, str]]:
        """Open the motion gate: whether it did, and a line that says why not, a button that is held down for one."""
        ...


class Travel(Protocol):
    """One drive that somebody else steers: a navigation stack, for one."""

    @property
    def remaining(self) -> float | None:
        """Metres to go, None while that is not known."""
        ...

    def done(self) -> bool:
        """Is it over, and the robot at rest?"""
        ...

    def result(self) -> str:
        """Why the goal was not reached, one plain line; empty where it was. Once `done`."""
        ...

    def cancel(self) -> None:
        """Go no further; nothing where it is over. `done` once the robot is at rest."""
        ...


class Navigator(Protocol):
    """Drives the robot to poses of the map by means of its own."""

    def __call__(self, goal: Pose) -> Travel:
        """Set out for the goal. Does not block; whatever is wrong, the travel's result says."""
        ...


def part(skill: Asking[T], low: float, high: float) -> Asking[T]:
    """The same skill as a part of another one: its progress from 0 to 1 becomes `low` to `high`."""
    while True:
        try:
            step = next(skill)
        except StopIteration as finished:
            result: T = finished.value
            return result
        yield Step(step.status, low + (high - low) * step.progress)
