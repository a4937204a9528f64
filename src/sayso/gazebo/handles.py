"""What the gripper does at furniture in Gazebo, with the steps of the embedded simulation: it opens, closes, switches, wipes and points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sayso.gazebo.magnet import Magnet
from sayso.gazebo.parts import OperatedInGazebo, Send, StainsInGazebo
from sayso.scene.scene import Point3
from sayso.sim.operating import OPERATE, Operation, Operator, answered
from sayso.sim.pointing import POINT, Pointer
from sayso.sim.robot_body import CARRYING, FOLDED, ArmPose
from sayso.sim.wiping import WIPE, Wiper

STOP = "stop"  # let go of a handle
COMMANDS = frozenset({*OPERATE, WIPE, POINT, STOP})


@dataclass
class GazeboArm:
    """The arm's motors in Gazebo, which have a speed of their own."""

    send: Callable[[ArmPose], None]
    reached: Callable[[ArmPose], bool]
    goal: ArmPose = field(default=FOLDED)

    @property
    def there(self) -> bool:
        """Whether the arm is where it was sent."""
        return self.reached(self.goal)

    def move(self, pose: ArmPose) -> None:
        """Send it there."""
        self.goal = pose
        self.send(pose)

    def snap(self, pose: ArmPose) -> None:
        """Send it there: nothing is faster."""
        self.move(pose)

    def carry(self) -> None:
        """Send it to the pose for carrying."""
        self.move(CARRYING)

    def fold(self) -> None:
        """Send it back to the robot's side."""
        self.move(FOLDED)


class Handles:
    """Carries out one of COMMANDS at a time. Nothing fails by chance: in Gazebo, physics decides."""

    def __init__(self, magnet: Magnet, arm: GazeboArm, send: Send) -> None:
        """`send` tells a part of furniture where to go."""
        self.operated = OperatedInGazebo(magnet.scene, send)
        self._magnet = magnet
        self._operator = Operator(magnet, arm, self.operated, _never)
        self._wiper = Wiper(magnet, arm, StainsInGazebo(magnet.scene, send), _never, lambda: self._operator.period)
        self._pointer = Pointer(magnet, arm, _never, lambda: self._operator.period)
        magnet.shut_in = self._operator.shut_in

    def request(self, command: str, target: Point3) -> Operation:
        """Begin one of COMMANDS at a point of the map, m."""
        holding = self._magnet.holding
        if command == STOP:
            self.stop()
            return answered((True, ""))
        if self._magnet.robot is None:
            return answered((False, "nothing has been heard from Gazebo yet: is the bridge running?"))
        if command == WIPE:
            return self._operator.run(self._wiper.wipe(target, holding))
        if command == POINT:
            return self._operator.run(self._pointer.point(target, holding))
        return self._operator.begin(command, target, holding)  # type: ignore[arg-type]

    def advance(self, seconds: float) -> None:
        """Go on with what was begun for that many simulated seconds."""
        self._operator.advance(seconds)

    def stop(self) -> None:
        """Let go: a door stays where it is."""
        self._operator.stop()

    def reset(self) -> None:
        """The world begins anew."""
        self._operator.stop()
        self._operator.reset()
        self._wiper.reset()
        self._pointer.reset()

    def facts(self) -> tuple[str, ...]:
        """What is true of doors, drawers and appliances, of stains, and what was pointed at, as literals."""
        return (*self.operated.facts(), *self._wiper.facts(), *self._pointer.facts())


def _never(_: str) -> bool:
    return False
