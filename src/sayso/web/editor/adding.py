"""New things, people and furniture, in the domain file and in the scene at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.robot.agreement import ARM, ASIDE
from sayso.scene import Scene
from sayso.scene.layout import MINIMAL_HEIGHT, size_of, start_pose, surfaces, turned
from sayso.scene.scene import Figure
from sayso.web.editor.asked import name_of, text_of, texts_of
from sayso.web.editor.changed import Asked, Changed, drawn, known, metres
from sayso.web.editor.free_floor import free_place, in_front
from sayso.yaml_source import choices

GRID = 8  # points tried for a new thing, from the middle to an edge
WITHIN_ARM = ARM - 0.05  # m from the place's pose
WITHIN = 0.75  # of the way from the middle to the edge


def added(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Add a thing that stands on a piece of furniture, or a person or a piece of furniture in a room.

    Raises:
        SaysoError: the id is taken, or what it names is not there.
    """
    kinds = {"object": _thing, "person": _person, "furniture": _furniture}
    kind, name = asked.get("kind"), name_of(asked, "id")
    if not isinstance(kind, str) or kind not in kinds:
        raise SaysoError(f"kind: {', '.join(kinds)} is expected")
    if any(name in each for each in (domain.objects, domain.places, domain.people)):
        raise SaysoError(f"'{name}' is there already: choose another id")
    yield from kinds[kind](domain, scene, asked, name)


def shapes_of_things(scene: Scene) -> list[str]:
    """The shapes that a thing can have."""
    return sorted(name for name, shape in scene.shapes.items() if shape.hull is not None and shape.mass is not None)


def shapes_of_furniture(scene: Scene) -> list[str]:
    """The shapes that stand on the floor, and that nobody takes or is."""
    fixed = (name for name, shape in scene.shapes.items() if not shape.fixed_to_wall and shape.hull is None and shape.hand is None)
    return sorted(name for name in fixed if (scene.shapes[name].size or (0.0,))[-1] >= MINIMAL_HEIGHT)


def seen_from_front(scene: Scene, furniture: str, point: tuple[float, float]) -> list[float]:
    """A point of the map as the scene gives it for things: [right of the furniture's middle, behind its front edge] in m."""
    placed = scene.furniture[furniture]
    ahead, right = turned(point[0] - placed.at[0], point[1] - placed.at[1], -math.radians(placed.yaw))
    return metres(right, size_of(scene, placed)[0] / 2 - ahead)


def _thing(domain: Domain, scene: Scene | None, asked: Asked, name: str) -> Iterator[Changed]:
    on = known(name_of(asked, "on"), domain.places)
    thing: dict[str, Any] = {"names": texts_of(asked.get("names"), "names"), "category": text_of(asked.get("category"), "category")}
    color = text_of(asked["color"], "color") if asked.get("color") else None
    if color:
        thing["attributes"] = {"color": color}
    yield Changed("domain", ("objects", name), {**thing, "usual": {on: 1}})
    if scene is None:
        return
    shape = _shape(asked, shapes_of_things(scene))
    placed = {"shape": shape, "on": on, "at": seen_from_front(scene, on, _free_point(scene, on, domain.places[on].pose))}
    painted = color in scene.palette and "main" in scene.shapes[shape].colors
    yield Changed("scene", ("objects", name), placed | ({"colors": {"main": color}} if painted else {}))


def _person(domain: Domain, scene: Scene | None, asked: Asked, name: str) -> Iterator[Changed]:
    room = _room(domain, scene, asked)
    yield Changed("domain", ("people", name), {"names": _names(asked), "usual": {room: 1}})
    if scene is None:
        return
    long, wide, _ = size_of(scene, Figure(at=(0.0, 0.0)))
    *at, yaw = free_place(domain, scene, room, (long, wide))
    yield Changed("scene", ("people", name), {"at": metres(*at), "yaw": yaw})


def _furniture(domain: Domain, scene: Scene | None, asked: Asked, name: str) -> Iterator[Changed]:
    scene = drawn(scene)
    room, shape = _room(domain, scene, asked), _shape(asked, shapes_of_furniture(scene))
    look = scene.shapes[shape]
    long, wide, _ = look.size or (0.0, 0.0, 0.0)
    x, y, yaw = free_place(domain, scene, room, (long, wide))
    does = {"surface": look.areas, "opens": look.moving, "switches": look.switch}
    place = {"names": _names(asked), "inside": room, "pose": metres(*in_front(x, y, yaw, long))}
    yield Changed("domain", ("places", name), place | {each: True for each, able in does.items() if able})
    yield Changed("scene", ("furniture", name), {"shape": shape, "at": metres(x, y), "yaw": yaw})


def _room(domain: Domain, scene: Scene | None, asked: Asked) -> str:
    rooms = {name: place for name, place in domain.places.items() if place.kind == "room" and (scene is None or name in scene.rooms)}
    return known(name_of(asked, "room"), rooms)


def _names(asked: Asked) -> list[str]:
    names = texts_of(asked.get("names"), "names")
    if not names:
        raise SaysoError("names: at least one is expected")
    return names


def _shape(asked: Asked, shapes: list[str]) -> str:
    shape = asked.get("shape")
    if not isinstance(shape, str) or shape not in shapes:
        raise SaysoError(f"unknown shape '{str(shape)[:40]}'; {choices(str(shape)[:40], shapes)}")
    return shape


def _free_point(scene: Scene, furniture: str, pose: tuple[float, float, float]) -> tuple[float, float]:
    """The point of its surfaces that is farthest from the things there, of those that a robot at this pose reaches."""
    taken = [start_pose(scene, each)[:2] for each, thing in scene.objects.items() if thing.on == furniture]
    steps = [step / GRID for step in range(1 - GRID, GRID)]
    areas = [each for each in surfaces(scene) if each.name == furniture]
    if not areas:
        raise SaysoError(f"nothing can stand on '{furniture}'")
    points = [area.point(x * area.half[0] * WITHIN, y * area.half[1] * WITHIN) for area in areas for x in steps for y in steps]
    ahead = ((point, turned(point[0] - pose[0], point[1] - pose[1], -pose[2])) for point in points)
    reached = [point for point, (x, y) in ahead if math.hypot(x, y) <= WITHIN_ARM and abs(math.atan2(y, x)) <= ASIDE]
    return max(reached or points, key=lambda point: min((math.dist(point, other) for other in taken), default=0.0))
