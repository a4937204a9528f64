"""The actions of one sentence, executed in order: each outcome gives the next task, with the next skill to run.

The members of a plural, "bring me the milk and the bread", are independent: if one cannot be done, the others are, and the reason is told
in the end. Any other action that fails ends the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.planning.belief import WorldBelief
from sayso.planning.plan import Plan
from sayso.planning.planner import Planner
from sayso.types import Action, Context, PlanState, PlanStatus, SkillCall, SkillOutcome


@dataclass(frozen=True, slots=True)
class Task:
    """The execution state of a sentence. Immutable; it ends when `status` is no longer "running"."""

    planner: Planner
    actions: tuple[Action, ...]
    index: int  # of the current action
    belief: WorldBelief
    plan: Plan
    done: tuple[SkillCall, ...] = ()  # calls run so far, oldest first
    succeeded: tuple[SkillCall, ...] = ()  # the successful ones, reported as done in PlanState
    missed: tuple[str, ...] = ()  # why members of a plural were not done

    @classmethod
    def start(cls, planner: Planner, actions: Sequence[Action], context: Context, before: WorldBelief | None = None) -> Task:
        """The initial task; skips actions whose goal already holds. It has failed if the robot lacks a skill for any of the actions."""
        belief = planner.begin(actions[0], context, before)
        task = cls(planner, tuple(actions), 0, belief, planner(actions[0], belief))._advanced(context)
        if planner.complete:
            return task
        declined = (replace(each, belief=task.belief) for each in task._rehearsed(context) if each.plan.lacking)
        return next(declined, task)

    @property
    def status(self) -> PlanStatus:
        """Status of the whole sentence: it succeeds with its last action, if no member of a plural was missed on the way."""
        return "failed" if self.missed and self.plan.status == "succeeded" else self.plan.status

    @property
    def next(self) -> SkillCall | None:
        """The skill to run now; None when the task is over."""
        return self.plan.next

    @property
    def reason(self) -> str:
        """One line for a person, once the task is over."""
        if self.missed and self.plan.status == "succeeded":
            return f"{' '.join(self.missed)} The rest is done."
        return " ".join((*self.missed, self.plan.reason))

    @property
    def action(self) -> Action:
        """The current action, or the last one."""
        return self.actions[self.index]

    def after(self, outcome: SkillOutcome, context: Context) -> Task:
        """The task after the outcome of `next`."""
        belief = self.belief.after(outcome).surveyed(outcome, context).located(context)
        done, succeeded = (*self.done, outcome.call), (*self.succeeded, *([outcome.call] if outcome.succeeded else []))
        return replace(self, belief=belief, plan=self.planner(self.action, belief), done=done, succeeded=succeeded)._advanced(context)

    def state(self, utterance_id: str, stamp: float) -> PlanState:
        """The PlanState message; once the task is over, with what it believes."""
        believed = () if self.next else tuple(self.belief.objects.values())
        return replace(self.plan.state(utterance_id, stamp, self.succeeded), status=self.status, believed=believed)

    def ahead(self, context: Context) -> tuple[SkillCall, ...]:
        """The expected skill calls to the end of the sentence, each action planned from where the previous one ends."""
        return tuple(call for task in self._rehearsed(context) for call in task.plan.ahead)

    def _rehearsed(self, context: Context) -> Iterator[Task]:
        """This task, and what it becomes at each of the following actions if all goes as expected."""
        task = self
        yield task
        while task.next is not None:
            belief = task.belief
            for call in task.plan.ahead:
                belief = belief.after(SkillOutcome(call, succeeded=True))
            task = replace(task, belief=belief, plan=task.planner(task.action, belief))._advanced(context)
            yield task

    def _advanced(self, context: Context) -> Task:
        task = self
        while task.index + 1 < len(task.actions) and (task.plan.status == "succeeded" or task._goes_on):
            missed = task.missed if task.plan.status == "succeeded" else (*task.missed, task.plan.reason)
            action = task.actions[task.index + 1]
            belief = task.planner.begin(action, context, task.belief)
            task = replace(task, index=task.index + 1, belief=belief, plan=task.planner(action, belief), missed=missed)
        return task

    @property
    def _goes_on(self) -> bool:
        """Whether the failed action and the next one are members of a plural; what the robot lacks a skill for, it can do for none."""
        return self.plan.status == "failed" and not self.plan.lacking and are_members(self.action, self.actions[self.index + 1])


def are_members(one: Action, other: Action) -> bool:
    """Whether two actions are the same with different things: "the milk and the bread"."""
    mine, theirs = dict(one.arguments), dict(other.arguments)
    differing = {role for role in mine | theirs if mine.get(role) != theirs.get(role)}
    return one.name == other.name and differing == {"theme"}
