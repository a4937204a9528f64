"""Chooses the OpenGL backend for MuJoCo on a machine that may have no display and no GPU."""

from __future__ import annotations

import os
from ctypes.util import find_library

from sayso.errors import SimulationError

REMEDY = "install libosmesa6 (apt install libosmesa6), or libegl1 and libgl1-mesa-dri"
SOFTWARE = {"osmesa": "OSMesa", "egl": "EGL"}  # backends that need no display, in the order they are tried, and their library


def rendering_backend() -> str:
    """The value for MUJOCO_GL: the user's choice, else osmesa or egl, whichever library is installed.

    Raises:
        SimulationError: no backend is available; says what to install.
    """
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    if chosen in SOFTWARE and not find_library(SOFTWARE[chosen]):
        raise SimulationError(f"MUJOCO_GL={chosen} needs lib{SOFTWARE[chosen]}, which is not here: unset MUJOCO_GL, or {REMEDY}")
    if chosen in ("disable", "disabled", "off", "false", "0"):
        raise SimulationError(f"MUJOCO_GL={chosen} turns pictures off, and the robot is blind without: unset it")
    if chosen:
        return chosen
    for backend, library in SOFTWARE.items():
        if find_library(library):
            return backend
    raise SimulationError(f"there is no OpenGL to draw the camera's pictures with: {REMEDY}")
