"""Skills for furniture and appliances: open, close, switch_on, switch_off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sayso.domain.states import DOOR, POWER
from sayso.robot.body import RobotState
from sayso.robot.geometry import Point2, Point3
from sayso.robot.handling import empty_handed
from sayso.robot.map import MARGIN, RobotMap
from sayso.robot.path import PathPlanner
from sayso.robot.skill import GripCommand, Skill, SkillFailed, part
from sayso.robot.stand import REACH, come_near, face_from
from sayso.scene.fittings import Fitting
from sayso.types import FloatArray, SkillCall

NEAREST = 0.25  # m from the robot's centre to a handle that it pulls


def open_up(body: RobotState, call: SkillCall) -> Skill:
    """Open the door or the drawer of a piece of furniture, standing where the door does not hit the robot."""
    yield from _moved(body, call.argument("theme"), "open", "open")


def close_up(body: RobotState, call: SkillCall) -> Skill:
    """Close the door or the drawer of a piece of furniture, from where it does not hit the robot."""
    yield from _moved(body, call.argument("theme"), "close", "closed")


def switch_on(body: RobotState, call: SkillCall) -> Skill:
    """Switch an appliance on."""
    yield from _switched(body, call.argument("theme"), "switch_on", "powered")


def switch_off(body: RobotState, call: SkillCall) -> Skill:
    """Switch an appliance off."""
    yield from _switched(body, call.argument("theme"), "switch_off", "unpowered")


def _moved(body: RobotState, theme: str, command: GripCommand, state: str) -> Skill:
    empty_handed(body)
    fitting = body.map.fitting(theme)
    if fitting is None:
        raise SkillFailed(f"the robot knows no door or drawer of {body.spoken(theme)}")
    name, handle = body.spoken(theme), fitting.handle(1.0 if ("open", theme) in body.states else 0.0)
    yield from part(face_from(body, stand_aside(body, fitting), handle, f"driving to {name}"), 0.0, 0.6)
    learn(body, theme)  # if the hand slips off, it may be half open
    verb = "opening" if command == "open" else "closing"
    yield from part(gripping(body, command, fitting.closed_handle, f"{verb} {name}"), 0.6, 1.0)
    learn(body, theme, state)


def _switched(body: RobotState, theme: str, command: GripCommand, state: str) -> Skill:
    button = body.map.switches.get(theme)
    if button is None:
        raise SkillFailed(f"the robot knows no switch of {body.spoken(theme)}")
    name = body.spoken(theme)
    yield from part(come_near(body, button, f"driving to {name}"), 0.0, 0.7)
    learn(body, theme, states=POWER)
    yield from part(gripping(body, command, button, f"switching {name} {'on' if command == 'switch_on' else 'off'}"), 0.7, 1.0)
    learn(body, theme, state, POWER)


def gripping(body: RobotState, command: GripCommand, point: Point3, status: str) -> Skill:
    """The gripper's command; if the skill ends before it, as by a stop, the hand lets go."""
    try:
        yield from body.grip(command, point, status)
    except GeneratorExit:
        body.robot.grip("stop", point)
        raise


def learn(body: RobotState, theme: str, state: str = "", states: tuple[str, str] = DOOR) -> None:
    """Note the state of a thing, or that it is no longer known. Open doors are obstacles on the robot's map."""
    body.states -= {(each, theme) for each in states}
    if state:
        body.states.add((state, theme))
    opened = {fitting.name for fitting in body.map.fittings if ("open", fitting.name) in body.states}
    if opened != body.map.opened:
        body.map = body.map.with_open(opened)
        body.planner = PathPlanner(body.map)


def forget(body: RobotState) -> None:
    """Nothing is known of doors and appliances any more."""
    for _, theme in tuple(body.states):
        learn(body, theme, states=DOOR)
        learn(body, theme, states=POWER)


def stand_aside(body: RobotState, fitting: Fitting) -> Point2:
    """The spot cheapest to reach from which the arm reaches the handle all the way, and that the door does not sweep.

    Raises:
        SkillFailed: there is no such spot.
    """
    spot = body.planner.cheapest(body.pose.xy, spots_aside(body.map, fitting))
    if spot is None:
        raise SkillFailed(f"there is no free floor from which to move the door of {body.spoken(fitting.name)}")
    return spot


def spots_aside(home: RobotMap, fitting: Fitting) -> NDArray[np.bool_]:
    """(rows, columns) whether the robot can move the door from the centre of that cell, if it fits there."""
    x, y = home.centres
    fits = np.ones(home.shape, dtype=bool)
    for handle in (fitting.handle(0.0), fitting.handle(1.0)):
        away = np.hypot(x - handle[0], y - handle[1])
        fits &= (away >= NEAREST) & (away <= REACH)
    near = np.argwhere(fits)
    clear = _clearance(np.column_stack([x[fits], y[fits]]), fitting.swept) >= home.radius + MARGIN
    for (row, column), free in zip(near, clear, strict=True):
        fits[row, column] = free and not home.separated(home.centre((int(row), int(column))), fitting.closed_handle[:2])
    return fits


def _clearance(spots: FloatArray, swept: FloatArray) -> FloatArray:
    """(N, 2) spots and (M, 2) points → (N,) m from each spot to the nearest point."""
    distance = np.hypot(spots[:, None, 0] - swept[None, :, 0], spots[:, None, 1] - swept[None, :, 1])
    return np.asarray(distance.min(axis=1), dtype=np.float64)
