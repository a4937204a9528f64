"""The plan for one action: the next skill and the expected ones after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sayso.types import Action, PlanState, PlanStatus, SkillCall


@dataclass(frozen=True, slots=True)
class Plan:
    """The next skill for one action, and the expected ones after it."""

    action: Action
    status: PlanStatus  # running while there is a next skill
    ahead: tuple[SkillCall, ...] = ()  # the most probable path to the goal under the policy; [0] is next
    value: float = 0.0  # V(s), expected discounted reward from here
    bound: float = math.inf  # no policy is worth more
    p_done: float = math.nan  # P(the action will be carried out) from here; nan once it is over
    reason: str = ""  # one line for a person, if the status is not running
    lacking: tuple[str, ...] = ()  # skills that nobody serves and without which there is no way, if it failed for that

    @property
    def next(self) -> SkillCall | None:
        """The skill to run now; None when the action is over."""
        return self.ahead[0] if self.ahead else None

    def state(self, utterance_id: str, stamp: float, done: tuple[SkillCall, ...] = ()) -> PlanState:
        """The PlanState message."""
        return PlanState(utterance_id, stamp, str(self.action), self.status, done, self.ahead, self.value, self.bound, self.p_done)
