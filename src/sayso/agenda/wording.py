"""Tasks and rules in the robot's words."""

from __future__ import annotations

import math

from sayso.agenda.entries import AgendaEntry, DeferredTask, Now, StandingRule
from sayso.agenda.times import DAY, clock_time, day_and_time, duration
from sayso.domain.model import Domain
from sayso.domain.wording import called, listed, spoken_action
from sayso.types import Action

UNITS = ((7 * DAY, "week"), (DAY, "day"), (3600.0, "hour"), (60.0, "minute"))


def actions_in_words(domain: Domain, actions: tuple[Action, ...]) -> str:
    """Say “go to the kitchen and bring the red cup to you”."""
    return listed([spoken_action(domain, action) for action in actions])


def when_in_words(task: DeferredTask, now: Now) -> str:
    """Say “at 6 pm”, “in 5 minutes”, “every day at 8 am”, “when Anna comes”, “before I charge”."""
    parts = []
    if task.period:
        at = f" at {clock_time(task.due)}" if task.clock == "wall" and math.isfinite(task.due) else ""
        parts.append(f"every {_period(task.period)}{at}")
    elif math.isfinite(task.due):
        left = task.due - now.on(task.clock)
        parts.append(f"in {duration(max(1.0, left))}" if task.clock == "ros" else day_and_time(task.due, now.wall))
    if task.trigger is not None:
        parts.append(_of_trigger(task))
    return " ".join([*parts, *(guard.text for guard in task.guards)])


def forbidden_in_words(domain: Domain, action: Action) -> str:
    """Say “go to the bedroom”; of an action without a name “do anything with the vase”."""
    if action.name:
        return spoken_action(domain, action)
    return f"do anything with {listed([called(domain, value) for _, value in action.arguments])}"


def until_in_words(rule: StandingRule, now: Now) -> str:
    """Say “today”, “until tomorrow at 8 am”, “until Anna comes”; empty for a rule without an end."""
    if rule.ends is not None:
        return f"until {rule.ends.text}"
    if math.isinf(rule.until):
        return ""
    end = day_and_time(rule.until, now.wall)
    return "today" if end == "tomorrow at midnight" else f"until {end.removeprefix('at ')}"


def agenda_entry(entry: DeferredTask | StandingRule, now: Now) -> AgendaEntry:
    """A row of the list."""
    if isinstance(entry, StandingRule):
        when = until_in_words(entry, now)
        return AgendaEntry(entry.id, "rule", f"not {entry.what}", when, entry.text, entry.created, entry.until, entry.state, entry.reason)
    when = when_in_words(entry, now) if entry.open else ""
    due = now.wall + entry.due - now.on(entry.clock) if math.isfinite(entry.due) else math.nan
    return AgendaEntry(entry.id, "task", entry.what, when, entry.text, entry.created, due, entry.state, entry.reason)


def _of_trigger(task: DeferredTask) -> str:
    trigger = task.trigger
    if trigger is None:
        return ""
    if trigger.name == "before":
        return f"before {trigger.text}"
    when = "whenever" if task.standing else "when"
    return f"{'after' if trigger.name == 'finished' else when} {trigger.text}"


def _period(seconds: float) -> str:
    for size, name in UNITS:
        if seconds % size == 0.0:
            count = round(seconds / size)
            return name if count == 1 else f"{count} {name}s"
    return duration(seconds)
