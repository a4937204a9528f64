"""Errands of one sentence as one plan: which thing to fetch next, what to stow, and when to deliver.

A joint MDP over all things has a state for each combination of places searched: 2ⁿ for each thing, multiplied. So the plan has two levels.
All orders of fetching and delivering are compared by their expected seconds; the first step of the best one is solved as an MDP of its own,
as if it were the only goal. Both are done anew after every outcome. Persons and places get their things in the order in which they were
named: what comes "and then" stays later. The order of fetching is free, and so is that of several things for one person.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from sayso.domain.model import Domain
from sayso.planning.basket import HOLDING, STOWED, held, room, stow_call, stowed
from sayso.planning.belief import TRIES, WorldBelief
from sayso.planning.errands import Errand, errand_of
from sayso.planning.facts import Facts, position, travel_seconds
from sayso.planning.plan import Plan
from sayso.planning.planner import Planner
from sayso.planning.relevant import hiding_places
from sayso.types import Action

LOOKS = 4  # places of a thing that count in its expected seconds
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class JointPlan:
    """Errands under way."""

    plan: Plan  # of the errand that is pursued now
    belief: WorldBelief
    open: tuple[Action, ...]  # errands that are not given up, in spoken order
    missed: tuple[str, ...]  # why others were given up now


@dataclass(frozen=True, slots=True)
class Tour:
    """What remains to be done at some point of an order."""

    at: Point
    hand: str  # the thing in it
    basket: frozenset[str]
    room: int
    away: tuple[Errand, ...]  # things still to be fetched
    due: tuple[Errand, ...]  # to be delivered, in spoken order


def pursued(planner: Planner, actions: tuple[Action, ...], belief: WorldBelief) -> JointPlan:
    """The plan for what to do next for these errands; those that are out of reach are given up, with the reason."""
    missed: list[str] = []
    while True:
        plan = _next_plan(planner, actions, belief)
        if plan.status != "failed" or plan.lacking:
            return JointPlan(plan, belief, actions, tuple(missed))
        others = tuple(action for action in actions if action != plan.action)
        if not others:
            return JointPlan(plan, belief, actions, tuple(missed))
        missed.append(plan.reason)
        actions, belief = others, _without(belief, plan.action)


def _next_plan(planner: Planner, actions: Sequence[Action], belief: WorldBelief) -> Plan:
    errands = [errand for action in actions if (errand := errand_of(planner.domain, action)) is not None]
    due = tuple(errand for errand in errands if errand.goal not in belief.facts)
    if not due:
        return planner(actions[-1], belief)
    errand, goal = first_step(planner.domain, due, belief)
    return planner(errand.action, belief, goal)


def first_step(domain: Domain, due: tuple[Errand, ...], belief: WorldBelief) -> tuple[Errand, Facts]:
    """The errand to pursue now and the facts to bring about for it: its goal, its thing in the hand, or what is in the hand stowed."""
    hand, basket = held(belief.facts), stowed(belief.facts)
    away = tuple(errand for errand in due if errand.thing != hand and errand.thing not in basket)
    start = Tour(belief.xy, hand, basket, room(domain, belief.facts), away, due)
    legs = _legs(domain, start, belief)
    totals = [seconds + _rest(domain, after, belief) for seconds, _, after in legs]
    best = min(totals, default=math.inf)
    if math.isinf(best):  # the basket does not work: one after the other, first what is in the hand
        errand = next((each for each in due if each.thing == hand), due[0])
        return errand, frozenset((errand.goal,))
    _, errand, _ = legs[totals.index(best)]
    in_the_way = hand in {each.thing for each in due} and hand != errand.thing
    if in_the_way:
        return next(each for each in due if each.thing == hand), frozenset(((STOWED, (hand,)),))
    return errand, frozenset(((HOLDING, (errand.thing,)),)) if errand in away else frozenset((errand.goal,))


def _rest(domain: Domain, tour: Tour, belief: WorldBelief) -> float:
    """Expected seconds of the best order from there; infinite if there is none."""
    if not tour.due:
        return 0.0
    return min((seconds + _rest(domain, after, belief) for seconds, _, after in _legs(domain, tour, belief)), default=math.inf)


def _legs(domain: Domain, tour: Tour, belief: WorldBelief) -> list[tuple[float, Errand, Tour]]:
    """What can come next: expected seconds, the errand, and what remains. Fetching comes first, so that it wins where all is equal."""
    legs: list[tuple[float, Errand, Tour]] = []
    for errand in tour.away:
        if emptied := _emptied(domain, tour, belief):
            seconds, at = _fetching(errand, tour.at, belief)
            away = tuple(each for each in tour.away if each != errand)
            legs.append((seconds + emptied[0], errand, replace(emptied[1], at=at, hand=errand.thing, away=away)))
    carried = [errand for errand in takewhile(lambda each: each.target == tour.due[0].target, tour.due) if errand not in tour.away]
    return legs + [leg for errand in carried if (leg := _delivering(domain, tour, errand, belief)) is not None]


def _delivering(domain: Domain, tour: Tour, errand: Errand, belief: WorldBelief) -> tuple[float, Errand, Tour] | None:
    there, due = position(domain, errand.target) or tour.at, tuple(each for each in tour.due if each != errand)
    seconds = _driving(domain, tour.at, there)
    if errand.thing == tour.hand:
        return seconds, errand, replace(tour, at=there, hand="", due=due)
    emptied = _emptied(domain, tour, belief)
    if emptied is None:
        return None
    before, empty = emptied
    out = domain.skills[stow_call(domain, errand.thing).name].seconds  # it takes as long to take out
    return seconds + before + out, errand, replace(empty, at=there, basket=empty.basket - {errand.thing}, room=empty.room + 1, due=due)


def _emptied(domain: Domain, tour: Tour, belief: WorldBelief) -> tuple[float, Tour] | None:
    """The seconds to empty the hand into the basket, and the tour after it; None if that cannot be done."""
    if not tour.hand:
        return 0.0, tour
    call = stow_call(domain, tour.hand)
    if tour.room == 0 or belief.failures.get(call, 0) >= TRIES:
        return None
    return domain.skills[call.name].seconds, replace(tour, hand="", basket=tour.basket | {tour.hand}, room=tour.room - 1)


def _fetching(errand: Errand, start: Point, belief: WorldBelief) -> tuple[float, Point]:
    """Expected seconds until the thing is found, looking where most is found for the time first, and where it probably is."""
    if start == belief.xy and ("seen", (errand.thing,)) in belief.facts:
        return 0.0, start
    domain, at, missing, seconds = belief.domain, start, 1.0, 0.0
    spots = [(belief.probability(errand.thing, place), place) for place in hiding_places(errand.thing, belief)[:LOOKS]]
    looking = max((skill.seconds for skill in domain.skills.values() if skill.senses == "theme"), default=0.0)
    points = {place: position(domain, place) or start for _, place in spots}
    probable = points[max(spots)[1]] if spots else start
    while spots:
        cost = {place: looking + _driving(domain, at, points[place]) for _, place in spots}
        take = max(spots, key=lambda spot: spot[0] / cost[spot[1]])
        spots.remove(take)
        seconds += missing * cost[take[1]]
        missing, at = max(0.0, missing - take[0]), points[take[1]]
    return seconds, probable


def _driving(domain: Domain, start: Point, end: Point) -> float:
    """Seconds for a drive; none for a few centimetres."""
    drive = next((skill for skill in domain.skills.values() if skill.speed and tuple(skill.arguments.values()) == ("place",)), None)
    return drive.seconds + travel_seconds(start, end, drive.speed) if drive and math.dist(start, end) > 0.01 else 0.0


def _without(belief: WorldBelief, action: Action) -> WorldBelief:
    """The belief without what went wrong with the errand that is given up: it is no reason to give up another one."""
    mine = set(dict(action.arguments).values()) & belief.domain.objects.keys()
    misses = {key: count for key, count in belief.misses.items() if key[0] not in mine}
    failures = {call: count for call, count in belief.failures.items() if not mine & set(dict(call.arguments).values())}
    return replace(belief, misses=misses, failures=failures)
