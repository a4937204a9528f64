"""Decor of a random apartment, without names in the domain: charger, chairs, windows, plants, a rug."""

from __future__ import annotations

from typing import Any

import numpy as np

from sayso.random_home.furniture import Furnished
from sayso.random_home.rooms import Area
from sayso.scene.layout import Rectangle

WINDOW, SILL = 1.4, 1.5  # m: width, and height of the middle
PLANT = 0.22  # m around a plant's middle
OFTEN = 0.6  # probability of a window in a room's outer wall, and of a plant in a room

Data = dict[str, Any]


def ends_of_the_hallway(area: Area) -> tuple[Rectangle, Rectangle]:
    """The floor before the charger and behind the front door, kept free of furniture."""
    x0, y0, x1, y1 = area
    middle = (y0 + y1) / 2
    return tuple(Rectangle("end", x, middle, 0.0, (0.6, 0.5), 0.0, 2.0) for x in (x0 + 0.6, x1 - 0.6))  # type: ignore[return-value]


def draw_decor(room: Furnished, rng: np.random.Generator) -> Data:
    """The scene file's `decor`."""
    _, y0, _, y1 = room.plan.rooms[room.plan.hallway]
    middle = round((y0 + y1) / 2, 3)
    decor: Data = {
        "charger": {"shape": "dock", "at": [0.15, middle], "yaw": 0},
    }
    for number, (x, y, yaw) in enumerate(room.chairs, 1):
        decor[f"chair_{number}"] = {"shape": "chair", "at": [x, y], "yaw": yaw}
    for name, area in room.plan.rooms.items():
        if name == room.plan.hallway:
            continue
        south = area[1] == 0.0
        if rng.random() < OFTEN and area[2] - area[0] > WINDOW + 1.0:
            y = 0.06 if south else area[3] - 0.06
            decor[f"window_{name}"] = {
                "shape": "window",
                "at": [round((area[0] + area[2]) / 2, 2), round(y, 2)],
                "z": SILL,
                "yaw": 90 if south else 270,
            }
        if rng.random() < OFTEN:
            _plant(decor, room, name, area, rng)
    if "coffee_table" in room.poses:
        x, y, yaw = room.poses["coffee_table"]
        decor["rug"] = {"shape": "rug", "at": [x, y], "yaw": yaw, "size": [1.4, 1.8, 0.006]}
    return decor


def _plant(decor: Data, room: Furnished, name: str, area: Area, rng: np.random.Generator) -> None:
    """Put a plant in a free corner of the room, if there is one."""
    corners = [(x, y) for x in (area[0] + 0.3, area[2] - 0.3) for y in (area[1] + 0.3, area[3] - 0.3)]
    for index in rng.permutation(len(corners)):
        x, y = corners[index]
        kept_free = [*room.fronts, *room.plan.doorways()]
        if room.is_free(x, y, PLANT) and all(block.distance(x, y) > PLANT for block in kept_free):
            decor[f"plant_{name}"] = {"shape": "plant", "at": [round(x, 2), round(y, 2)]}
            room.footprints.append(Rectangle("plant", x, y, 0.0, (0.18, 0.18), 0.0, 1.1))
            return
