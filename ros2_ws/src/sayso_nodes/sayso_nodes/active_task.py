"""What the planner carries out now."""

from __future__ import annotations

import math
from time import monotonic
from typing import Any

from sayso.types import ActionBelief, SkillCall


class ActiveTask:
    """An utterance that is being carried out."""

    def __init__(self, belief: ActionBelief, *, still: bool) -> None:
        self.belief = belief
        self.still = still  # it needs no motion at all
        self.dropped = ""  # why it was dropped; empty: it was not
        self.dropped_at = math.inf  # steady s
        self.goal: Any = None  # handle of the running skill
        self.call: SkillCall | None = None  # the running skill

    def started(self, goal: Any) -> None:
        """Note the running skill; cancel it if the task was dropped while the goal was on its way."""
        self.goal = goal
        if self.dropped:
            goal.cancel_goal_async()

    def drop(self, reason: str) -> None:
        """Cancel the running skill and start no other."""
        if not self.dropped:
            self.dropped, self.dropped_at = reason, monotonic()
        if self.goal is not None:
            self.goal.cancel_goal_async()
