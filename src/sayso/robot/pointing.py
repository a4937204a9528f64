"""point, point_to_place, point_to_person: turn there, raise the arm along the line of sight, and say what it points at."""

from __future__ import annotations

import math

from sayso.domain.wording import called, capitalised
from sayso.robot.body import RobotState
from sayso.robot.geometry import Point3
from sayso.robot.operating import gripping
from sayso.robot.skill import Skill, SkillFailed, part
from sayso.types import SkillCall

AHEAD, WAIST = 0.7, 0.8  # m before the robot's pose at a place, and above the floor: where the map has nothing of the place itself


def point(body: RobotState, call: SkillCall) -> Skill:
    """Point at a thing, where the robot has seen it.

    Raises:
        SkillFailed: it was not seen, or the robot holds it.
    """
    theme = call.argument("theme")
    sighting = body.sightings.of(theme)
    if theme == body.holding:
        raise SkillFailed("it is in my hand")
    if sighting is None:
        raise SkillFailed(f"I have not seen {called(body.domain, theme)} yet")
    yield from _pointed(body, call, sighting.point, f"I am pointing at {called(body.domain, theme)}.")


def point_to_place(body: RobotState, call: SkillCall) -> Skill:
    """Point to a place, through walls too: to its middle on the map, or to what is before the robot when it stands there.

    Raises:
        SkillFailed: it is the room that the robot is in.
    """
    theme = call.argument("theme")
    if theme == body.map.room_at(body.pose.xy):
        raise SkillFailed("we are in it")
    x, y, yaw = body.domain.places[theme].pose
    at = body.map.middles.get(theme, (x + AHEAD * math.cos(yaw), y + AHEAD * math.sin(yaw), WAIST))
    yield from _pointed(body, call, at, f"I am pointing at {called(body.domain, theme)}.")


def point_to_person(body: RobotState, call: SkillCall) -> Skill:
    """Point to where a person is, or should be.

    Raises:
        SkillFailed: the robot does not know where.
    """
    theme = call.argument("theme")
    person, who = body.person(theme), called(body.domain, theme)
    in_view = body.people.in_view(theme, body.now) is not None
    words = f"I am pointing at {who}." if in_view or theme == body.domain.speaker else f"I am pointing to where {who} should be."
    yield from _pointed(body, call, (person.x, person.y, person.hand[2]), words)


def _pointed(body: RobotState, call: SkillCall, target: Point3, words: str) -> Skill:
    """Point to a point of the map (m) and say so, to whom it is shown."""
    shown_to, status = call.argument("recipient"), f"pointing at {called(body.domain, call.argument('theme'))}"
    yield from part(body.face(target[:2], status), 0.0, 0.4)
    to_another = shown_to not in ("", body.domain.speaker, call.argument("theme"))
    body.robot.say(f"{capitalised(called(body.domain, shown_to))}, {words}" if to_another else words)
    yield from part(gripping(body, "point", target, status), 0.4, 1.0)
