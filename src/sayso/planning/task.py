"""The actions of one sentence, carried out in order: each outcome makes the next task, with the next skill to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.planning.belief import WorldBelief
from sayso.planning.plan import Plan
from sayso.planning.planner import Planner
from sayso.types import Action, Context, PlanState, PlanStatus, SkillCall, SkillOutcome


@dataclass(frozen=True, slots=True)
class Task:
    """Where the carrying out of a sentence stands. Immutable; it is over when `status` is no longer "running"."""

    planner: Planner
    actions: tuple[Action, ...]
    index: int  # of the action that is being carried out
    belief: WorldBelief
    plan: Plan
    done: tuple[SkillCall, ...] = ()  # calls that were run so far, oldest first
    succeeded: tuple[SkillCall, ...] = ()  # those of them that did what they were for: what PlanState says is done

    @classmethod
    def start(cls, planner: Planner, actions: Sequence[Action], context: Context, before: WorldBelief | None = None) -> Task:
        """The task before anything is done; an action whose goal holds already is passed over."""
        belief = planner.begin(actions[0], context, before)
        return cls(planner, tuple(actions), 0, belief, planner(actions[0], belief))._advanced(context)

    @property
    def status(self) -> PlanStatus:
        """Of the whole sentence: it succeeds with its last action and fails with the first one that does."""
        return self.plan.status

    @property
    def next(self) -> SkillCall | None:
        """The skill to run now; None when the task is over."""
        return self.plan.next

    @property
    def reason(self) -> str:
        """One line for a person, once the task is over."""
        return self.plan.reason

    @property
    def action(self) -> Action:
        """The action that is being carried out, or was the last."""
        return self.actions[self.index]

    def after(self, outcome: SkillOutcome, context: Context) -> Task:
        """The task once the outcome of `next` is known."""
        belief = self.belief.after(outcome).located(context)
        done, succeeded = (*self.done, outcome.call), (*self.succeeded, *([outcome.call] if outcome.succeeded else []))
        return replace(self, belief=belief, plan=self.planner(self.action, belief), done=done, succeeded=succeeded)._advanced(context)

    def state(self, utterance_id: str, stamp: float) -> PlanState:
        """The message of it."""
        return self.plan.state(utterance_id, stamp, self.succeeded)

    def ahead(self, context: Context) -> tuple[SkillCall, ...]:
        """What is expected from here to the end of the sentence: the way ahead of every action, each begun where the last one ends."""
        calls: list[SkillCall] = []
        task = self
        while task.next is not None:
            calls.extend(task.plan.ahead)
            belief = task.belief
            for call in task.plan.ahead:
                belief = belief.after(SkillOutcome(call, succeeded=True))
            task = replace(task, belief=belief, plan=task.planner(task.action, belief))._advanced(context)
        return tuple(calls)

    def _advanced(self, context: Context) -> Task:
        task = self
        while task.plan.status == "succeeded" and task.index + 1 < len(task.actions):
            action = task.actions[task.index + 1]
            belief = task.planner.begin(action, context, task.belief)
            task = replace(task, index=task.index + 1, belief=belief, plan=task.planner(action, belief))
        return task
