"""Compares the robot camera's pictures of both worlds pixel by pixel: model and depth.

Drake reads and draws the SDF (its own reader on libsdformat, its renderer on VTK). It shares no code with our writer or with MuJoCo.
Drake is not Gazebo: it has neither Gazebo's light and shadows nor the pictures on the floors.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AbsentProgramError, SaysoError
from sayso.gazebo.compare import ONLY_IN_MUJOCO
from sayso.gazebo.parts import name_in_mujoco
from sayso.gazebo.topics import ROBOT
from sayso.scene.scene import Scene
from sayso.sim.arm import Arm
from sayso.sim.camera import Camera
from sayso.sim.mjcf import COLLISION, VISUAL
from sayso.sim.robot_body import CAMERA, FOLDED
from sayso.sim.world import World
from sayso.types import FloatArray

INSTALL = "pip install --no-deps drake==1.51.1, and libEGL (Debian: libegl1, libgl1-mesa-dri)"
DEEP = 0.02  # m plus this share of the distance: the tolerance of depths
NOTHING = ""
ROUND = 72, 36  # faces around a round body, and along it
Station = tuple[float, float, float]  # the robot's pose: x, y (m), yaw (rad)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """One picture."""

    names: NDArray[np.str_]  # (H, W) model at each pixel: "red_cup", "floor/kitchen", "wall" for any wall; "" for none
    depth: FloatArray  # (H, W) m along the optical axis; inf for none
    rgb: NDArray[np.uint8]  # (H, W, 3)


def stations(scene: Scene) -> tuple[Station, ...]:
    """The robot's start, and four directions from the middle of each room."""
    start = (*scene.robot.at, math.radians(scene.robot.yaw))
    rooms = [((room.area[0] + room.area[2]) / 2, (room.area[1] + room.area[3]) / 2) for room in scene.rooms.values()]
    return (start, *((x, y, quarter * math.pi / 2) for x, y in rooms for quarter in range(4)))


def agreeing_share(one: Shown, other: Shown) -> float:
    """The share of pixels with the same model at the same depth, with a tolerance of one pixel at edges."""
    return float((_found(one, other) & _found(other, one)).mean())


def _found(one: Shown, other: Shown) -> NDArray[np.bool_]:
    """(H, W): whether `other` shows the same as `one` at that pixel or next to it."""
    height, width = one.names.shape
    names, depth = np.pad(other.names, 1, mode="edge"), np.pad(other.depth, 1, mode="edge")
    found = np.zeros((height, width), bool)
    for row in range(3):
        for column in range(3):
            beside = (slice(row, row + height), slice(column, column + width))
            with np.errstate(invalid="ignore"):  # inf − inf where both are empty
                deep = np.abs(depth[beside] - one.depth) <= DEEP * (1.0 + one.depth)
            found |= (names[beside] == one.names) & (deep | (one.names == NOTHING))
    return found


def in_mujoco(scene: Scene, places: Sequence[Station]) -> Iterator[Shown]:
    """Render the embedded simulation's camera from each station.

    Raises:
        SimulationError: OpenGL is unavailable.
    """
    world = World(scene)
    model = world.model
    names = np.array([*(_owner(model, geom) for geom in range(model.ngeom)), NOTHING])
    for geom in range(model.ngeom):
        if model.geom(geom).name.endswith(ONLY_IN_MUJOCO):
            model.geom_group[geom] = COLLISION
    model.vis.quality.numslices, model.vis.quality.numstacks = ROUND  # as round as Drake draws them
    Arm(model, world.data).snap(FOLDED)
    camera = Camera(model, "camera", CAMERA.width, CAMERA.height, shadows=False)
    try:
        for x, y, yaw in places:
            world.pose(ROBOT, (x, y, 0.0), yaw)
            world.refresh()
            geoms = camera.geoms(world.data)
            rgb, depth = camera.picture(world.data)
            yield Shown(names[geoms], np.where(geoms < 0, np.inf, depth.astype(np.float64)), rgb)
    finally:
        camera.close()


def _owner(model: Any, geom: int) -> str:
    if model.geom_group[geom] != VISUAL:
        return NOTHING
    body = int(model.geom_bodyid[geom])
    return _known_as(model.body(model.body_rootid[body]).name if body else model.geom(geom).name)


def _known_as(name: str) -> str:
    """Name a door by its furniture, and all walls alike: where walls meet, two faces lie in one plane, and either may be drawn."""
    known = name_in_mujoco(name)
    return known.partition("/")[0] if known.startswith(("wall/", "stain/")) else known


def in_sdf(world: Path, places: Sequence[Station]) -> list[Shown]:
    """Render the camera of an SDF world from each station, with Drake.

    Drake runs in a process of its own: without OpenGL it would crash this one.

    Raises:
        SaysoError: Drake is not installed, has nothing to draw with, or cannot read the world.
    """
    if lacking():
        raise AbsentProgramError(f"{lacking()}: {INSTALL}")
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.npz"
        command = [sys.executable, "-m", "sayso.gazebo.drake_view", str(world), str(drawn), json.dumps(places)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            why = [line for line in done.stderr.splitlines() if line.strip() and "Ignoring" not in line]
            raise SaysoError(f"{world}: Drake cannot draw it: {why[-1].strip() if why else f'exit code {done.returncode}'}")
        with np.load(drawn) as found:
            models = np.array([*(_known_as(str(name)) for name in found["models"]), NOTHING])
            labels = np.minimum(found["labels"], len(models) - 1)  # the largest labels mean no model
            return [
                Shown(models[label], depth.astype(np.float64), rgb)
                for label, depth, rgb in zip(labels, found["depth"], found["rgb"], strict=True)
            ]


def lacking() -> str:
    """What `in_sdf` needs and this machine lacks; "" if nothing."""
    if importlib.util.find_spec("pydrake") is None:
        return "Drake is not installed"
    drivers = [
        *Path("/usr/lib").glob("*/dri/*_dri.so"),
        *Path("/usr/lib").glob("*/libEGL_nvidia.so*"),
        *Path("/usr/lib64").glob("dri/*_dri.so"),
    ]
    return "" if ctypes.util.find_library("EGL") and drivers else "there is no EGL for Drake to draw with"
