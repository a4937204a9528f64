"""survey: look at a place from where the robot stands, and note which of the home's objects are there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sayso.domain.model import Domain
from sayso.robot.body import RobotState
from sayso.robot.geometry import Point3, wrap
from sayso.robot.looking import AGREE, step_back
from sayso.robot.skill import Asking, Skill, SkillFailed, SkillInterrupted, part
from sayso.types import Grounding, SkillCall

HEADINGS = tuple(math.radians(angle) for angle in (0, 35, -35))  # from the first heading, where the place is
ASIDE = math.radians(10)  # between the robot's heading and the place's, from which it turns to the place first
SAME = 0.07  # m: what is found within this distance is one object, and the surest name is its name
BEYOND = 0.1  # m: an object this far outside a surface may still stand on it
# Mean confidence of two looks from which a thing counts as seen where the home does not expect it. In five random apartments 23 of 24
# things that were not there scored less, and 1 of 49 that were.
UNEXPECTED = 0.93
ABOVE = 0.45  # m from a surface up to the middle of what stands on it


def survey(body: RobotState, call: SkillCall) -> Skill:
    """Look at the place to which the robot has driven, in three directions, for every object of the home; twice at what is not expected.

    Raises:
        SkillInterrupted: a picture is missing, or there is no room to turn. A thing that is not seen may be there.
    """
    goal = call.argument("goal")
    status = f"looking what is at {body.spoken(goal)}"
    body.sightings.clear()  # what the robot has seen lately is then what is here
    try:
        start = yield from _turned(body, goal, status)
        found = yield from _found(body, goal, status)
        kept = list[str]()
        for names in spots(found):
            kept += yield from part(_named(body, names, found, goal, status), 0.9, 0.9)
        yield from part(body.turn(wrap(start - body.pose.yaw), status), 0.95, 1.0)
    except SkillFailed as failed:
        raise SkillInterrupted(str(failed)) from failed
    for thing in kept:
        body.sightings.saw(thing, found[thing].phrase, found[thing].point, body.now)


def _turned(body: RobotState, goal: str, status: str) -> Asking[float]:
    """Turn to the place, with its edge in view; the heading, rad."""
    aside = wrap(body.domain.places[goal].pose[2] - body.pose.yaw)
    if abs(aside) > ASIDE:  # it was here already, and looks elsewhere
        yield from part(body.turn(aside, status), 0.0, 0.0)
    yield from part(step_back(body, goal, status), 0.0, 0.0)
    return body.pose.yaw


def _is_expected(domain: Domain, thing: str, goal: str) -> bool:
    """Whether the home says that the thing may be there."""
    return bool({goal, domain.room_of(goal)} & {*domain.objects[thing].usual})


def _named(body: RobotState, names: Sequence[str], found: Mapping[str, Grounding], goal: str, status: str) -> Asking[tuple[str, ...]]:
    """What stands at a spot that has these names, the surest first; nothing if no second look agrees.

    Only the surest name can do without a second look: after a wrong one no other is evident.
    """
    for thing in names:
        evident = thing == names[0] and _is_expected(body.domain, thing, goal)
        if evident or (yield from _is_confirmed(body, thing, found[thing], status)):
            return (thing,)
    return ()


def _is_confirmed(body: RobotState, thing: str, seen: Grounding, status: str) -> Asking[bool]:
    """Whether a second look, straight at the point, agrees with the first."""
    yield from body.face(seen.point[:2], status)
    again = yield from body.look(body.phrase(thing), thing, status)
    agrees = again.found and math.dist(again.point, seen.point) <= AGREE
    return agrees and (seen.confidence + again.confidence) / 2 >= UNEXPECTED


def _found(body: RobotState, goal: str, status: str) -> Asking[dict[str, Grounding]]:
    """The surest grounding of each object that is found at the place, ahead of the robot."""
    start, found = body.pose, dict[str, Grounding]()
    for index, heading in enumerate(HEADINGS):
        done = index / len(HEADINGS)
        yield from part(body.turn(wrap(start.yaw + heading - body.pose.yaw), status), done, done + 0.1)
        taken = body.now  # one picture for all objects
        for thing in body.domain.objects:
            if thing == body.holding:
                continue
            pending = body.robot.ground(body.phrase(thing), thing, taken)
            grounding = yield from part(body.answer(pending, status, "the visual grounder"), done, done + 0.3)
            surer = thing not in found or grounding.confidence > found[thing].confidence
            if grounding.found and surer and _is_at(body, goal, grounding.point):
                found[thing] = grounding
    return found


def _is_at(body: RobotState, goal: str, point: Point3) -> bool:
    """Whether the point is on the furniture, or in a place without any."""
    if not body.map.plausible(point, body.pose.xy):
        return False
    surfaces = body.map.surfaces_of(goal)
    x, y = np.array([point[0]]), np.array([point[1]])
    return not surfaces or any(surface.distance(x, y)[0] <= BEYOND and -BEYOND <= point[2] - surface.top <= ABOVE for surface in surfaces)


def spots(found: Mapping[str, Grounding]) -> list[list[str]]:
    """The names for each spot, the surest first: a can that looks a little like the red cup is not two things."""
    kept: list[list[str]] = []
    for thing, grounding in sorted(found.items(), key=lambda pair: -pair[1].confidence):
        here = next((names for names in kept if math.dist(grounding.point, found[names[0]].point) <= SAME), None)
        if here is None:
            kept.append([thing])
        else:
            here.append(thing)
    return kept
