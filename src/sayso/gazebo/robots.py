"""The robots of one world: their names there, and where they begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist

import numpy as np

from sayso.errors import SaysoError
from sayso.gazebo.topics import ROBOT
from sayso.scene.collisions import ROBOT as RADIUS
from sayso.scene.layout import obstacles
from sayso.scene.scene import Point2, RobotStart, Scene

APART = 1.0  # m between the middles of two robots at the start
ROOM = 0.15  # m around a robot
GRID = 0.1  # m between the places that are tried


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """A robot of the world at its start."""

    name: str  # of its model
    start: RobotStart


def placed_robots(scene: Scene, names: Sequence[str] = (ROBOT,)) -> tuple[PlacedRobot, ...]:
    """The first robot where the scene has it, the others as near to it as there is free floor, turned the same way.

    Raises:
        SaysoError: a name is missing, there twice or one of the scene's own, or the room has no space for so many.
    """
    taken = {*scene.objects, *scene.furniture, *scene.decor, *scene.people}
    for index, name in enumerate(names):
        if not name or name in taken or name in names[:index]:
            raise SaysoError(f"a robot cannot be called '{name}' here: each needs a name that nothing else in the world has")
    placed = [PlacedRobot(names[0], scene.robot)]
    free = sorted(_free(scene), key=lambda at: dist(at, scene.robot.at))
    for name in names[1:]:
        at = next((at for at in free if all(dist(at, other.start.at) >= APART for other in placed)), None)
        if at is None:
            raise SaysoError(f"there is no free floor for the robot '{name}' in the room where the scene's robot stands")
        placed.append(PlacedRobot(name, scene.robot.model_copy(update={"at": at})))
    return tuple(placed)


def _free(scene: Scene) -> Iterator[Point2]:
    """Where another robot can stand in the first one's room, m."""
    low = [block for block in obstacles(scene) if block.bottom < 1.0]
    x, y = scene.robot.at
    for x0, y0, x1, y1 in (room.area for room in scene.rooms.values()):
        if not (x0 <= x <= x1 and y0 <= y <= y1):
            continue
        for across in np.arange(x0 + GRID, x1, GRID).round(3).tolist():
            for up in np.arange(y0 + GRID, y1, GRID).round(3).tolist():
                if all(block.distance(across, up) >= RADIUS + ROOM for block in low):
                    yield across, up
