"""Places the objects and people of a random apartment, and the robot."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np

from sayso.domain import Domain
from sayso.random_home.furniture import Furnished, Pose
from sayso.random_home.rooms import NoRoom
from sayso.scene.layout import Rectangle, size_of
from sayso.scene.scene import Point2, Scene

ASIDE = 0.3  # m from the furniture's middle, at most, so that the robot's arm reaches the objects
DEEP = (0.1, 0.21)  # m behind the front edge
BESIDE = 0.03  # m between two objects
BODY = 0.45  # m of free floor around a person, and around the robot at the start
FROM_POSES = 0.8  # m from the robot's poses at furniture
HAND = 0.5  # m from a person to their hand
ATTEMPTS = 200


def draw_objects(
    scene: Scene, domain: Domain, room: Furnished, chance: float, needed: frozenset[str], rng: np.random.Generator
) -> dict[str, tuple[str, Point2, float]]:
    """Put the objects at their usual places, if there is room: id → furniture, `at`, yaw (degrees).

    Raises:
        NoRoom: there is no room for a needed object.
    """
    taken: dict[str, list[tuple[float, float, float]]] = {}
    found: dict[str, tuple[str, Point2, float]] = {}
    # Needed objects first, while there is room.
    for name in sorted(scene.objects, key=lambda name: name not in needed):
        usual = {place: weight for place, weight in domain.objects[name].usual.items() if place in room.poses}
        wanted = name in needed or rng.random() < chance
        if not usual or not wanted:
            if name in needed:
                raise NoRoom(f"none of the places is there where {name} tends to be")
            continue
        weights = np.array(list(usual.values()))
        places = [list(usual)[index] for index in rng.choice(len(usual), len(usual), replace=False, p=weights / weights.sum())]
        spot = next(((place, at) for place in places if (at := _spot(scene, name, place, taken.setdefault(place, []), rng))), None)
        if spot is not None:
            found[name] = *spot, scene.objects[name].yaw
        elif name in needed:
            raise NoRoom(f"no place for {name}")
    return found


def _spot(scene: Scene, name: str, place: str, taken: list[tuple[float, float, float]], rng: np.random.Generator) -> Point2 | None:
    """A free spot on that furniture; it is added to `taken`."""
    shape, radius = scene.shapes[scene.furniture[place].shape], scene.hull(name).radius
    deep, across, _ = size_of(scene, scene.furniture[place])
    if not shape.areas or shape.size is None:
        return None
    area = shape.areas[0]
    front = (shape.size[0] / 2 - area.x[1]) * deep / shape.size[0]  # m from the furniture's front edge to the surface's
    side = min(ASIDE, across / 2 - radius)
    for _ in range(ATTEMPTS if side >= 0 else 0):
        behind = front + max(float(rng.uniform(*DEEP)), radius * 0.9)
        at = round(float(rng.uniform(-side, side)), 2), round(min(behind, front + 0.22), 2)
        if all(hypot(at[0] - x, at[1] - y) > radius + other + BESIDE for x, y, other in taken):
            taken.append((*at, radius))
            return at
    return None


def draw_people(domain: Domain, room: Furnished, poses: Mapping[str, Pose], rng: np.random.Generator) -> dict[str, tuple[Point2, float]]:
    """Put each person in one of their usual rooms: id → `at`, yaw (degrees).

    Raises:
        NoRoom: there is no free floor for the speaker.
    """
    found: dict[str, tuple[Point2, float]] = {}
    for name, person in domain.people.items():
        usual = {place: weight for place, weight in person.usual.items() if place in room.plan.rooms}
        if not usual:
            continue
        weights = np.array(list(usual.values()))
        place = list(usual)[int(rng.choice(len(usual), p=weights / weights.sum()))]
        found[name] = _standing(room, place, poses, rng)
        x, y = found[name][0]
        room.footprints.append(Rectangle(name, x, y, 0.0, (0.3, 0.3), 0.0, 1.8))
    return found


def draw_start(room: Furnished, place: str, rng: np.random.Generator) -> tuple[Point2, float]:
    """The robot's start position and yaw (degrees).

    Raises:
        NoRoom: no floor of the room is free.
    """
    x0, y0, x1, y1 = room.plan.rooms[place]
    for _ in range(ATTEMPTS):
        x, y = float(rng.uniform(x0 + BODY, x1 - BODY)), float(rng.uniform(y0 + BODY, y1 - BODY))
        if room.is_free(x, y, BODY):
            return (round(x, 2), round(y, 2)), round(float(rng.uniform(-180, 180)))
    raise NoRoom(f"no free floor in {place}")


def _standing(room: Furnished, place: str, poses: Mapping[str, Pose], rng: np.random.Generator) -> tuple[Point2, float]:
    x0, y0, x1, y1 = room.plan.rooms[place]
    for _ in range(ATTEMPTS):
        x, y = float(rng.uniform(x0 + BODY, x1 - BODY)), float(rng.uniform(y0 + BODY, y1 - BODY))
        yaw = atan2((y0 + y1) / 2 - y, (x0 + x1) / 2 - x) + radians(float(rng.uniform(-40, 40)))
        hand = x + HAND * cos(yaw), y + HAND * sin(yaw)
        off_poses = all(hypot(x - pose[0], y - pose[1]) > FROM_POSES for pose in poses.values())
        off_doors = all(door.distance(x, y) > 0.2 for door in room.plan.doorways())
        if off_poses and off_doors and room.is_free(x, y, BODY) and room.is_free(*hand, BODY):
            return (round(x, 2), round(y, 2)), round(degrees(yaw)) % 360
    raise NoRoom(f"no place for a person in {place}")
