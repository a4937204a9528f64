"""look_for: turn on the spot until the camera shows the object, then confirm it with a second look."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sayso.robot.body import RobotState
from sayso.robot.choosing import SkillAmbiguous
from sayso.robot.geometry import Point3, wrap
from sayso.robot.moving import straight
from sayso.robot.skill import Asking, Skill, SkillFailed, SkillInterrupted, part
from sayso.robot.stand import EYE, come_in_view
from sayso.types import Choice, SkillCall

# Degrees from the first heading: straight ahead first, where the place is, then both sides, then once around.
HEADINGS = tuple(math.radians(angle) for angle in (0, 40, -40, -80, -120, -160, 160, 120, 80))
# m: the second look at a more distant object is taken from within reach, as `pick` does. In five random apartments, two wrong objects
# accepted from farther away (confidence 0.8 to 0.95) scored below 0.45 there, and every right one above 0.84.
CLOSE = 0.9
INSIDE = 0.10  # m: objects stand this far behind a surface's edge
APART = 0.1  # m: what is nearer than this is taken for one thing by the gripper
AGREE = 0.3  # m: two sightings within this distance are the same object


def look_for(body: RobotState, call: SkillCall) -> Skill:
    """Find an object from here and remember its position for `pick`.

    Raises:
        SkillAmbiguous: it sees several things that may be the object, and its phrase does not tell them apart.
        SkillInterrupted: the search was incomplete: no picture, or no room to turn.
        SkillFailed: the object is not visible in any direction.
    """
    theme = call.argument("theme")
    phrase = call.argument("referent") or body.phrase(theme)
    if theme == body.holding:
        return
    body.sightings.forget(theme)
    here = body.here()
    try:
        seen = yield from _search(body, phrase, theme)
    except SkillAmbiguous:
        raise
    except SkillFailed as failed:
        raise SkillInterrupted(str(failed)) from failed
    if not seen:
        raise SkillFailed(f"did not see {body.spoken(theme)}" + (f" at {here}" if here else ""))


def _search(body: RobotState, phrase: str, theme: str) -> Asking[bool]:
    """Look straight ahead, to both sides, then all around; returns whether the object was seen and confirmed."""
    status = f"looking for {body.spoken(theme)}"
    yield from part(step_back(body, body.map.place_at(body.pose.xy), status), 0.0, 0.0)
    start = body.pose
    for index, heading in enumerate(HEADINGS):
        done, after = index / len(HEADINGS), (index + 0.5) / len(HEADINGS)
        yield from part(body.turn(wrap(start.yaw + heading - body.pose.yaw), status), done, after)
        point, alike = yield from part(body.glimpse(phrase, theme, status), after, after)
        if point is None:
            continue
        if alike:
            sure = yield from part(_the_only_one(body, phrase, theme, alike), after, after)
        else:
            sure = yield from part(_second_look(body, phrase, theme, point), after, after)
        if sure is not None:
            body.sightings.saw(theme, phrase, sure, body.now)
            return True
        if body.pose.distance(start.xy) > body.limits.reached:
            yield from part(body.follow(start.xy, start.yaw + heading, status), after, after)
    return False


def step_back(body: RobotState, place: str, status: str) -> Skill:
    """Back up, if there is room, until the edge of a low table is in view: right in front of the robot it is below the picture."""
    surfaces = body.map.surfaces_of(place)
    x, y = np.array([body.pose.x]), np.array([body.pose.y])
    missing = max((EYE.nearest(surface.top) - INSIDE - float(surface.distance(x, y)[0]) for surface in surfaces), default=0.0)
    if missing > 0.02:
        yield from straight(body, -1.0, body.map.free_length(body.pose, body.pose.yaw + math.pi, missing), status)


def _the_only_one(body: RobotState, phrase: str, theme: str, alike: tuple[Choice, ...]) -> Asking[Point3 | None]:
    """The only one of several things that a second look confirms, None if it confirms none. From within reach the first look is enough.

    Raises:
        SkillAmbiguous: several are confirmed.
    """
    if all(body.pose.distance(each.point[:2]) <= CLOSE for each in alike):
        raise SkillAmbiguous(phrase, alike, body.pose.xy)
    confirmed: list[Choice] = []
    for each in sorted(alike, key=lambda each: -each.probability):
        again = yield from _second_look(body, phrase, theme, each.point)
        if again is not None and all(math.dist(again, other.point) > APART for other in confirmed):
            confirmed.append(replace(each, point=again))
    if len(confirmed) < 2:
        return confirmed[0].point if confirmed else None
    order = [each.words for each in alike]
    raise SkillAmbiguous(phrase, tuple(sorted(confirmed, key=lambda each: order.index(each.words))), body.pose.xy)


def _second_look(body: RobotState, phrase: str, theme: str, point: Point3) -> Asking[Point3 | None]:
    """Look straight at the point, from nearer if it is far; the point as seen then, None if it is not confirmed."""
    status = f"looking again at what may be {body.spoken(theme)}"
    for _ in range(2):
        if body.pose.distance(point[:2]) > CLOSE:
            try:
                yield from come_in_view(body, point, status, farthest=CLOSE - 0.1)
            except SkillFailed:  # it cannot get nearer: look from here
                yield from body.face(point[:2], status)
        else:
            yield from body.face(point[:2], status)
        again = yield from body.sighting(phrase, theme, status)
        if again is None or math.dist(again, point) <= AGREE:
            return again
        point = again
    return None
