"""Pictures of a simulation, or a skipped test where OpenGL cannot draw any."""

from __future__ import annotations

import pytest

from sayso.errors import SimulationError
from sayso.sim.simulation import Simulation
from sayso.types import Image


def picture_of(simulation: Simulation) -> Image:
    """What the robot sees; the test is skipped if that cannot be drawn."""
    try:
        return simulation.render()
    except SimulationError as blind:
        pytest.skip(str(blind))
