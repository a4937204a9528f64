"""Manipulation skills: pick, place, hand_over."""

from __future__ import annotations

import numpy as np

from sayso.robot.body import RobotState
from sayso.robot.company import come_to
from sayso.robot.geometry import Box, Point3
from sayso.robot.skill import Skill, SkillFailed, part
from sayso.robot.stand import come_in_view, come_near
from sayso.types import SkillCall

EDGE = 0.12  # m: objects are set down at least this far from a surface's edge
APART = 0.18  # m: … and this far from other objects
SPREAD = 0.35  # m between the spots that are tried: the gripper has searched the area around a full spot itself
ATTEMPTS = 4  # spots to try before a surface counts as full


def pick(body: RobotState, call: SkillCall) -> Skill:
    """Drive to where the object was seen, look again and grasp it."""
    theme = call.argument("theme")
    name = body.spoken(theme)
    if theme == body.holding:
        return
    empty_handed(body)
    sighting = body.sightings.of(theme)
    if sighting is None:
        raise SkillFailed(f"{name} was not seen yet")
    yield from part(come_in_view(body, sighting.point, f"driving to {name}"), 0.0, 0.6)
    again = yield from body.sighting(sighting.phrase, theme, f"looking at {name}")
    point = again or sighting.point
    yield from part(come_near(body, point, f"turning to {name}"), 0.7, 0.8)
    # Whether the grasp succeeds or not, the object may no longer be where it was seen.
    body.sightings.forget(theme)
    yield from part(body.grip("grasp", point, f"grasping {name}"), 0.8, 1.0)
    body.holding = theme


def place(body: RobotState, call: SkillCall) -> Skill:
    """Set down the held object on a surface, near the edge that the robot faces."""
    theme, goal = call.argument("theme"), call.argument("goal")
    if has_let_go(body, call):
        return
    held(body, theme)
    spots = surface_spots(body, goal)
    for attempt, spot in enumerate(spots):
        try:
            yield from part(come_near(body, spot, f"turning to {body.spoken(goal)}"), 0.0, 0.6)
            yield from part(let_go(body, call, "release", spot, f"putting {body.spoken(theme)} down"), 0.6, 1.0)
        except SkillFailed:
            if attempt == len(spots) - 1 or body.letting_go is not None:  # another spot helps no gripper that does not answer
                raise
            continue
        body.sightings.saw(theme, body.phrase(theme), spot, body.now)
        return


def hand_over(body: RobotState, call: SkillCall) -> Skill:
    """Hand the held object to a person."""
    theme, recipient = call.argument("theme"), call.argument("recipient")
    if has_let_go(body, call):
        return
    held(body, theme)
    yield from part(come_to(body, recipient, f"driving to {body.spoken(recipient)}"), 0.0, 0.7)
    hand = body.person(recipient).hand  # where it is now
    yield from part(let_go(body, call, "hand_over", hand, f"handing over {body.spoken(theme)}"), 0.7, 1.0)


def let_go(body: RobotState, call: SkillCall, command: str, target: Point3, status: str) -> Skill:
    """Have the gripper let go of what it holds. If nobody waits for its answer, `has_let_go` tells what became of it."""
    body.letting_go = call
    try:
        yield from body.grip(command, target, status)
    except SkillFailed:
        if body.unanswered is None:  # the gripper said no
            body.letting_go = None
        raise
    body.letting_go, body.holding = None, ""


def has_let_go(body: RobotState, call: SkillCall) -> bool:
    """Whether this call was cut off while the gripper let go, and the hand has been read as empty since: it must not be done twice."""
    done = body.letting_go == call and not body.holding
    body.letting_go = None
    return done


def empty_handed(body: RobotState) -> None:
    """Fail if the robot holds anything."""
    if body.holding:
        raise SkillFailed(f"the hand is full: it holds {body.spoken(body.holding)}")


def held(body: RobotState, theme: str) -> None:
    """Fail unless the robot holds that object."""
    if theme != body.holding:
        hand = f"it holds {body.spoken(body.holding)}" if body.holding else "the hand is empty"
        raise SkillFailed(f"the robot does not hold {body.spoken(theme)}: {hand}")


def surface_spots(body: RobotState, goal: str) -> list[Point3]:
    """Spots on a piece of furniture to set something down, spread over it, the nearest to the place's pose first.

    Raises:
        SkillFailed: it has no surface, or the robot has seen something on every spot.
    """
    domain_place = body.domain.places.get(goal)
    surfaces = body.map.surfaces_of(goal)
    if domain_place is None or not domain_place.takes or not surfaces:
        raise SkillFailed(f"nothing can be put on {body.spoken(goal)}")
    stand = np.array(domain_place.pose[:2])
    grid = sorted((spot for surface in surfaces for spot in _grid(surface)), key=lambda spot: float(np.hypot(*(stand - spot[:2]))))
    chosen: list[Point3] = []
    for spot in grid:
        x, y, _ = spot
        crowded = body.sightings.near(spot, APART) or any(np.hypot(x - other[0], y - other[1]) < SPREAD for other in chosen)
        if not crowded:
            chosen.append(spot)
        if len(chosen) == ATTEMPTS:
            break
    if not chosen:
        raise SkillFailed(f"there is no free spot on {body.spoken(goal)}")
    return chosen


def _grid(surface: Box) -> list[Point3]:
    """Spots every 5 cm, none near the edge; on a narrow surface, along its middle line."""
    along, across = (
        np.arange(-half, half + 1e-9, 0.05) if half > 0 else np.zeros(1) for half in (surface.length / 2 - EDGE, surface.width / 2 - EDGE)
    )
    return [(*surface.world(float(a), float(b)), surface.top) for a in along for b in across]
