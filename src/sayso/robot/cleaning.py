"""clean: wipe the top of a piece of furniture, patch by patch, from as many stands as that takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.robot.body import RobotState
from sayso.robot.geometry import Box, Point2, Point3
from sayso.robot.handling import empty_handed
from sayso.robot.map import RobotMap
from sayso.robot.operating import gripping
from sayso.robot.skill import Skill, SkillFailed, part
from sayso.robot.stand import NEAREST, face_from
from sayso.types import FloatArray, SkillCall

PATCH = 0.2  # m, side of a patch, which one command of the gripper wipes
REACH = 0.9  # m from the robot's centre to the middle of a patch, which the pad then wipes to its far edge
STANDS = 6  # at most, for one piece of furniture
ENOUGH = 0.9  # share of the top that must be within reach


@dataclass(frozen=True, slots=True)
class WipingStand:
    """Where the robot stands, and the patches that it wipes from there, the nearest first."""

    spot: Point2
    patches: tuple[Point3, ...]  # m, their middles


def clean(body: RobotState, call: SkillCall) -> Skill:
    """Wipe all of a surface that the arm reaches, around what stands on it.

    Raises:
        SkillFailed: the hand is full, there is nothing to wipe, or a part of it is out of reach; the rest is wiped then.
    """
    empty_handed(body)
    theme = call.argument("theme")
    name, patches = body.spoken(theme), wiped_patches(body.map.surfaces_of(theme))
    if not patches:
        raise SkillFailed(f"{name} has no top that the robot could wipe")
    stands = wiping_stands(body.map, body.planner.costs(body.pose.xy), patches)
    done, total = 0, sum(len(stand.patches) for stand in stands)
    for stand in stands:
        middle = np.mean(stand.patches, axis=0).tolist()
        share = done / total
        yield from part(face_from(body, stand.spot, (middle[0], middle[1], middle[2]), f"driving to {name}"), share, share)
        for patch in stand.patches:
            yield from part(gripping(body, "wipe", patch, f"wiping {name}"), done / total, (done + 1) / total)
            done += 1
    if total < ENOUGH * len(patches):
        raise SkillFailed(f"the arm reaches only {total / len(patches):.0%} of {name}" + (": that much is wiped" if total else ""))


def wiped_patches(surfaces: tuple[Box, ...]) -> tuple[Point3, ...]:
    """The middles of the patches that cover these surfaces, m. Of boards above each other, the highest alone is wiped."""
    top = max((surface.top for surface in surfaces), default=0.0)
    return tuple(patch for surface in surfaces if surface.top == top for patch in _patches(surface))


def wiping_stands(home: RobotMap, costs: FloatArray, patches: tuple[Point3, ...]) -> tuple[WipingStand, ...]:
    """Spots from which together the arm reaches as many patches as it can: each time the one that adds most, then the cheapest.

    Args:
        home: the map.
        costs: (rows, columns) of getting to each cell, infinite where the robot cannot be.
        patches: to reach.
    """
    rows, columns = np.nonzero(np.isfinite(costs))
    x, y = (centres[rows, columns] for centres in home.centres)
    middles = np.array([patch[:2] for patch in patches])
    away = np.hypot(x[:, None] - middles[None, :, 0], y[:, None] - middles[None, :, 1])  # (spots, patches)
    reached: NDArray[np.bool_] = away <= REACH
    near = reached.any(axis=1) & (away.min(axis=1) >= NEAREST)
    rows, columns, away, reached = rows[near], columns[near], away[near], reached[near]
    left, found = np.ones(len(patches), bool), list[WipingStand]()
    while left.any() and len(found) < STANDS and len(rows):
        gain = (reached & left).sum(axis=1)
        best = int(np.lexsort((costs[rows, columns], -gain))[0])
        if not gain[best]:
            break
        spot = home.centre((int(rows[best]), int(columns[best])))
        taken = np.flatnonzero(reached[best] & left)
        open_to = [int(each) for each in taken if not home.separated(spot, patches[each][:2])]
        reached[best] = False  # this spot is used, or a wall is in the way of some
        if open_to:
            left[open_to] = False
            found.append(WipingStand(spot, tuple(patches[each] for each in sorted(open_to, key=lambda each: float(away[best, each])))))
    return tuple(found)


def _patches(surface: Box) -> Iterator[Point3]:
    columns, lines = (max(1, math.ceil(length / PATCH)) for length in (surface.length, surface.width))
    for column in range(columns):
        for line in range(lines):
            along = ((column + 0.5) / columns - 0.5) * surface.length
            across = ((line + 0.5) / lines - 0.5) * surface.width
            yield (*surface.world(along, across), surface.top)
