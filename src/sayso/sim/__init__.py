"""The world without a robot at hand: scene files and their geometry; `sayso.sim.simulation` makes it move (and imports MuJoCo)."""

from sayso.sim.load import load_scene
from sayso.sim.scene import Scene

__all__ = ["Scene", "load_scene"]
