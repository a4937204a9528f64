"""The actions of one sentence, executed in order: each outcome gives the next task, with the next skill to run.

The members of a plural, "bring me the milk and the bread", are independent: if one cannot be done, the others are, and the reason is told
in the end. Any other action that fails ends the sentence. A robot with a basket does errands that follow each other together; they are
independent like the members of a plural.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.planning.belief import WorldBelief
from sayso.planning.charge import too_low, too_much
from sayso.planning.joint import pursued
from sayso.planning.plan import Plan
from sayso.planning.planner import Planner
from sayso.planning.stores import closing_after, left_open, with_doors
from sayso.types import Action, Context, PlanState, PlanStatus, SkillCall, SkillOutcome


@dataclass(frozen=True, slots=True)
class Task:
    """The execution state of a sentence. Immutable; it ends when `status` is no longer "running"."""

    planner: Planner
    actions: tuple[Action, ...]
    index: int  # of the current action, or of the first of the errands that are done together
    belief: WorldBelief
    plan: Plan
    done: tuple[SkillCall, ...] = ()  # calls run so far, oldest first
    succeeded: tuple[SkillCall, ...] = ()  # the successful ones, reported as done in PlanState
    missed: tuple[str, ...] = ()  # why members of a plural, or errands done together, were not done
    width: int = 1  # actions that are done together from `index` on
    open: tuple[Action, ...] = ()  # those of them that are not given up
    ended: bool = False  # an action failed: only the door that it had opened is closed

    @classmethod
    def start(cls, planner: Planner, actions: Sequence[Action], context: Context, before: WorldBelief | None = None) -> Task:
        """The initial task; skips actions whose goal already holds.

        It has failed if the robot lacks a skill for any of the actions, or the charge for all of them.
        """
        belief = planner.begin(actions[0], context, before)
        whole = with_doors(planner.domain, actions, belief.facts)
        task = cls(planner, whole, 0, belief, Plan(whole[0], "running"))._at(0, belief, context)._advanced(context)
        if not planner.complete:
            declined = (replace(each, belief=task.belief) for each in task._rehearsed(context) if each.plan.lacking)
            task = next(declined, task)
        if planner.domain.battery is None or not context.battery < 1.0:  # NaN: nothing is known
            return task
        return task._failed(too_much(planner.domain, task.ahead(context), context))

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
        if self.missed and self.plan.status == "succeeded" and not self.ended:
            return f"{' '.join(self.missed)} The rest is done."
        ajar = left_open(self.planner.domain, self.actions, self.belief.facts)
        return " ".join(filter(None, (*self.missed, self.plan.reason, ajar)))

    @property
    def action(self) -> Action:
        """The current action, or the last one."""
        return self.plan.action

    def after(self, outcome: SkillOutcome, context: Context) -> Task:
        """The task after the outcome of `next`."""
        belief = self.belief.after(outcome).surveyed(outcome, context).located(context)
        done, succeeded = (*self.done, outcome.call), (*self.succeeded, *([outcome.call] if outcome.succeeded else []))
        task = replace(self._replanned(belief), done=done, succeeded=succeeded)._advanced(context)
        return task._failed(task.out_of_charge(context))

    def out_of_charge(self, context: Context) -> str:
        """Why the battery ends the task now, one line for a person; empty if it does not."""
        return too_low(self.planner.domain, self.plan.ahead, context)

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
            task = task._replanned(belief)._advanced(context)
            yield task

    def _failed(self, reason: str) -> Task:
        """The task, failed for that reason; as it is if there is none."""
        return replace(self, plan=Plan(self.action, "failed", reason=reason)) if reason else self

    def _at(self, index: int, before: WorldBelief, context: Context) -> Task:
        """The task at the beginning of that action, with the errands that are done together with it."""
        belief = self.planner.begin(self.actions[index], context, before)
        group = self.planner.together(self.actions[index:], belief)
        for action in group[1:]:
            belief = self.planner.begin(action, context, belief)
        return replace(self, index=index, width=len(group), open=group)._replanned(belief)

    def _replanned(self, belief: WorldBelief) -> Task:
        """The task under this belief."""
        if self.width == 1:
            return replace(self, belief=belief, plan=self.planner(self.actions[self.index], belief))
        now = pursued(self.planner, self.open, belief)
        return replace(self, belief=now.belief, plan=now.plan, open=now.open, missed=(*self.missed, *now.missed))

    def _advanced(self, context: Context) -> Task:
        task = self
        while task.index + task.width < len(task.actions):
            if task.plan.status == "succeeded":
                task = task._at(task.index + task.width, task.belief, context)
            elif task._goes_on:
                task = replace(task, missed=(*task.missed, task.plan.reason))._at(task.index + task.width, task.belief, context)
            elif task.plan.status == "failed" and (closing := task._closing) is not None:  # and nothing is done after that
                kept = replace(task, missed=(*task.missed, task.plan.reason), actions=task.actions[: closing + 1], ended=True)
                task = kept._at(closing, task.belief, context)
            else:
                break
        return task

    @property
    def _closing(self) -> int | None:
        """Of an action that failed: where the closing of what it has opened is."""
        after = self.index + self.width
        found = closing_after(self.planner.domain, self.actions[after:], self.belief.facts)
        return None if found is None or self.plan.lacking else after + found

    @property
    def _goes_on(self) -> bool:
        """Whether the failed action and the next one are members of a plural; what the robot lacks a skill for, it can do for none."""
        return self.plan.status == "failed" and not self.plan.lacking and are_members(self.action, self.actions[self.index + self.width])


def are_members(one: Action, other: Action) -> bool:
    """Whether two actions are the same with different things: "the milk and the bread"."""
    mine, theirs = dict(one.arguments), dict(other.arguments)
    differing = {role for role in mine | theirs if mine.get(role) != theirs.get(role)}
    return one.name == other.name and differing == {"theme"}
