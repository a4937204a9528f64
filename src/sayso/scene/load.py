"""Reading a scene file: YAML with includes, checked, errors that name file, line and field."""

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
        DomainError: the file is missing, is no YAML, or says something that cannot be; one line, naming file and line.
    """
    file = resolved(path) if path else config_dir() / "scenes" / "apartment.yaml"
    return _load(file, changed(file))


@lru_cache(maxsize=8)
def _load(path: Path, _changed: tuple[int, int]) -> Scene:
    source = read_yaml(path, "a scene file is a mapping with the keys rooms, walls, furniture, objects, people, robot, …")
    scene = source.checked(Scene)
    source.refuse(checks.contradictions(scene))
    source.refuse(collisions.contradictions(scene))
    return scene
