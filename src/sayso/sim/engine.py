"""MuJoCo, imported after the way of drawing was chosen: it reads MUJOCO_GL while it is imported, and never again."""

from __future__ import annotations

import os

from sayso.errors import SimulationError
from sayso.sim.backend import rendering_backend

try:
    os.environ["MUJOCO_GL"] = rendering_backend()
    unavailable = ""  # why no picture can be drawn; empty where it can
except SimulationError as missing:
    # Physics works without: only a picture asked for is an error then.
    os.environ["MUJOCO_GL"] = "disabled"
    unavailable = str(missing)

import mujoco

__all__ = ["mujoco", "unavailable"]
