"""Skills for people who walk: follow, guide."""

from __future__ import annotations

import math

from sayso.domain.wording import called, capitalised
from sayso.robot.body import RobotState
from sayso.robot.company import Pursuit, come_to, seek, tracked
from sayso.robot.geometry import Point2
from sayso.robot.skill import Asking, Skill, SkillFailed, Step, part
from sayso.types import SkillCall

DISTANCE = 1.2  # m that the robot stays behind a person whom it follows
STILL = 2.0  # s without a step: the person has arrived
AT = 1.5  # m from a place that is no room: the person is there
BEHIND = 2.2  # m: the robot waits for a person who has fallen behind further than this …
CLOSE = 1.6  # m … until they are this near again
PATIENCE = 8.0  # s of waiting, then it goes back to them
FETCHES = 3  # times that it asks the same person to come along


def follow(body: RobotState, call: SkillCall) -> Skill:
    """Stay behind a person: until they stand still at the goal; without a goal, until told to stop."""
    person, goal = call.argument("recipient"), call.argument("goal")
    who = called(body.domain, person)
    if goal and goal not in body.domain.places:
        raise SkillFailed(f"the home has no place '{goal}'")
    tracked(body, f"follow {who}")
    yield from _found(body, person)
    pursuit = Pursuit(body, DISTANCE)
    try:
        while not (goal and _have_arrived(body, person, goal)):
            at = body.people.in_view(person, body.now)
            if at is None:
                pursuit.close()
                yield from _found(body, person)
                continue
            pursuit(at)
            yield Step(f"following {who}")
    finally:
        pursuit.close()


def guide(body: RobotState, call: SkillCall) -> Skill:
    """Fetch a person and drive ahead of them to a place, no faster than they come along; done when both are there."""
    person, goal = call.argument("recipient"), call.argument("goal")
    who, there = called(body.domain, person), called(body.domain, goal)
    if goal not in body.domain.places:
        raise SkillFailed(f"the home has no place '{goal}'")
    tracked(body, f"guide {who}")
    for _ in range(FETCHES):
        yield from _found(body, person)
        yield from part(come_to(body, person, f"driving to {who}"), 0.0, 0.2)
        body.robot.say(capitalised(f"{'' if who == 'you' else f'{who}, '}please come with me to {there}."))
        together = yield from part(_lead(body, person, goal), 0.2, 1.0)
        if together:
            body.robot.say(f"Here we are: {there}.")
            return
    raise SkillFailed(f"{who} did not come along")


def _found(body: RobotState, person: str) -> Skill:
    """Get the person into view: where they were last seen, else where they usually are."""
    if body.people.in_view(person, body.now) is not None:
        return
    if body.people.last(person, body.now) is not None:
        yield from seek(body, person)
    else:
        yield from come_to(body, person, f"driving to {called(body.domain, person)}")


def _lead(body: RobotState, person: str, goal: str) -> Asking[bool]:
    """Drive to the place, and wait whenever the person falls behind; True once both are there, False if the person has stayed behind."""
    who, (x, y, yaw) = called(body.domain, person), body.domain.places[goal].pose
    leg: Skill | None = None
    waits_since, arrived = math.nan, False
    try:
        while body.now - waits_since <= PATIENCE or math.isnan(waits_since):
            at = body.people.in_view(person, body.now)
            tracked(body, f"guide {who}")
            if arrived and at is not None and _is_at(body, at, goal) and body.pose.distance(at) <= BEHIND:
                return True
            waiting = not math.isnan(waits_since)
            if arrived or at is None or body.pose.distance(at) > (CLOSE if waiting else BEHIND):
                if leg is not None:
                    leg.close()
                    leg = None
                body.robot.drive(0.0, 0.0)
                waits_since = waits_since if waiting else body.now
                yield Step(f"waiting for {who}")
                continue
            waits_since = math.nan
            leg = leg or body.follow((x, y), yaw, f"guiding {who} to {body.spoken(goal)}")
            step = next(leg, None)
            arrived = step is None
            yield step or Step(f"waiting for {who}")
    finally:
        if leg is not None:
            leg.close()
    return False


def _have_arrived(body: RobotState, person: str, goal: str) -> bool:
    """Whether the person stands still at the place, and the robot behind them."""
    at = body.people.in_view(person, body.now)
    if at is None or not _is_at(body, at, goal):
        return False
    return body.people.still_for(person, body.now) >= STILL and body.pose.distance(at) <= DISTANCE + 0.3


def _is_at(body: RobotState, point: Point2, goal: str) -> bool:
    place = body.domain.places[goal]
    return body.map.room_at(point) == goal if place.kind == "room" else math.dist(point, place.pose[:2]) <= AT
