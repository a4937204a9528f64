"""Answers to questions about the robot itself: its clock, name, place, hand, battery, sight, doings, and why it asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta

from sayso.agenda.times import clock_time
from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.domain.wording import SpokenValue, called, capitalised, listed
from sayso.meaning.naming import role_specs
from sayso.meaning.recollection import Deed
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.whereabouts import LIKELY, ago, at_place, probability_at
from sayso.selection.memory.situation import WALL_CLOCK
from sayso.types import Action, Clause, Context

AT_PLACE = 0.75  # m from a place's pose within which the robot is at the place
LOW = 0.2  # charge at which the robot should be charged
MOST = 6  # things in a list
_KINDS = {"object": "things", "place": "places", "person": "people", "words": "something"}
_SOME = ("bring", "find", "guide", "follow", "clean")  # actions that show what it is good for
NO_DATE = "I don't know what day it is: my clock is not set."
UNKNOWN_SITUATION = "I don't know: I have no news of my own state."


def own_answer(domain: Domain, clause: Clause, view: WorldView) -> str:
    """What the robot says of itself; empty if the clause asks nothing of that."""
    answer = _ANSWERS.get(clause.modifiers.question)
    return answer(domain, view) if answer is not None else ""


def robot_place(domain: Domain, view: WorldView) -> str:
    """The id of the place where the robot is; empty if it is unknown, or at none."""
    context = view.context
    if context is None or context.place in domain.places:
        return context.place if context is not None else ""
    near = {place: math.dist(spec.pose[:2], (context.x, context.y)) for place, spec in domain.places.items()}
    best = min(near, key=lambda place: near[place], default="")
    return best if best and near[best] <= AT_PLACE else ""


def sharpness(domain: Domain, place: str, view: WorldView) -> str:
    """Say how much the robot sees where it stands, “A look finds 96% of what is there.”; empty for any other place."""
    survey = domain.skills.get("survey")
    return f"A look finds {survey.success:.0%} of what is there." if survey is not None and robot_place(domain, view) == place else ""


def own_place(domain: Domain, view: WorldView) -> str:
    """Say “I am at the desk, in the study.”."""
    if view.context is None:
        return UNKNOWN_SITUATION
    place = robot_place(domain, view)
    if not place:
        return "I am on the way, at no place that has a name."
    room = domain.room_of(place)
    by = f"in {called(domain, place)}" if room == place else f"at {called(domain, place)}, in {called(domain, room)}"
    return f"I am {by}."


def holding(domain: Domain, view: WorldView) -> str:
    """Say “I am holding the red cup.”."""
    if view.context is None:
        return UNKNOWN_SITUATION
    hand = f"I am holding {called(domain, view.context.holding)}." if view.context.holding else "My hand is empty."
    inside = [arguments[0] for predicate, arguments in map(parse_literal, view.context.facts) if predicate == "stowed"]
    if not inside:
        return hand
    return f"{hand} In my basket {'is' if len(inside) == 1 else 'are'} {listed([called(domain, each) for each in inside])}."


def _time(_: Domain, view: WorldView) -> str:
    now = view.recent.now
    if now is None or now.wall < WALL_CLOCK:
        return "I don't know what time it is: my clock is not set."
    return f"It is {clock_time(now.wall)}."


def _date(_: Domain, view: WorldView) -> str:
    today = _today(view)
    return f"It is {_written(today)}." if today else NO_DATE


def _tomorrow(_: Domain, view: WorldView) -> str:
    today = _today(view)
    return f"Tomorrow is {_written(today + timedelta(days=1))}." if today else NO_DATE


def _today(view: WorldView) -> date | None:
    now = view.recent.now
    return datetime.fromtimestamp(now.wall).astimezone().date() if now is not None and now.wall >= WALL_CLOCK else None


def _written(day: date) -> str:
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def _name(domain: Domain, _: WorldView) -> str:
    described = domain.robot.startswith(("the ", "a ")) or "'s " in domain.robot
    return f"I am {domain.robot}." if described else f"My name is {domain.robot}."


def _battery(_: Domain, view: WorldView) -> str:
    context = view.context
    by_hand = context is not None and not context.stamp and context.battery == Context().battery  # and no charge was given
    if context is None or by_hand or math.isnan(context.battery):
        return "I don't know: I have no reading of my battery."
    low = " I should charge soon." if context.battery < LOW else ""
    return f"My battery is at {context.battery:.0%}.{low}"


def _sight(domain: Domain, view: WorldView) -> str:
    """What came into view lately, and else what is to be expected here: that is a belief, and said as one."""
    place = robot_place(domain, view)
    if view.visible:
        seen = f"Within the last minute I saw {listed([called(domain, entity) for entity in view.visible[:MOST]])}."
    else:
        seen = "I have seen none of the things that I know within the last minute."
    here = {thing: probability_at(domain, thing, place, view) for thing in domain.objects} if place else {}
    expected = sorted((thing for thing, p in here.items() if p >= LIKELY and thing not in view.visible), key=lambda thing: -here[thing])
    if not expected:
        return seen
    named = [f"{called(domain, thing)} ({here[thing]:.0%})" for thing in expected[:MOST]]
    return f"{seen} {capitalised(at_place(domain, place))} I expect {listed(named)}."


def _done(_: Domain, view: WorldView) -> str:
    recent = view.recent
    if not recent.deeds:
        return "I have done nothing yet."
    newest = [told(deed, view) for deed in reversed(recent.deeds)]
    return " ".join(newest[:1] if recent.deeds[-1].state in ("done", "failed") else newest[:2])


def told(deed: Deed, view: WorldView) -> str:
    """What became of a deed, and when."""
    when = f" {ago(view.recent.now.ros - deed.stamp)}" if view.recent.now is not None else ""
    match deed.state:
        case "done":
            return f"I did this{when}: {deed.what}."
        case "failed":
            return f"I tried this, and it ended{when}: {deed.what}. It was not done: {deed.reason or 'I do not know why'}."
        case "running":
            return f"I am still at it: {deed.what}."
    return f"I decided this, and know of no result: {deed.what}."


def _why_asked(_: Domain, view: WorldView) -> str:
    asked = view.recent.asked
    if asked is None:
        return "I have not asked anything."
    words = f"You said “{asked.said}”, and I" if asked.said else "I"
    if len(asked.options) > 1:
        return f"{words} was not sure what you meant: {listed([f'{what} ({p:.0%})' for what, p in asked.options], 'or')}."
    return f"{words} was not sure: {asked.reason}."


def _why(_: Domain, view: WorldView) -> str:
    deed, refused = view.recent.deeds[-1] if view.recent.deeds else None, view.recent.refused
    if refused is not None and (deed is None or refused.stamp > deed.stamp):
        return f"You said “{refused.said}”. {refused.reason}" if refused.said else refused.reason
    if deed is None:
        return "I have done nothing yet."
    if deed.state == "failed":
        return f"I could not {deed.what}: {deed.reason or 'I do not know why'}."
    if not deed.said:
        return f"It was due that I {deed.what}."
    return f"You said “{deed.said}”. I was {deed.probability:.0%} sure that I should {deed.what}."


def _activity(_: Domain, view: WorldView) -> str:
    running = view.recent.running
    return f"I am busy: I {running.what}." if running is not None else "Nothing at the moment."


def _self(domain: Domain, view: WorldView) -> str:
    """Say its name, and a few of its abilities."""
    some = [name for name in _SOME if name in domain.actions and domain.actions[name].goal]
    return f"{_name(domain, view)} I can {listed([_ability(domain, name) for name in some])}." if some else _name(domain, view)


def _ability(domain: Domain, action: str) -> str:
    """An action in words, with whatever may fill its roles: "bring things to people"."""
    words = (domain.actions[action].say or action.replace("_", " ")).format_map(_Anything(domain, Action(action)))
    return " ".join(words.split())


def _abilities(domain: Domain, _: WorldView) -> str:
    can = [_ability(domain, name) for name, spec in domain.actions.items() if spec.goal]
    asked = "You can also ask me where things are, how many there are, what they are like, and what I do."
    return f"I can {listed(list(dict.fromkeys(can)))}. {asked}"


class _Anything(dict[str, str]):
    """What may fill a role of an action: "things", "people"."""

    def __init__(self, domain: Domain, action: Action) -> None:
        super().__init__()
        self._domain, self._action = domain, action

    def __missing__(self, role: str) -> str:
        kinds = {kind for spec in role_specs(self._domain, self._action, role) for kind in spec.kinds}
        return SpokenValue(next((word for kind, word in _KINDS.items() if kind in kinds), ""))


_ANSWERS: dict[str, Callable[[Domain, WorldView], str]] = {
    "time": _time,
    "date": _date,
    "tomorrow": _tomorrow,
    "name": _name,
    "battery": _battery,
    "holding": holding,
    "own_place": own_place,
    "sight": _sight,
    "done": _done,
    "why_asked": _why_asked,
    "why": _why,
    "activity": _activity,
    "abilities": _abilities,
    "self": _self,
}
