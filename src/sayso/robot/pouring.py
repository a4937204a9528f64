"""pour: tilt the held vessel over another one."""

from __future__ import annotations

from sayso.robot.body import RobotState
from sayso.robot.handling import held
from sayso.robot.operating import gripping
from sayso.robot.skill import Skill, SkillFailed, part
from sayso.robot.stand import come_in_view, come_near
from sayso.types import SkillCall


def pour(body: RobotState, call: SkillCall) -> Skill:
    """Drive to where the receiving vessel was seen, look again, and pour into it. The robot keeps what it holds.

    Raises:
        SkillFailed: the robot does not hold the vessel, has not seen the receiver, or something went beside it.
    """
    theme, goal = call.argument("theme"), call.argument("goal")
    held(body, theme)
    name, into = body.spoken(theme), body.spoken(goal)
    sighting = body.sightings.of(goal)
    if sighting is None:
        raise SkillFailed(f"{into} was not seen yet")
    yield from part(come_in_view(body, sighting.point, f"driving to {into}"), 0.0, 0.5)
    again, _ = yield from body.glimpse(sighting.phrase, goal, f"looking at {into}")
    point = again or sighting.point
    yield from part(come_near(body, point, f"turning to {into}"), 0.6, 0.7)
    try:
        yield from part(gripping(body, "pour", point, f"pouring {name} into {into}"), 0.7, 1.0)
    except SkillFailed:
        body.sightings.forget(goal)  # it may not be where it was seen
        raise
