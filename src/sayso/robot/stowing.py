"""Skills for the basket on the robot: stow, unstow; and what is in it, as the gripper's driver tells."""

from __future__ import annotations

from sayso.robot.body import RobotState
from sayso.robot.geometry import Point3
from sayso.robot.handling import empty_handed, held
from sayso.robot.skill import Pending, Skill, SkillFailed
from sayso.types import SkillCall

STOWED = "stowed"
NOWHERE: Point3 = (0.0, 0.0, 0.0)  # the basket is where it is on the robot: the command needs no target


def stow(body: RobotState, call: SkillCall) -> Skill:
    """Put what is in the hand into the basket."""
    theme = call.argument("theme")
    if (STOWED, theme) in body.states:
        return
    held(body, theme)
    yield from _moved(body, "stow", f"putting {body.spoken(theme)} into the basket")
    body.holding = ""
    body.states.add((STOWED, theme))


def unstow(body: RobotState, call: SkillCall) -> Skill:
    """Take a thing out of the basket."""
    theme = call.argument("theme")
    if theme == body.holding:
        return
    empty_handed(body)
    if (STOWED, theme) not in body.states:
        raise SkillFailed(f"{body.spoken(theme)} is not in the basket")
    yield from _moved(body, f"unstow {theme}", f"taking {body.spoken(theme)} out of the basket")
    body.states.discard((STOWED, theme))
    body.holding = theme


def contents(body: RobotState) -> Pending[tuple[bool, str]] | None:
    """Ask what is in the basket; None: this home's robot has none."""
    return body.robot.grip("read_basket", NOWHERE) if body.domain.basket else None


def learn_contents(body: RobotState, told: str) -> None:
    """Note what is in the basket: ids with commas between them."""
    things = {thing.strip() for thing in told.split(",")} & body.domain.objects.keys()
    body.states -= {state for state in body.states if state[0] == STOWED}
    body.states |= {(STOWED, thing) for thing in things}


def _moved(body: RobotState, command: str, status: str) -> Skill:
    try:
        yield from body.grip(command, NOWHERE, status)
    except GeneratorExit:  # a stop: the arm stays where it is, with what it holds
        body.robot.grip("stop", NOWHERE)
        raise
