"""Reading a scene file: YAML with its includes, checked against the model, for unknown names, and for collisions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sayso.paths import config_dir
from sayso.scene import checks, collisions
from sayso.scene.scene import Scene
from sayso.yaml_source import changed, read_yaml, resolved


def load_scene(path: Path | str | None = None) -> Scene:
    """The checked scene of that file, or the default apartment.

    Raises:
        DomainError: the file is missing, is not YAML, or has mistakes; names file, line and remedy of each.
    """
    file = resolved(path) if path else config_dir() / "scenes" / "apartment.yaml"
    return _load(file, changed(file))


@lru_cache(maxsize=8)
def _load(path: Path, _changed: tuple[int, int]) -> Scene:
    source = read_yaml(path, "a scene file is a mapping with the keys rooms, walls, furniture, objects, people, robot, …")
    return source.checked(Scene, checks.contradictions, collisions.contradictions)
