"""The planner waits while action_selector asks a person which of several things is meant."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from rclpy.task import Future

from sayso.types import ActionBelief, Choice
from sayso_nodes.alive import Waits

ASKED_WITHIN = 5.0  # s for action_selector to ask


class ThingQuestion:
    """One question of a command that is being carried out. action_selector decides how long it stays open."""

    def __init__(self) -> None:
        self._answer: Future = Future()
        self._until = monotonic() + ASKED_WITHIN  # infinite once it is asked

    def decided(self, belief: ActionBelief) -> None:
        """Take a decision on the command: the question, or to go on with what was chosen."""
        self._until = math.inf
        if belief.decision == "execute" and not self._answer.done():
            self._answer.set_result(belief.choices)

    async def answered(self, waits: Waits, is_dropped: Callable[[], bool]) -> tuple[Choice, ...]:
        """The thing that was chosen, then the others; nothing if the command is dropped meanwhile, or if nobody asks."""
        choices, _ = await waits.answer(self._answer, lambda now: "over" if is_dropped() or now > self._until else "")
        return choices or ()
