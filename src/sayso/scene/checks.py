"""Contradictions of a scene file: unknown shapes, colours and furniture, and ids with two meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sayso.scene.scene import Figure, Loose, Placed, Scene
from sayso.scene.stains import off_surface
from sayso.yaml_source import Contradiction, Location, unknown

SECTIONS = ("rooms", "furniture", "decor", "objects", "people")
# Names that simulators and the ground truth use themselves.
TAKEN = frozenset({"robot", "world", "hand", "floor", "gripper", "wall", "sun"})
_ID = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")


def contradictions(scene: Scene) -> Iterator[Contradiction]:
    """Every unknown or ambiguous name."""
    yield from _ids(scene)
    for section, things in (("furniture", scene.furniture), ("decor", scene.decor), ("objects", scene.objects), ("people", scene.people)):
        for thing_id, thing in things.items():
            if thing.shape not in scene.shapes:
                yield (section, thing_id, "shape"), unknown("shape", thing.shape, scene.shapes)
                continue
            yield from _unknown_colors(scene, (section, thing_id), thing)
    yield from _objects_that_cannot_be(scene)
    for furniture_id, placed in scene.furniture.items():
        for number in off_surface(scene, furniture_id) if placed.shape in scene.shapes else ():
            yield ("furniture", furniture_id, "stains", number), f"the stain is not on a surface of '{furniture_id}'"
    for person_id, person in scene.people.items():
        if person.shape in scene.shapes and scene.shapes[person.shape].hand is None:
            yield ("people", person_id, "shape"), f"the shape '{person.shape}' has no hand"
        for index, place in enumerate(person.walks):
            if place not in scene.rooms and place not in scene.furniture:
                yield ("people", person_id, "walks", index), unknown("place", place, {*scene.rooms, *scene.furniture})
    yield from _colors_of_the_building(scene)


def _ids(scene: Scene) -> Iterator[Contradiction]:
    owner: dict[str, str] = {}
    for section in SECTIONS:
        for entity_id in getattr(scene, section):
            if entity_id in owner:
                yield (section, entity_id), f"the id is also used in {owner[entity_id]}"
            if entity_id in TAKEN:
                yield (section, entity_id), f"'{entity_id}' cannot be an id: the simulation uses this name itself"
            if not _ID.match(entity_id):
                yield (section, entity_id), f"'{entity_id}' cannot be an id: letters, digits and _ only, a letter first"
            owner[entity_id] = section


def _colors_of_the_building(scene: Scene) -> Iterator[Contradiction]:
    for room_id, room in scene.rooms.items():
        for index, color in enumerate(room.floor.colors):
            if not _is_color(scene, color):
                yield ("rooms", room_id, "floor", "colors", index), _no_color(scene, color)
    for index, wall in enumerate(scene.walls):
        if not _is_color(scene, wall.color):
            yield ("walls", index, "color"), _no_color(scene, wall.color)


def _objects_that_cannot_be(scene: Scene) -> Iterator[Contradiction]:
    for object_id, thing in scene.objects.items():
        shape = scene.shapes.get(thing.shape)
        if shape and (shape.hull is None or shape.mass is None):
            yield ("objects", object_id, "shape"), f"the shape '{thing.shape}' has no hull and mass, so it cannot be taken"
        if thing.on not in scene.furniture:
            yield ("objects", object_id, "on"), unknown("furniture", thing.on, scene.furniture)
            continue
        bearing = scene.shapes.get(scene.furniture[thing.on].shape)
        if bearing and not bearing.areas:
            yield ("objects", object_id, "on"), f"nothing can stand on '{thing.on}': its shape has no areas"


def _unknown_colors(scene: Scene, location: Location, thing: Placed | Loose | Figure) -> Iterator[Contradiction]:
    shape = scene.shapes[thing.shape]
    for name, color in thing.colors.items():
        if not _is_color(scene, color):
            yield (*location, "colors", name), _no_color(scene, color)
    for garment, color in thing.wears.items() if isinstance(thing, Figure) else ():
        if not _is_color(scene, color):
            yield (*location, "wears", garment), _no_color(scene, color)
    for index, part in enumerate(shape.all_parts):
        for color in (part.color, *([part.lit] if part.lit else [])):
            if color in thing.colors:
                continue  # reported above
            try:
                scene.rgb(color, shape.colors)
            except KeyError as lacking:
                yield location, _uncolored(thing.shape, index, color, str(lacking.args[0]))


def _no_color(scene: Scene, color: str) -> str:
    return f"{unknown('colour', color, scene.palette)}, or '#rrggbb'"


def _uncolored(shape: str, index: int, color: str, lacking: str) -> str:
    means = f" (that is, '{lacking}')" if lacking != color else ""
    return f"part {index} of the shape '{shape}' has the colour '{color}'{means}, which neither thing, shape nor palette defines"


def _is_color(scene: Scene, color: str) -> bool:
    try:
        scene.rgb(color)
    except KeyError:
        return False
    return True
