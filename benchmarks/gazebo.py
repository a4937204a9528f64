"""A real Gazebo: starts, the camera's pose, pace, pictures and drives beside MuJoCo's, and errands judged by its poses.

Sets: world (starts, camera, pace and pictures), stop (spoken, while the robot drives), apartment, warehouse and random homes (three), and
agreement (the errands of the apartment in both worlds). Simulation alone. The errands are those of `sayso bench tasks`, from sound, in the
apartment typed as well, on all nodes over DDS, each in a new world, and judged by Gazebo's poses with the same judge; on two cores one
takes two to four minutes. `--limit` takes so many starts and stops, and the first so many errands of each home. SAYSO_GAZEBO names a
Gazebo: docs/gazebo.md.
"""

from __future__ import annotations

import itertools
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from _gazebo_agreement import agreement_rows, untaken_agreement
from _gazebo_errands import HOMES, errand_rows, untaken_errands
from sayso.console.bench import Absent, Row, part, quantile_row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.errors import AbsentGazeboError, RosError, SaysoError
from sayso.scene import Scene, load_scene

STARTS = (0.0, 5.0, -8.0)  # s that Gazebo starts after the nodes, in turn
WORLD = "world"
STOP = "stop"
AGREEMENT = "agreement"
SETS = (WORLD, STOP, *HOMES, AGREEMENT)
# m/s, rad/s, simulated s: forward and back, turns, and rest between them.
DRIVE = ((0.0, 0.8, 2.0), (0.0, 0.0, 1.0), (0.3, 0.0, 1.5), (0.0, 0.0, 1.0), (0.0, -0.8, 3.0), (-0.3, 0.0, 1.5), (0.0, 0.0, 1.0))
MOVES = 0.2  # m that a robot with free magnets goes at least in a second of 0.4 m/s
PERIOD = 0.02  # s of one velocity, as in MuJoCo
STILL = 0.5  # simulated s in which a robot that was told to stop comes to rest
BESIDE = (  # measure, unit, better, goal
    ("camera's pose while driving, angle to the truth, 95 %", "°", "lower", 0.2),
    ("camera's pose while driving, distance to the truth, 95 %", "mm", "lower", 5.0),
    ("real-time factor, camera on, magnets free", "1", "higher", 1.5),
    ("the same velocities in both worlds: distance of the ends", "cm", "lower", 3.0),
    ("the same velocities in both worlds: angle of the ends", "°", "lower", 2.0),
)
STOPS, STOPS_WITHIN = 100, 400.0  # how many, and ms
PLACES = 50, 8  # from where pictures are compared; the latter for --quick
IN_PICTURES = (  # the same
    ("pixels at the same distance as in MuJoCo's pictures", "%", "higher", 99.0),
    ("things found in Gazebo's pictures", "%", "higher", None),
    ("absent things found in Gazebo's pictures", "%", "lower", 1.0),
    ("things that are found in both or in neither", "%", "higher", 97.0),
)


def run(quick: bool = False, only: str = "", limit: int = 0) -> Iterator[Row]:
    """Yield all rows, or those of one of SETS; --quick: one start, no errand."""
    from sayso_nodes.running.gazebo_server import gazebo_programs, trouble

    if only and only not in SETS:
        raise SaysoError(f"no set '{only}'; known: {', '.join(SETS)}")
    homes = () if quick else [each for each in HOMES if only in ("", each)]
    try:
        programs = gazebo_programs()
        if why := trouble(programs):
            raise AbsentGazeboError(why)
    except RosError as none:
        lacks: Absent = "program" if isinstance(none, AbsentGazeboError) else ""
        yield from (replace(row, absent=lacks) for row in _untaken(str(none), only))
        return
    with tempfile.TemporaryDirectory() as name:
        if only in ("", WORLD):
            starts = itertools.islice(itertools.cycle(STARTS), 1 if quick else limit or len(STARTS))
            yield from part(WORLD, partial(_world, programs, Path(name), tuple(starts), PLACES[quick]))
        if only == STOP or not (only or quick):
            from _gazebo_stop import spoken_stops

            yield from part(STOP, lambda: _stop_rows(spoken_stops(programs, Path(name) / "stop", limit or STOPS)))
        for home in homes:
            yield from part(home, partial(errand_rows, programs, Path(name) / "errands", home, limit))
        if only == AGREEMENT or not (only or quick):
            yield from part(AGREEMENT, partial(agreement_rows, programs, Path(name) / "agreement", limit))


def _untaken(reason: str, only: str) -> Iterator[Row]:
    if only in ("", WORLD):
        yield Row("starts in any order: magnets free, robot moves", None, f"of {len(STARTS)}", "higher", len(STARTS), reason=reason)
        yield from _rows((*BESIDE, *IN_PICTURES), reason)
    if only in ("", STOP):
        yield from _stop_rows([], reason)
    for home in HOMES:
        if only in ("", home):
            yield from untaken_errands(home, reason)
    if only in ("", AGREEMENT):
        yield from untaken_agreement(reason)


def _world(programs: Any, folder: Path, starts: tuple[float, ...], places: int) -> Iterator[Row]:
    """Starts, camera, pace, drives and pictures of the apartment."""
    from _gazebo_world import write_measured

    scene = load_scene()
    write_measured(folder)
    yield _starts(programs, folder, scene, starts)
    try:
        yield from _driven(programs, folder, scene)
    except SaysoError as error:
        yield from _rows(BESIDE, str(error))
    yield from _pictures(programs, folder / "pictures", scene, places)


def _stop_rows(stops: list[Any], reason: str = "") -> Iterator[Row]:
    """The rows of the set stop; without a value for a reason, if there is one."""
    heard = [each for each in stops if math.isfinite(each.rest)]
    share = 100.0 * len(heard) / len(stops) if stops else None
    yield Row("spoken stops after which the robot was at rest", share, "%", "higher", None, n=len(stops), reason=reason)
    for q in (0.5, 0.99):
        row = quantile_row(f"end of “stop” → robot at rest, simulated time, p{100 * q:g}", [each.rest for each in heard], q, STOPS_WITHIN)
        zero = {"to zero on cmd_vel": 1e3 * float(np.quantile([each.zero for each in heard], q)) if heard else None}
        yield Row(row.measure, row.value, row.unit, row.better, row.goal, zero, row.spread, row.n, reason or row.reason)


def _rows(measures: tuple[Any, ...], reason: str) -> Iterator[Row]:
    """Rows without a value."""
    yield from (Row(measure, None, unit, better, goal, reason=reason) for measure, unit, better, goal in measures)


def _starts(programs: Any, folder: Path, scene: Scene, starts: tuple[float, ...]) -> Row:
    from _gazebo_world import measured

    moved, took = 0, []
    for late in counted(starts, "starts of Gazebo"):
        began = time.monotonic()
        try:
            with measured(programs, folder, scene, late) as onlooker:
                took.append(time.monotonic() - began)
                before = onlooker.standing()
                onlooker.drive(0.4, 0.0, 1.0)
                moved += float(np.linalg.norm(onlooker.standing()[:2, 3] - before[:2, 3])) > MOVES
        except RosError as error:
            print(f"Gazebo {late:g} s after the nodes: {error}", file=sys.stderr)
    spread = {"slowest until all are free, s": max(took, default=None)}
    return Row(
        "starts in any order: magnets free, robot moves", float(moved), f"of {len(starts)}", "higher", len(starts), spread, n=len(starts)
    )


def _driven(programs: Any, folder: Path, scene: Scene) -> Iterator[Row]:
    """The rows of BESIDE, from one drive."""
    from _gazebo_world import measured

    with measured(programs, folder, scene) as onlooker:
        began, simulated = time.monotonic(), onlooker.seconds
        for v, w, seconds in DRIVE:
            onlooker.drive(v, w, seconds)
        pace = (onlooker.seconds - simulated) / (time.monotonic() - began)
    values: list[tuple[float | None, dict[str, float | None], int]] = [*_camera(onlooker, simulated)]
    values.append((pace, {"load of the machine": os.getloadavg()[0]}, 1))
    values += _replayed(scene, {stamp: pose for stamp, pose in onlooker.truth.items() if stamp >= simulated})
    for (measure, unit, better, goal), (value, beside, n) in zip(BESIDE, values, strict=True):
        yield Row(measure, value, unit, better, goal, beside, n=n, reason="" if value is not None else "nothing came")  # type: ignore[arg-type]


def _camera(onlooker: Any, since: float) -> Iterator[tuple[float | None, dict[str, float | None], int]]:
    """Angle and distance of the published poses to those of Gazebo's model; beside them, what the last odometry before a picture gives."""
    from _gazebo_world import angle
    from sayso.sim.robot_body import mounted_camera

    mount = mounted_camera()
    stamps = np.array(sorted(onlooker.truth))
    odometry = onlooker.odometry
    off, simple = [], []
    for stamp, pose in onlooker.cameras:
        nearest = float(stamps[np.abs(stamps - stamp).argmin()])
        earlier = [known for when, known in odometry if when <= stamp]
        if stamp < since or abs(nearest - stamp) > 1e-3 or not earlier:
            continue
        truth = onlooker.truth[nearest] @ mount
        for found, kept in ((pose, off), (earlier[-1] @ mount, simple)):
            kept.append((angle(found, truth), 1000 * float(np.linalg.norm(found[:3, 3] - truth[:3, 3]))))
    for column in range(2):
        ours, theirs = ([each[column] for each in kept] for kept in (off, simple))
        value = float(np.quantile(ours, 0.95)) if ours else None
        yield value, {"the last odometry": float(np.quantile(theirs, 0.95)) if theirs else None}, len(ours)


def _heading(pose: Any) -> float:
    return math.atan2(pose[1, 0], pose[0, 0])


def _replayed(scene: Scene, truth: dict[float, Any]) -> Iterator[tuple[float | None, dict[str, float | None], int]]:
    """MuJoCo's robot with the velocities of Gazebo's robot, of each fiftieth of a second: how far apart they end.

    Gazebo's velocities and not the commands, because on a busy machine these come to Gazebo tenths of a simulated second late.
    """
    from sayso.sim.simulation import Simulation

    times = np.arange(min(truth), max(truth), PERIOD)
    stamps = np.array(sorted(truth))
    known = np.unique(stamps[np.searchsorted(stamps, times)])
    poses = [truth[float(when)] for when in known]
    simulation = Simulation(scene)
    simulation.put_robot(float(poses[0][0, 3]), float(poses[0][1, 3]), _heading(poses[0]))
    for before, after, seconds in zip(poses, poses[1:], np.diff(known), strict=False):
        turned, moved = _difference(_heading(after), _heading(before)), after[:2, 3] - before[:2, 3]
        along = float(moved @ before[:2, 0])  # in the direction of the robot's x
        simulation.drive(along / seconds, turned / seconds)
        simulation.step(float(seconds))
    simulation.drive(0.0, 0.0)
    simulation.step(STILL)
    x, y, yaw, *_ = simulation.odometry
    length = {"m driven": sum(float(np.linalg.norm(b[:2, 3] - a[:2, 3])) for a, b in itertools.pairwise(poses))}
    yield 100 * math.dist((x, y), poses[-1][:2, 3]), length, 1
    yield abs(math.degrees(_difference(yaw, _heading(poses[-1])))), {}, 1


def _difference(one: float, other: float) -> float:
    """The angle from `other` to `one`, rad, in (−π, π]."""
    return (one - other + math.pi) % (2 * math.pi) - math.pi


def _pictures(programs: Any, folder: Path, scene: Scene, places: int) -> Iterator[Row]:
    from _gazebo_pictures import compared
    from sayso.grounding import VisualGrounder

    try:
        seen = compared(programs, scene, load_domain(), VisualGrounder(), folder, places)
    except SaysoError as error:
        yield from _rows(IN_PICTURES, str(error))
        return
    values: tuple[tuple[float, dict[str, float | None], int], ...] = (
        (seen.same_depth, {}, 1),
        (seen.found[0], {"MuJoCo's": 100 * seen.found[1]}, seen.shown),
        (seen.absent_found[0], {"MuJoCo's": 100 * seen.absent_found[1]}, seen.absent),
        (seen.alike, {}, seen.shown),
    )
    for (measure, unit, better, goal), (value, beside, n) in zip(IN_PICTURES, values, strict=True):
        yield Row(measure, 100 * value, unit, better, goal, beside, n=n)  # type: ignore[arg-type]
