"""The interfaces of skills: the robot they drive, the generator type, and how they fail."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from sayso.robot.geometry import Point3, Pose
from sayso.types import Grounding, People

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
GripCommand = Literal[
    "grasp", "release", "hand_over", "open", "close", "switch_on", "switch_off", "wipe", "pour", "point", "stop"
]  # those that skills give with a target


class SkillFailed(Exception):  # noqa: N818 — an outcome, not an error of the program
    """The skill cannot continue; the message is the reason, one plain line for a person."""


class SkillStuck(SkillFailed):
    """The robot does not get on: something that its map does not have may be in the way."""


class SkillInterrupted(SkillFailed):
    """The skill could not run to its end: an object not found so far may still be there."""


@dataclass(frozen=True, slots=True)
class Step:
    """Status and progress, yielded by a skill at every tick."""

    status: str  # one line for a person
    progress: float = 0.0  # in [0, 1]


# A skill runs to its next `yield` at every tick (20 Hz); it never blocks.
Skill = Generator[Step, None, None]
Asking = Generator[Step, None, T]  # a part of a skill that returns a result


class Pending(Protocol[T_co]):
    """A result that is not there yet; `concurrent.futures.Future` is one."""

    def done(self) -> bool:
        """Whether the result is there."""
        ...

    def result(self) -> T_co:
        """The result, once `done`; raises SaysoError if it could not be obtained."""
        ...


class Robot(Protocol):
    """The robot interface that skills need. No call may block."""

    @property
    def stopped(self) -> bool:
        """Whether the motion gate keeps the robot still."""
        ...

    def pose(self) -> Pose | None:
        """The last odometry in the map frame with its time; None before the first."""
        ...

    def drive(self, v: float, w: float) -> None:
        """Set the speed, m/s forwards and rad/s to the left, until the next call."""
        ...

    def grip(self, command: str, target: Point3) -> Pending[tuple[bool, str]]:
        """Call srv/Grip: whether it succeeded, and one line that says why not."""
        ...

    def hand(self) -> Pending[tuple[bool, str]] | None:
        """Whether the gripper can tell what it holds, and the id of the object in it, empty for none; None: it never can."""
        ...

    def ground(self, phrase: str, object_id: str, not_before: float) -> Pending[Grounding]:
        """Find what the phrase points at in the first camera image taken at or after `not_before` (s)."""
        ...

    def people(self) -> People | None:
        """The last report of a person tracker; None: the robot has none, or nothing came from it yet."""
        ...

    def say(self, text: str) -> None:
        """Speak."""
        ...

    def stop(self) -> Pending[tuple[bool, str]]:
        """Close the motion gate: whether it closed, and one line that says why not."""
        ...

    def resume(self) -> Pending[tuple[bool, str]]:
        """Open the motion gate: whether it opened, and one line that says why not, for example a pressed button."""
        ...


class Travel(Protocol):
    """One drive by an external navigator, for example a navigation stack."""

    @property
    def remaining(self) -> float | None:
        """Metres to go, None while unknown."""
        ...

    def done(self) -> bool:
        """Whether the drive is over and the robot at rest."""
        ...

    def result(self) -> str:
        """Once `done`: why the goal was not reached, one plain line; empty if it was reached."""
        ...

    def cancel(self) -> None:
        """Stop driving; no effect once it is over. `done` once the robot is at rest."""
        ...


class Navigator(Protocol):
    """Drives the robot to poses of the map by its own means."""

    def __call__(self, goal: Pose) -> Travel:
        """Start driving to the goal. Does not block; the travel's result reports errors."""
        ...


def part(skill: Asking[T], low: float, high: float) -> Asking[T]:
    """Run a skill as a part of another one: its progress 0 to 1 becomes `low` to `high`."""
    while True:
        try:
            step = next(skill)
        except StopIteration as finished:
            result: T = finished.value
            return result
        yield Step(step.status, low + (high - low) * step.progress)
