"""Driving skills: navigate_to, approach, dock, move, turn."""

from __future__ import annotations

import math

from sayso.domain.battery import DOCK
from sayso.robot.body import RobotState
from sayso.robot.company import come_to
from sayso.robot.follow import ProgressChecker, Ramp
from sayso.robot.geometry import wrap
from sayso.robot.skill import Skill, SkillFailed, Step, part
from sayso.types import SkillCall

MOVE = 0.5  # m, if no extent is given
TURN = math.pi / 2  # rad, likewise
NOT_WORTH = 0.05  # m: less room than this counts as none
MOVE_SPEED = 0.4  # m/s
_ASIDE = {"forward": 0.0, "forwards": 0.0, "ahead": 0.0, "left": math.pi / 2, "right": -math.pi / 2}
_BACK = ("back", "backward", "backwards")


def navigate_to(body: RobotState, call: SkillCall) -> Skill:
    """Drive to the pose of a place."""
    goal = call.argument("goal")
    place = body.domain.places.get(goal)
    if place is None:
        raise SkillFailed(f"the home has no place '{goal}'")
    x, y, yaw = place.pose
    yield from body.follow((x, y), yaw, f"driving to {body.spoken(goal)}")


def approach(body: RobotState, call: SkillCall) -> Skill:
    """Drive to a person until their hand is within reach, and face them."""
    person = call.argument("recipient")
    yield from come_to(body, person, f"driving to {body.spoken(person)}")


def dock(body: RobotState, call: SkillCall) -> Skill:
    """Drive to the charging station."""
    yield from navigate_to(body, SkillCall(call.name, (("goal", DOCK),)))


def move(body: RobotState, call: SkillCall) -> Skill:
    """Drive straight by a number of metres; turn first for left and right."""
    direction, extent = call.argument("direction") or "forward", quantity(call, MOVE)
    if direction not in _BACK and direction not in _ASIDE:
        raise SkillFailed(f"'{direction}' is not a direction to move in")
    status = f"moving {direction}"
    if _ASIDE.get(direction):
        yield from part(body.turn(_ASIDE[direction], status), 0.0, 0.3)
    sign = -1.0 if direction in _BACK else 1.0
    heading = body.pose.yaw + (math.pi if sign < 0 else 0.0)
    length = body.map.free_length(body.pose, heading, extent)
    if length < min(NOT_WORTH, extent):
        raise SkillFailed(f"there is no room to move {direction}")
    yield from part(straight(body, sign, length, status), 0.3, 1.0)
    if length < extent - NOT_WORTH:
        raise SkillFailed(f"moved {length:.1f} m only: something is in the way")


def turn(body: RobotState, call: SkillCall) -> Skill:
    """Turn on the spot, left, right or around, by an angle in radians."""
    direction = call.argument("direction") or "left"
    if direction not in {"left", "right", "around", "back", "backward", "backwards"}:
        raise SkillFailed(f"'{direction}' is not a direction to turn in")
    angle = quantity(call, TURN if direction in {"left", "right"} else math.pi)
    yield from body.turn(-angle if direction == "right" else angle, f"turning {direction}")


def quantity(call: SkillCall, default: float) -> float:
    """The call's extent in SI units, or the default."""
    text = call.argument("extent")
    try:
        value = float(text) if text else default
    except ValueError:
        raise SkillFailed(f"'{text}' is not a number") from None
    if not (math.isfinite(value) and value >= 0):
        raise SkillFailed(f"'{text}' is not a valid extent")
    return value


def straight(body: RobotState, sign: float, length: float, status: str) -> Skill:
    """Drive along the line through the current pose for `length` metres, backwards if `sign` is −1."""
    start, limits = body.pose, body.limits
    ramp, watch = Ramp(limits), ProgressChecker(limits.patience)
    cos, sin = math.cos(start.yaw), math.sin(start.yaw)
    while True:
        dx, dy = body.pose.x - start.x, body.pose.y - start.y
        rest = length - sign * (cos * dx + sin * dy)
        if rest <= 0.01:
            break
        watch(rest, body.now, body.pose)
        v = sign * min(MOVE_SPEED, max(math.sqrt(limits.acceleration * rest), limits.slowest))
        offset, askew = cos * dy - sin * dx, wrap(body.pose.yaw - start.yaw)
        w = min(max(-2.0 * askew - 2.0 * sign * offset, -0.5), 0.5)
        body.robot.drive(*ramp(v, w, body.now))
        yield Step(status, 1 - rest / length)
    yield from body.settle(status)
