"""Collisions in a scene file: walls over each other, things in walls or in each other, doors without a wall."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import cos, hypot, radians, sin

from sayso.scene.layout import MINIMAL_HEIGHT, Rectangle, obstacles, pieces_of, size_of, stands_of, start_pose
from sayso.scene.scene import Figure, Placed, Scene
from sayso.yaml_source import Contradiction

TOLERANCE = 0.02  # m that one thing may reach into another
AT_WALL = 0.05  # m between a wall and something that is fixed to it, at most
ROBOT = 0.25  # m, the radius of the robot's base


def contradictions(scene: Scene) -> Iterator[Contradiction]:
    """Everything that would stand in something else. All names of the scene must be known."""
    blocks = [(index, piece) for index, wall in enumerate(scene.walls) for piece in pieces_of(scene, wall)]
    yield from _rooms(scene)
    yield from _walls(scene, blocks)
    yield from _doors(scene, blocks)
    yield from _standing(scene, blocks)
    yield from _objects(scene, blocks)
    yield from _robot(scene)


def depth(one: Rectangle, other: Rectangle) -> float:
    """How deep (m) two rectangles reach into each other; negative: the gap between them. Separating-axis test, without heights."""
    deepest = float("inf")
    for axis in (one.yaw, other.yaw):
        for angle in (axis, axis + radians(90)):
            x, y = cos(angle), sin(angle)
            reach = sum(
                abs(x * cos(box.yaw) + y * sin(box.yaw)) * box.half[0] + abs(y * cos(box.yaw) - x * sin(box.yaw)) * box.half[1]
                for box in (one, other)
            )
            deepest = min(deepest, reach - abs(x * (other.x - one.x) + y * (other.y - one.y)))
    return deepest


def _rooms(scene: Scene) -> Iterator[Contradiction]:
    for (one, first), (other, second) in combinations(scene.rooms.items(), 2):
        ax0, ay0, ax1, ay1 = first.area
        bx0, by0, bx1, by1 = second.area
        if min(ax1, bx1) - max(ax0, bx0) > TOLERANCE and min(ay1, by1) - max(ay0, by0) > TOLERANCE:
            yield ("rooms", other, "area"), f"the room overlaps the room '{one}'"


def _walls(scene: Scene, blocks: list[tuple[int, Rectangle]]) -> Iterator[Contradiction]:
    """Walls that overlap side by side, and openings that another wall closes. Corners and crossings are allowed."""
    for (one, first), (other, second) in combinations(blocks, 2):
        along = 0 if _along_x(scene, other) else 1
        if one == other or _along_x(scene, one) != _along_x(scene, other):
            continue
        between = abs(first.x - second.x), abs(first.y - second.y)
        overlap = [first.half[axis] + second.half[axis] - between[axis] for axis in (0, 1)]
        # The ends of two walls in one line meet in a corner: each is half a thickness longer than in the file.
        if overlap[along] > scene.wall_thickness + TOLERANCE and overlap[1 - along] > TOLERANCE:
            yield ("walls", other), f"the wall overlaps {_which(scene, one)} over {overlap[along] - scene.wall_thickness:.2f} m"
    for index, wall in enumerate(scene.walls):
        for number, opening in enumerate(wall.openings):
            gap = _opening(scene, index, opening)
            for other, block in blocks:
                if other != index and depth(gap, block) > TOLERANCE:
                    yield ("walls", index, "openings", number), f"the opening is closed by {_which(scene, other)}"


def _opening(scene: Scene, index: int, opening: tuple[float, float]) -> Rectangle:
    """The free way: the gap without the thickness of walls that meet at its sides."""
    wall = scene.walls[index]
    along = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
    middle = sum(opening) / 2
    free, thin = max((opening[1] - opening[0]) / 2 - scene.wall_thickness / 2, 0.01), scene.wall_thickness / 2
    half = (free, thin) if along[0] else (thin, free)
    return Rectangle("opening", wall.start[0] + along[0] * middle, wall.start[1] + along[1] * middle, 0.0, half, 0.0, scene.wall_height)


def _doors(scene: Scene, blocks: list[tuple[int, Rectangle]]) -> Iterator[Contradiction]:
    for section, things in (("decor", scene.decor), ("furniture", scene.furniture)):
        for name, placed in things.items():
            if not scene.shapes[placed.shape].fixed_to_wall:
                continue
            nearest = max((depth(_footprint(scene, name, placed), block) for _, block in blocks), default=float("-inf"))
            if nearest < -AT_WALL:
                yield (section, name, "at"), f"the {placed.shape} has no wall: there is none within {100 * AT_WALL:.0f} cm of it"


def _standing(scene: Scene, blocks: list[tuple[int, Rectangle]]) -> Iterator[Contradiction]:
    standing: list[tuple[str, str, Placed | Figure]] = [
        *(("furniture", name, placed) for name, placed in scene.furniture.items()),
        *(("decor", name, placed) for name, placed in scene.decor.items()),
        *(("people", name, person) for name, person in scene.people.items()),
    ]
    for section, name, placed in standing:
        if scene.shapes[placed.shape].fixed_to_wall or size_of(scene, placed)[2] < MINIMAL_HEIGHT:
            continue
        footprint = _footprint(scene, name, placed)
        if not any(
            x0 <= placed.at[0] <= x1 and y0 <= placed.at[1] <= y1 for x0, y0, x1, y1 in (room.area for room in scene.rooms.values())
        ):
            yield (section, name, "at"), f"({placed.at[0]:g}, {placed.at[1]:g}) is in no room"
        for index, block in blocks:
            if depth(footprint, block) > TOLERANCE and footprint.bottom < block.top:
                yield (section, name, "at"), f"it stands in {_which(scene, index)}, {100 * depth(footprint, block):.0f} cm deep"
    solid = [(section, name, _footprint(scene, name, placed)) for section, name, placed in standing if section != "decor"]
    # Decor is left out: a chair stands under its table.
    for (_, one, first), (section, other, second) in combinations(solid, 2):
        if depth(first, second) > TOLERANCE and first.bottom < second.top and second.bottom < first.top:
            yield (section, other, "at"), f"it stands in '{one}', {100 * depth(first, second):.0f} cm deep"


def _objects(scene: Scene, blocks: list[tuple[int, Rectangle]]) -> Iterator[Contradiction]:
    poses = {name: start_pose(scene, name) for name in scene.objects}
    footprints = {
        name: Rectangle(name, x, y, yaw, scene.hull(name).half[:2], z, z + 2 * scene.hull(name).half[2])
        for name, (x, y, z, yaw) in poses.items()
    }
    for name, footprint in footprints.items():
        on = scene.objects[name].on
        for index, block in blocks:
            if depth(footprint, block) > 0 and footprint.bottom < block.top:
                yield ("objects", name, "at"), f"it is inside {_which(scene, index)}"
        if all(surface.distance(footprint.x, footprint.y) > 0 for surface in stands_of(scene, on)):
            yield ("objects", name, "at"), f"it is not on '{on}': the middle of its foot is beside the surface"
    for one, other in combinations(footprints, 2):
        first, second = footprints[one], footprints[other]
        near = hypot(first.x - second.x, first.y - second.y) < scene.hull(one).radius + scene.hull(other).radius
        if near and depth(first, second) > 0 and first.bottom < second.top and second.bottom < first.top:
            yield ("objects", other, "at"), f"it is inside '{one}'"


def _robot(scene: Scene) -> Iterator[Contradiction]:
    x, y = scene.robot.at
    if not any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in (room.area for room in scene.rooms.values())):
        yield ("robot", "at"), f"({x:g}, {y:g}) is in no room"
    for block in obstacles(scene):
        if block.bottom < 1.0 and block.distance(x, y) < ROBOT:
            what = "a wall" if block.name == "wall" else f"'{block.name}'"
            yield ("robot", "at"), f"the robot stands in {what}: it needs {ROBOT:g} m around it"


def _footprint(scene: Scene, name: str, placed: Placed | Figure) -> Rectangle:
    wide, across, height = size_of(scene, placed)
    bottom = placed.z if isinstance(placed, Placed) else 0.0
    return Rectangle(name, *placed.at, radians(placed.yaw), (wide / 2, across / 2), bottom, bottom + height)


def _along_x(scene: Scene, index: int) -> bool:
    wall = scene.walls[index]
    return wall.start[1] == wall.end[1]


def _which(scene: Scene, index: int) -> str:
    wall = scene.walls[index]
    return f"the wall from ({wall.start[0]:g}, {wall.start[1]:g}) to ({wall.end[0]:g}, {wall.end[1]:g})"
