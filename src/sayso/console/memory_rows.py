"""The rows that `sayso memory` shows and writes: confirmed commands, and the habits learnt from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from sayso.selection.memory.learnt import Habits
from sayso.selection.memory.memory_file import ConfirmedAction
from sayso.selection.memory.situation import Situation
from sayso.types import Action

SEEN = 0.05  # situations that change P by less are not shown
STRANGER = Action("", (("", "never confirmed"),))


@dataclass(frozen=True, slots=True)
class Habit:
    """How often an action was meant in a situation, and the effect on its prior."""

    home: str
    action: Action
    situation: Situation  # at most one feature of it; none: always
    times: int
    last: float  # s since 1970
    before: float  # its P among the remembered actions of the same name and one never confirmed, all else being equal
    after: float  # the same after learning


def habits(events: Sequence[ConfirmedAction]) -> Iterator[Habit]:
    """Habits by home and action, most frequent first: overall, then in each situation that makes a difference."""
    by_home: dict[str, list[ConfirmedAction]] = defaultdict(list)
    for event in events:
        by_home[event.home].append(event)
    for home, of_home in sorted(by_home.items()):
        learnt = Habits((event.action, event.situation, event.expected) for event in of_home)
        by_action: dict[Action, list[ConfirmedAction]] = defaultdict(list)
        for event in of_home:
            by_action[event.action].append(event)
        for action in sorted(by_action, key=lambda action: (-len(by_action[action]), str(action))):
            rivals = [action, *(other for other in by_action if other.name == action.name and other != action)]
            yield from _of_action(home, by_action[action], rivals, learnt)


def _of_action(home: str, events: Sequence[ConfirmedAction], rivals: Sequence[Action], learnt: Habits) -> Iterator[Habit]:
    action = rivals[0]
    among = [*rivals, Action(action.name, STRANGER.arguments)]
    base = np.full(len(among), 1.0 / len(among))

    def habit(situation: Situation, met: Sequence[ConfirmedAction]) -> Habit:
        after = float(learnt.given(base, among, situation)[0])
        return Habit(home, action, situation, len(met), max(event.time for event in met), float(base[0]), after)

    always = habit(Situation(), events)
    yield always
    by_feature: dict[tuple[str, str], list[ConfirmedAction]] = defaultdict(list)
    for event in events:
        for pair in event.situation.features():
            by_feature[pair].append(event)
    found = [habit(Situation(**{feature: value}), met) for (feature, value), met in by_feature.items() if value]
    yield from sorted((each for each in found if abs(each.after - always.after) >= SEEN), key=lambda each: -each.after)


def habit_as_data(habit: Habit) -> dict[str, object]:
    """A habit for JSON."""
    return {
        "home": habit.home,
        "action": habit.action.name,
        "arguments": dict(habit.action.arguments),
        "situation": {name: value for name, value in habit.situation.features() if value},
        "times": habit.times,
        "last": local(habit.last),
        "p_before": round(habit.before, 4),
        "p_after": round(habit.after, 4),
    }


def event_as_data(event: ConfirmedAction) -> dict[str, object]:
    """A confirmed command for JSON and YAML."""
    return {
        "id": event.id,
        "time": local(event.time),
        "home": event.home,
        "utterance_id": event.utterance_id,
        "clause": event.clause,
        "action": event.action.name,
        "arguments": dict(event.action.arguments),
        "how": event.how,
        "situation": {name: value for name, value in event.situation.features() if value},
        "expected": dict(event.expected),
    }


def local(time: float) -> str:
    """Local date and time, ISO 8601, to the second."""
    return datetime.fromtimestamp(time).astimezone().isoformat(timespec="seconds")
