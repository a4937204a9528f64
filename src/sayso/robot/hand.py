"""What the gripper holds or the basket has, as they tell: after a restart or a failed grasp the robot's belief may be wrong."""

from __future__ import annotations

from collections.abc import Callable

from sayso.errors import SaysoError
from sayso.robot.skill import Pending

EVERY = 2.0  # s between two readings while the robot is idle
WITHIN = 2.0  # s for an answer; after that, the belief counts until the next reading
ENDS_WITHIN = 15.0  # s for a command to the gripper to end before it is read


class HandReading:
    """Asks the robot, and gives the answer once. A robot that cannot tell is not asked."""

    def __init__(self, ask: Callable[[], Pending[tuple[bool, str]] | None]) -> None:
        """`ask` begins a reading, or gives None if there can be none."""
        self._ask = ask
        self._asked = float("-inf")  # s, ROS time
        self._pending: Pending[tuple[bool, str]] | None = None
        self._ending: Pending[tuple[bool, str]] | None = None  # a command that may still change what it holds
        self._forgot = 0.0  # s, ROS time
        self.needed = True  # nothing is known: a skill waits for the answer

    def read(self, now: float, *, idle: bool) -> str | None:
        """The object in the gripper, "" for none; None if there is no news. Call it with every tick."""
        if self._pending is not None:
            return self._answer(now)
        if self._ending is not None and not self._ending.done() and 0.0 <= now - self._forgot < ENDS_WITHIN:
            return None
        self._ending = None
        due = self.needed or (idle and not 0.0 <= now - self._asked < EVERY)
        if due:
            self._pending, self._asked = self._ask(), now
            self.needed = self._pending is not None and self.needed
        return None

    def forget(self, now: float, ending: Pending[tuple[bool, str]] | None = None) -> None:
        """What is known counts no more, and an answer on its way is out of date. It is read again once the command `ending` has ended."""
        self._pending, self._ending, self._forgot, self.needed = None, ending, now, True

    def begin(self) -> None:
        """A skill begins, and may use the gripper: an answer on its way would be out of date."""
        if not self.needed:
            self._pending = None

    def _answer(self, now: float) -> str | None:
        assert self._pending is not None
        if not self._pending.done():
            if not 0.0 <= now - self._asked < WITHIN:
                self._pending, self.needed = None, False
            return None
        pending, self._pending, self.needed = self._pending, None, False
        try:
            told, held = pending.result()
        except SaysoError:  # no gripper is there
            return None
        return held if told else None
