"""The same typed errands in Gazebo and in the embedded simulation: outcomes, and where the robot and the things are in the end."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from _gazebo_errands import EndedErrand, GazeboErrand, in_gazebo, in_mujoco, sounds, told
from sayso.bags.messages import GroundTruth
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.errors import RosError
from sayso.speech.files import sentence_of

MOVED = 0.05  # m: a thing that is farther than this from where it was, in either world, is compared
SAME = "the same errand in both worlds"
OUTCOMES = f"{SAME}: outcomes alike"
DISTANCES = (  # measure, unit, goal
    (f"{SAME}: distance of the robot's places at the end, median", "cm", 3.0),
    (f"{SAME}: angle of the robot's poses at the end, median", "°", 2.0),
    (f"{SAME}: distance of what was moved, median", "cm", 3.0),
)


def agreement_rows(programs: Any, folder: Path, limit: int) -> Iterator[Row]:
    """The errands of the apartment in both worlds; `limit`: the first so many, 0: all."""
    errands, alike = [GazeboErrand(sound) for sound in sounds(limit)], 0
    found: tuple[list[float], ...] = ([], [], [])
    for errand in counted(errands, "errands in both worlds"):
        try:
            here = in_gazebo(programs, folder / "gazebo", errand, GazeboErrand.typed)
            there = in_mujoco(folder / "mujoco", errand, GazeboErrand.typed)
        except RosError as error:
            print(f"“{sentence_of(errand.sound)}”: not done: {error}", file=sys.stderr)
            continue
        alike += bool(told(here.checks)) == bool(told(there.checks))
        for all_of_them, those in zip(found, _apart(here, there), strict=True):
            all_of_them.extend(those)
        words = ", ".join(f"{np.max(each):.1f}" if each else "–" for each in _apart(here, there))
        outcomes = " and ".join(told(each.checks) or "done" for each in (here, there))
        print(f"“{sentence_of(errand.sound)}” in Gazebo and MuJoCo: {outcomes}; cm, ° and cm apart: {words}", file=sys.stderr, flush=True)
    yield Row(OUTCOMES, float(alike), f"of {len(errands)}", "higher", len(errands), n=len(errands))
    for (measure, unit, goal), values in zip(DISTANCES, found, strict=True):
        if not values:
            yield Row(measure, None, unit, "lower", goal, reason="nothing was measured")
            continue
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        yield Row(measure, float(middle), unit, "lower", goal, {"largest": max(values)}, spread=(float(low), float(high)), n=len(values))


def untaken_agreement(reason: str) -> Iterator[Row]:
    """The same rows without a value."""
    yield Row(OUTCOMES, None, f"of {len(sounds())}", "higher", len(sounds()), reason=reason)
    yield from (Row(measure, None, unit, "lower", goal, reason=reason) for measure, unit, goal in DISTANCES)


def _apart(here: EndedErrand, there: EndedErrand) -> tuple[list[float], list[float], list[float]]:
    """Distance of the robot's places in cm, angle of its headings in °, distances of each thing that was moved in cm."""
    one, other = here.after, there.after
    robot = 100.0 * math.hypot(one.x - other.x, one.y - other.y)
    turned = math.degrees(abs(math.remainder(one.yaw - other.yaw, math.tau)))
    moved = sorted(_moved(here) | _moved(there))
    return [robot], [turned], [100.0 * _between(one, other, name) for name in moved]


def _moved(errand: EndedErrand) -> set[str]:
    return {name for name in errand.before.positions if _between(errand.before, errand.after, name) > MOVED}


def _between(one: GroundTruth, other: GroundTruth, name: str) -> float:
    return math.dist(one.positions[name], other.positions[name])
