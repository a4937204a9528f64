"""What the planner carries out now."""

from __future__ import annotations

import math
from time import monotonic
from typing import TYPE_CHECKING, Any

from sayso.types import ActionBelief, Choice, Context, SkillCall
from sayso_nodes.alive import Waits
from sayso_nodes.nodes.thing_question import ThingQuestion

if TYPE_CHECKING:
    from sayso.planning import Task


class ActiveTask:
    """An utterance that is being carried out."""

    def __init__(self, belief: ActionBelief, *, still: bool) -> None:
        self.belief = belief
        self.still = still  # it needs no motion at all
        self.dropped = ""  # why it was dropped; empty: it was not
        self.dropped_at = math.inf  # steady s
        self.task: Task | None = None  # its plan; None: not yet planned
        self.out_of_charge = ""  # a sentence for the person, if the battery ended it
        self.goal: Any = None  # handle of the running skill
        self.call: SkillCall | None = None  # the running skill
        self.question: ThingQuestion | None = None  # for whose answer it waits
        self.choices: dict[str, tuple[Choice, ...]] = {}  # theme → the thing that a person has chosen for it, then the others

    def started(self, goal: Any) -> None:
        """Note the running skill; cancel it if the task was dropped while the goal was on its way."""
        self.goal = goal
        if self.dropped:
            goal.cancel_goal_async()

    async def chosen_for(self, theme: str, waits: Waits) -> bool:
        """Wait until a person has chosen which thing the theme is. False if the task is dropped meanwhile, or nobody asks them."""
        self.question = ThingQuestion()
        choices = await self.question.answered(waits, lambda: bool(self.dropped))
        self.question = None
        if choices:
            self.choices[theme] = choices
        return bool(choices)

    def check_charge(self, situation: Context) -> None:
        """Drop it if the battery's charge no longer suffices."""
        if self.task is not None and not self.dropped:
            self.out_of_charge = self.task.out_of_charge(situation)
            if self.out_of_charge:
                self.drop(self.out_of_charge)

    def drop(self, reason: str) -> None:
        """Cancel the running skill and start no other."""
        if not self.dropped:
            self.dropped, self.dropped_at = reason, monotonic()
        if self.goal is not None:
            self.goal.cancel_goal_async()
