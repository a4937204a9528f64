"""The gripper at handles and switches: it opens, closes, switches on and off, over time, and says why not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future
from math import hypot
from typing import Literal, get_args

import numpy as np

from sayso.scene.scene import Point3
from sayso.sim.appliances import OPEN, SHUT, Operated
from sayso.sim.arm import reaching
from sayso.sim.handled import ArmControl, HandledWorld, arrived

OperateCommand = Literal["open", "close", "switch_on", "switch_off"]
OPERATE: tuple[OperateCommand, ...] = get_args(OperateCommand)
NEAR = 0.1  # m from the target to the handle or the switch, at most
SECONDS = 2.5  # from closed to open
PRESSING = 0.6  # s that the finger stays on a switch
BEHIND = 0.3  # share by which a part stays behind the hand that pulls it: something is in its way
SETTLING = 2.0  # s for a part to come to its end after the hand has
HEADROOM = 0.4  # m over a shelf
SHORT = 0.02  # m from the fingers to the handle

Answer = tuple[bool, str]
Steps = Generator[None, None, Answer]  # one step a control period


Operation = Future[Answer]  # one request on its way: whether it succeeds, and the result or the reason in one line


def answered(answer: Answer) -> Operation:
    """A request that is over."""
    operation: Operation = Future()
    operation.set_result(answer)
    return operation


class Operator:
    """Carries out one operation at a time, with the arm at the handle. `fails` tells by chance whether a command fails."""

    def __init__(self, world: HandledWorld, arm: ArmControl, operated: Operated, fails: Callable[[OperateCommand], bool]) -> None:
        self.operated = operated
        self._world, self._arm, self._fails = world, arm, fails
        self._steps: Steps | None = None
        self._operation: Operation = Future()
        self.period = 0.0  # s between the last two steps

    def shut_in(self, point: Point3) -> str:
        """Why nothing can be reached there: it is behind a door that is not open; empty if it is not."""
        x, y, z = point
        for shelf in self._world.shelves:
            inside = shelf.distance(x, y) == 0.0 and -NEAR <= z - shelf.top <= HEADROOM
            if inside and self.operated.share(shelf.name) < OPEN:
                return f"{shelf.name} is not open"
        return ""

    def begin(self, command: OperateCommand, target: Point3, holding: str) -> Operation:
        """Begin a srv/Grip request: at the handle that is at the target while its door is closed, or at the switch there.

        Args:
            command: what to do.
            target: m, map frame.
            holding: the object in the gripper, empty for none.
        """
        if not np.isfinite(target).all():
            return answered((False, "the target is not a point"))
        return self.run(self._switching(command, target) if command.startswith("switch") else self._moving(command, target, holding))

    def run(self, steps: Steps) -> Operation:
        """Begin an operation that takes time."""
        if self._steps is not None:
            return answered((False, "the gripper is busy"))
        self._steps = steps
        self._operation = Future()
        self.advance(0.0)  # what cannot be done is answered at once
        return self._operation

    @property
    def busy(self) -> bool:
        """Whether an operation goes on."""
        return self._steps is not None

    def advance(self, seconds: float) -> None:
        """Go on with what was begun for that many seconds."""
        if self._steps is None:
            return
        self.period = seconds
        try:
            next(self._steps)
        except StopIteration as end:
            self._steps = None
            self._operation.set_result(end.value)

    def stop(self) -> None:
        """Let go: a door stays where it is."""
        if self._steps is not None:
            self._steps.close()
            self._steps = None
            self._operation.set_result((False, "stopped"))
            for name in self.operated.fittings:
                self.operated.pull(name, self.operated.share(name))
            self._arm.fold()

    def reset(self) -> None:
        """Give up what was begun, and switch everything off. The world's positions are reset by who calls this."""
        self._steps = None
        self.operated.reset()

    def _moving(self, command: OperateCommand, target: Point3, holding: str) -> Steps:
        fitting = self.operated.nearest_fitting(target, NEAR)
        if fitting is None:
            return False, f"no handle is within {100 * NEAR:.0f} cm of the target"
        name, goal = fitting.name, 1.0 if command == "open" else 0.0
        share = self.operated.share(name)
        if share >= OPEN if goal else share <= SHUT:
            return True, f"{name} is {'open' if goal else 'closed'} already"
        if holding:
            return False, f"the gripper holds {holding}"
        if reason := self._beyond_reach(self.operated.handle(name)):
            return False, reason
        if self._fails(command):
            return False, f"the gripper slipped off the handle of {name}"
        yield from self._reach(self.operated.handle(name))
        moved = yield from self._pulling(name, share, goal)
        self._arm.fold()
        return moved

    def _pulling(self, name: str, hand: float, goal: float) -> Steps:
        """Move the hand from that share to the goal, and the door with it as far as nothing is in its way."""
        settling = SETTLING
        while settling > 0.0:
            way = self.period / SECONDS
            hand += max(-way, min(way, goal - hand))
            settling -= self.period if hand == goal else 0.0
            self.operated.pull(name, hand)
            share, handle = self.operated.share(name), self.operated.handle(name)
            reason = self._beyond_reach(handle) or (f"{name} is stuck: something is in the way" if abs(hand - share) > BEHIND else "")
            if reason:
                self.operated.pull(name, share)
                return False, reason
            if share >= OPEN if goal else share <= SHUT:
                self.operated.pull(name, goal)
                return True, f"{'opened' if goal else 'closed'} {name}"
            self._arm.snap(reaching(self._world.at, handle, short_of=SHORT))
            yield
        return False, f"{name} is stuck: something is in the way"

    def _switching(self, command: OperateCommand, target: Point3) -> Steps:
        name, on = self.operated.nearest_switch(target, NEAR), command == "switch_on"
        state = "on" if on else "off"
        if not name:
            return False, f"no switch is within {100 * NEAR:.0f} cm of the target"
        if self.operated.is_on(name) == on:
            return True, f"{name} is {state} already"
        if reason := self._beyond_reach(self.operated.switches[name]):
            return False, reason
        if self._fails(command):
            return False, f"the finger missed the switch of {name}"
        pressed = PRESSING
        while pressed > 0.0:
            yield from self._reach(self.operated.switches[name])
            yield
            pressed -= self.period
        self.operated.switch(name, on=on)
        self._arm.fold()
        return True, f"switched {name} {state}"

    def _reach(self, point: Point3) -> Generator[None, None, None]:
        """Stretch the arm to a handle or a switch, and wait until it is there."""
        self._arm.snap(reaching(self._world.at, point, short_of=SHORT))
        yield from arrived(self._arm)

    def _beyond_reach(self, point: Point3) -> str:
        x, y, _ = self._world.at
        distance, reach = hypot(point[0] - x, point[1] - y), self._world.scene.gripper.reach
        return f"the handle or switch is {distance:.2f} m away, the arm reaches {reach:g} m" if distance > reach else ""
