"""Reading a scene file: YAML with includes, checked, errors that name file, line and field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sayso.paths import config_dir
from sayso.sim.scene import Figure, Loose, Part, Placed, Scene, Shape
from sayso.yaml_source import Location, listed, read_yaml


def load_scene(path: Path | str | None = None) -> Scene:
    """The checked scene of that file, or the default apartment.

    Raises:
        DomainError: the file is missing, is no YAML, or says something that cannot be; one line, naming file and line.
    """
    return _load(Path(path).resolve() if path else config_dir() / "scenes" / "apartment.yaml")


@lru_cache(maxsize=8)
def _load(path: Path) -> Scene:
    source = read_yaml(path, "a scene file is a mapping with the keys rooms, walls, furniture, objects, people, robot, …")
    scene = source.checked(Scene)
    source.refuse(_contradictions(scene))
    return scene


def _contradictions(scene: Scene) -> Iterator[tuple[Location, str]]:
    """Everything that names something which is not there."""
    for section, things in (("furniture", scene.furniture), ("decor", scene.decor), ("objects", scene.objects), ("people", scene.people)):
        for thing_id, thing in things.items():
            if thing.shape not in scene.shapes:
                yield (section, thing_id, "shape"), f"unknown shape '{thing.shape}'; known: {listed(scene.shapes)}"
                continue
            yield from _unknown_colors(scene, (section, thing_id), thing)
    yield from _objects_that_cannot_be(scene)
    for person_id, person in scene.people.items():
        if scene.shapes[person.shape].hand is None:
            yield ("people", person_id, "shape"), f"the shape '{person.shape}' has no hand"
    yield from _colors_of_the_building(scene)
    yield from _ids_given_twice(scene)


def _colors_of_the_building(scene: Scene) -> Iterator[tuple[Location, str]]:
    for room_id, room in scene.rooms.items():
        for index, color in enumerate(room.floor.colors):
            if not _is_color(scene, color):
                yield ("rooms", room_id, "floor", "colors", index), f"unknown colour '{color}'"
    for index, wall in enumerate(scene.walls):
        if not _is_color(scene, wall.color):
            yield ("walls", index, "color"), f"unknown colour '{wall.color}'"


def _objects_that_cannot_be(scene: Scene) -> Iterator[tuple[Location, str]]:
    for object_id, thing in scene.objects.items():
        shape = scene.shapes[thing.shape]
        if shape.hull is None or shape.mass is None:
            yield ("objects", object_id, "shape"), f"the shape '{thing.shape}' has no hull and mass, so it cannot be taken"
        if thing.on not in scene.furniture:
            yield ("objects", object_id, "on"), f"unknown furniture '{thing.on}'; known: {listed(scene.furniture)}"
            continue
        if not scene.shapes[scene.furniture[thing.on].shape].areas:
            yield ("objects", object_id, "on"), f"nothing can stand on '{thing.on}': its shape has no areas"


def _unknown_colors(scene: Scene, location: Location, thing: Placed | Loose | Figure) -> Iterator[tuple[Location, str]]:
    shape = scene.shapes[thing.shape]
    for name, color in thing.colors.items():
        if not _is_color(scene, color):
            yield (*location, "colors", name), f"unknown colour '{color}'; known: {listed(scene.palette)}, or '#rrggbb'"
    for index, part in enumerate(shape.parts):
        if not _is_color(scene, part.color, thing, shape):
            yield _uncolored(location, thing.shape, index, part)


def _uncolored(location: Location, shape: str, index: int, part: Part) -> tuple[Location, str]:
    return location, f"part {index} of the shape '{shape}' has the colour '{part.color}', which neither thing, shape nor palette gives"


def _is_color(scene: Scene, color: str, thing: Placed | Loose | Figure | None = None, shape: Shape | None = None) -> bool:
    try:
        scene.rgb(color, *(given.colors for given in (thing, shape) if given is not None))
    except KeyError:
        return False
    return True


def _ids_given_twice(scene: Scene) -> Iterator[tuple[Location, str]]:
    owner: dict[str, str] = {}
    for section in ("rooms", "furniture", "decor", "objects", "people"):
        for entity_id in getattr(scene, section):
            if entity_id in owner:
                yield (section, entity_id), f"the id is also used in {owner[entity_id]}"
            owner[entity_id] = section
