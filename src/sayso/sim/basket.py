"""The tray behind the robot's column: the arm puts things down in its slots, where they ride along, and takes them out again."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import atan2, cos, hypot, sin

from sayso.sim.arm import Arm, Welds
from sayso.sim.handled import arrived
from sayso.sim.operating import Steps
from sayso.sim.robot_body import SLOTS, ArmPose
from sayso.sim.world import World

TRAY = 0.33  # m above the floor
ABOVE = 0.1  # m from the tray to the fingers


class Basket:
    """What is in which slot. `fails` tells by chance whether a command fails."""

    def __init__(self, world: World, arm: Arm, welds: Welds, fails: Callable[[str], bool]) -> None:
        self.slots: list[str] = [""] * len(SLOTS)  # id of the object in each, empty for none
        self._world, self._arm, self._welds, self._fails = world, arm, welds, fails

    @property
    def contents(self) -> tuple[str, ...]:
        """The objects in it."""
        return tuple(filter(None, self.slots))

    def take_off(self, object_id: str) -> None:
        """Note that the object is not in it any more."""
        self.slots = ["" if each == object_id else each for each in self.slots]

    def stow(self, held: str, emptied: Callable[[], None]) -> Steps:
        """Put the held object into a free slot; `emptied` is called when the hand is empty."""
        if not held:
            return False, "the gripper is empty"
        if "" not in self.slots:
            return False, "the basket is full"
        slot = self.slots.index("")
        yield from self._reaching(slot)
        if self._fails("stow"):
            self._arm.carry()
            return False, "it stuck to the gripper"
        x, y, yaw, *_ = self._world.odometry
        dx, dy = SLOTS[slot]
        emptied()
        self._world.pose(held, (x + cos(yaw) * dx - sin(yaw) * dy, y + sin(yaw) * dx + cos(yaw) * dy, TRAY), yaw)
        self._world.refresh()
        self._welds.hold("robot", held)
        self.slots[slot] = held
        self._arm.fold()
        return True, f"put {held} into the basket"

    def unstow(self, wanted: str, held: str, taken: Callable[[str], None]) -> Steps:
        """Take the object out of its slot; `taken` is called when it is in the hand."""
        if held:
            return False, f"the gripper holds {held} already"
        if wanted not in self.contents:
            return False, f"there is no {wanted} in the basket"
        yield from self._reaching(self.slots.index(wanted))
        if self._fails("unstow"):
            self._arm.fold()
            return False, "it slipped out of the gripper"
        taken(wanted)
        self._arm.carry()
        return True, f"took {wanted}"

    def _reaching(self, slot: int) -> Generator[None, None, None]:
        """Move the arm to the slot at its own speed."""
        dx, dy = SLOTS[slot]
        self._arm.move(ArmPose(atan2(dy, dx), TRAY + ABOVE, max(hypot(dx, dy), 0.12)))
        yield from arrived(self._arm)
