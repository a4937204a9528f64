"""The agenda of one home: what is to be done later, and what must not be done."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from sayso.agenda.backing import StoredEntries
from sayso.agenda.entries import DeferredTask, Facts, Now, StandingRule
from sayso.agenda.file import ALL
from sayso.agenda.observing import holds
from sayso.agenda.places import covers, entailed, goal_of
from sayso.agenda.times import clock_time, next_due
from sayso.domain.model import Domain
from sayso.types import Action

LATE = 600.0  # s after its time from which a task is missed: the robot was off
MOST = 100  # open tasks and rules
ALWAYS_ALLOWED = ("stop", "cancel")  # no rule may keep the robot from stopping


class Agenda:
    """Tasks and rules, in memory and in a file that may fail without harm (see StoredEntries)."""

    def __init__(self, domain: Domain, path: Path | None = None, patience: float = 1.0) -> None:
        """Of that home; `path` is the file, `patience` the time to wait for another process's lock, s."""
        self.domain = domain
        self.stored = StoredEntries(domain.name, path, patience)
        self.missed: list[DeferredTask] = []  # since the last look of the owner, who tells the person and clears the list
        self._armed: set[str] = set()  # tasks whose event was seen not to hold yet
        self._looked = False

    @property
    def tasks(self) -> tuple[DeferredTask, ...]:
        """All tasks, oldest first."""
        return tuple(entry for entry in self.stored.all() if isinstance(entry, DeferredTask))

    @property
    def rules(self) -> tuple[StandingRule, ...]:
        """All rules, oldest first."""
        return tuple(entry for entry in self.stored.all() if isinstance(entry, StandingRule))

    @property
    def full(self) -> bool:
        """Whether nothing more can be kept."""
        return sum(entry.open for entry in self.stored.all()) >= MOST

    def add_task(self, task: DeferredTask) -> DeferredTask:
        """Keep a task, under a new id. Check `full` first."""
        kept = replace(task, id=self.stored.new_id())
        self.stored.put(kept)
        return kept

    def add_rule(self, rule: StandingRule) -> StandingRule:
        """Keep a rule, under a new id; an open rule with the same words is replaced. Check `full` first."""
        for old in self.rules:
            if old.open and (old.action, old.arguments, old.what) == (rule.action, rule.arguments, rule.what):
                self.stored.put(replace(old, state="over", reason="replaced by a newer one"))
        kept = replace(rule, id=self.stored.new_id())
        self.stored.put(kept)
        return kept

    def take_back(self, what: str | Action, reason: str = "taken back") -> tuple[DeferredTask | StandingRule, ...]:
        """Take back open entries, and return them.

        Args:
            what: an id; "all"; or an action: the tasks that do it.
            reason: one line for the list.
        """
        return self._take_back((entry for entry in self.stored.all() if _is_meant(entry, what)), reason)

    def take_back_utterance(self, utterance_id: str, reason: str) -> tuple[DeferredTask | StandingRule, ...]:
        """Take back the open entries of that utterance, and return them."""
        return self._take_back((entry for entry in self.stored.all() if entry.utterance_id == utterance_id), reason)

    def due(self, now: Now, facts: Facts) -> tuple[DeferredTask, ...]:
        """The tasks to be carried out now, in the order of their times. Those missed are added to `missed`.

        While the robot is stopped nothing becomes due: what would have been is missed, since nothing may move by itself after a stop.
        """
        self._begin(now)
        for rule in self.rules:
            self._check_rule(rule, now, facts)
        for task in self.tasks:
            if task.state == "due" and facts.stopped:
                self._miss(task, now, "the robot was stopped")
            elif task.state == "waiting" and self._has_come(task, now, facts):
                self._come(task, now, facts)
        return tuple(sorted((task for task in self.tasks if task.state == "due"), key=lambda task: (task.due, int(task.id))))

    def before(self, action: str, now: Now) -> tuple[DeferredTask, ...]:
        """The tasks to be carried out before an action of that name, which is about to run."""
        return tuple(
            task
            for task in self.tasks
            if task.open and task.trigger and task.trigger.name == "before" and task.trigger.entity == action and _in_time(task, now)
        )

    def carry_out(self, task: DeferredTask, now: Now) -> None:
        """Note that the task is being carried out: it is done, or waits for its next time. It is never started twice."""
        self._armed.discard(task.id)
        again = _again(task, now)
        done = f"done at {clock_time(now.wall)}"
        self.stored.put(replace(again, reason=f"last {done}") if again else replace(task, state="done", reason=done))

    def not_done(self, task_id: str, reason: str) -> None:
        """Note why a task that was begun failed."""
        task = self.stored.get(task_id)
        if isinstance(task, DeferredTask) and task.state == "done":
            self.stored.put(replace(task, state="missed", reason=reason))
        elif isinstance(task, DeferredTask) and task.state == "waiting":
            self.stored.put(replace(task, reason=reason))

    def forbids(
        self, action: Action, at: float, whereabouts: Mapping[str, str] | None = None, permitted: Iterable[str] = ()
    ) -> StandingRule | None:
        """The first rule that forbids the action at that time, or None.

        A rule on a place covers every place in it, and every action that leads there. A rule on an action covers every action that
        entails it: who may not pick up the vase may not bring it.

        Args:
            action: with all of its arguments.
            at: s since 1970.
            whereabouts: object → its place, where that is nearly certain.
            permitted: ids of rules that a person has overruled.
        """
        rules = [rule for rule in self.rules if rule.open and at < rule.until and rule.id not in permitted]
        if not rules or action.name in ALWAYS_ALLOWED:
            return None
        facts = entailed(self.domain, action, whereabouts or {})
        return next((rule for rule in rules if self._covers(rule, action, facts)), None)

    def _take_back(self, entries: Iterable[DeferredTask | StandingRule], reason: str) -> tuple[DeferredTask | StandingRule, ...]:
        changed = tuple(replace(entry, state="taken back", reason=reason) for entry in entries if entry.open)
        for entry in changed:
            self.stored.put(entry)
        return changed

    def _covers(self, rule: StandingRule, action: Action, facts: Iterable[tuple[str, tuple[str, ...]]]) -> bool:
        arguments = dict(action.arguments)
        said = all(covers(self.domain, ("", (value,)), ("", (arguments.get(role, "?"),))) for role, value in rule.arguments)
        if not rule.action or rule.action == action.name:
            return said
        goal = goal_of(self.domain, Action(rule.action, rule.arguments))
        return bool(goal) and all(any(covers(self.domain, wanted, fact) for fact in facts) for wanted in goal)

    def _begin(self, now: Now) -> None:
        """At the first look, open tasks of an earlier run wait again; a simulated clock may have begun anew."""
        if self._looked:
            return
        self._looked = True
        for task in self.tasks:
            if task.state == "due":
                task = replace(task, state="waiting")  # noqa: PLW2901
                self.stored.put(task)
            if task.open and task.clock == "ros" and task.created_ros > now.ros:
                self.stored.put(replace(task, due=task.due - task.created_ros + now.ros, created_ros=now.ros))

    def _has_come(self, task: DeferredTask, now: Now, facts: Facts) -> bool:
        """Whether its time has come, and its event or state is there."""
        if now.on(task.clock) < task.due:
            return False
        if task.trigger is None:
            return True
        there = holds(task.trigger, self.domain, facts)
        if not there:
            self._armed.add(task.id)
        return bool(there) and (not task.trigger.event or task.trigger.name == "finished" or task.id in self._armed)

    def _come(self, task: DeferredTask, now: Now, facts: Facts) -> None:
        unmet = next((guard for guard in task.guards if not holds(guard, self.domain, facts)), None)
        if facts.stopped:
            self._miss(task, now, "the robot was stopped")
        elif task.trigger is None and now.on(task.clock) - task.due > LATE:
            self._miss(task, now, "the robot was off")
        elif unmet is not None:
            known = holds(unmet, self.domain, facts) is not None
            self._miss(task, now, f"{'the condition was not met' if known else 'I could not tell'}: {unmet.text}")
        else:
            self.stored.put(replace(task, state="due"))

    def _miss(self, task: DeferredTask, now: Now, why: str) -> None:
        """Note that the task was missed; a repeated one waits for its next time."""
        self._armed.discard(task.id)
        kept = replace(task, state="missed", reason=why)
        self.missed.append(kept)
        again = _again(task, now)
        self.stored.put(replace(again, reason=f"missed at {clock_time(now.wall)}: {why}") if again else kept)

    def _check_rule(self, rule: StandingRule, now: Now, facts: Facts) -> None:
        if rule.open and now.wall >= rule.until:
            self.stored.put(replace(rule, state="over", reason="its time is over"))
        elif rule.open and rule.ends is not None and holds(rule.ends, self.domain, facts):
            self.stored.put(replace(rule, state="over", reason=rule.ends.text))


def _again(task: DeferredTask, now: Now) -> DeferredTask | None:
    """The task, waiting for its next time; None if there is none."""
    if task.standing and not task.period:
        return replace(task, state="waiting") if now.wall <= task.until else None
    if not task.period:
        return None
    due = next_due(task.due, task.period, now.on(task.clock)) if math.isfinite(task.due) else task.due
    over = now.wall + due - now.on(task.clock) > task.until
    return None if over else replace(task, state="waiting", due=due)


def _in_time(task: DeferredTask, now: Now) -> bool:
    return now.on(task.clock) >= task.due


def _is_meant(entry: DeferredTask | StandingRule, what: str | Action) -> bool:
    if isinstance(what, str):
        return what in (ALL, entry.id)
    return isinstance(entry, DeferredTask) and what in entry.actions
