"""Scene files and their geometry: rooms, furniture and things, checked and laid out. There is no simulator in here."""

from sayso.scene.load import load_scene
from sayso.scene.scene import Scene

__all__ = ["Scene", "load_scene"]
