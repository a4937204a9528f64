"""What an operation at furniture needs of a world and of an arm. The embedded simulation and Gazebo both offer it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from sayso.scene.layout import Rectangle
from sayso.scene.scene import Scene
from sayso.sim.robot_body import ArmPose
from sayso.types import FloatArray


class HandledWorld(Protocol):
    """Where the robot, the things and the people of a scene are, m and rad in the map frame."""

    @property
    def scene(self) -> Scene:
        """What was there at the start."""

    @property
    def surfaces(self) -> tuple[Rectangle, ...]:
        """Where things can stand."""

    @property
    def shelves(self) -> tuple[Rectangle, ...]:
        """Those of them that are behind doors."""

    @property
    def at(self) -> tuple[float, float, float]:
        """Where the robot is: x, y, yaw."""

    @property
    def fingers(self) -> FloatArray:
        """(3,), the end of the arm."""

    def foot(self, object_id: str) -> tuple[FloatArray, FloatArray]:
        """The object's foot (3,) and its rotation (3, 3)."""

    def middle(self, object_id: str) -> FloatArray:
        """(3,), the middle of the object's hull."""

    def person(self, person_id: str) -> tuple[float, float, float]:
        """Where the person stands, and faces: x, y, yaw."""


class ArmControl(Protocol):
    """Moves the arm's joints."""

    @property
    def there(self) -> bool:
        """Whether the last motion is over."""

    def snap(self, pose: ArmPose) -> None:
        """Move to that pose as fast as the simulator can."""

    def move(self, pose: ArmPose) -> None:
        """Move to that pose at the arm's own speed."""

    def carry(self) -> None:
        """Move to the pose for carrying."""

    def fold(self) -> None:
        """Move back to the robot's side."""


def arrived(arm: ArmControl) -> Iterator[None]:
    """Wait, step by step, until the arm's motion is over."""
    while not arm.there:
        yield
