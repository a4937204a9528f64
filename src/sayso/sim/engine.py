"""Imports MuJoCo after choosing the OpenGL backend: it reads MUJOCO_GL only while it is imported."""

from __future__ import annotations

import os

from sayso.errors import SimulationError
from sayso.sim.backend import rendering_backend

try:
    os.environ["MUJOCO_GL"] = rendering_backend()
    unavailable = ""  # why pictures cannot be drawn; empty if they can
except SimulationError as missing:
    # Physics works without OpenGL; only rendering raises the error.
    os.environ["MUJOCO_GL"] = "disabled"
    unavailable = str(missing)

import mujoco

__all__ = ["mujoco", "unavailable"]
