"""Where something new can stand in a room: on free floor with room in front of it, against a wall if there is such a place."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sayso.domain import Domain
from sayso.scene import Scene
from sayso.scene.collisions import ROBOT, depth
from sayso.scene.layout import Rectangle, obstacles
from sayso.scene.scene import Point2
from sayso.web.editor.building import doors, point_on

STEP = 0.1  # m between two places that are tried
BEHIND = 0.02  # m to the wall
BESIDE = 0.05  # m to other things, at least
ROOMY = 0.4  # m to other things: more is no better
IN_FRONT = 0.42  # m from its front edge to the middle of a robot in front of it, as in the homes that come with Sayso
FREE_IN_FRONT = 0.9  # m of floor
WIDE_IN_FRONT = 0.6  # m
STANDS = 0.35  # m around the robot's middle, where it stands at its places
THROUGH = 0.7  # m of floor on both sides of a doorway


def free_place(domain: Domain, scene: Scene, room: str, size: Point2) -> tuple[float, float, float]:
    """x, y (m) and yaw (degrees) for something of that depth and width (m); the middle of the room if it is too full.

    The places against the walls are tried first, then all others. The first with enough room around it is taken, else the roomiest.
    The floor where the robot stands at its places stays free.
    """
    x0, y0, x1, y1 = scene.rooms[room].area
    taken = [each for each in obstacles(scene) if each.name != "wall" and each.bottom < 1.0]
    taken = [each for each in taken if x0 - 1 < each.x < x1 + 1 and y0 - 1 < each.y < y1 + 1]
    stands = [scene.robot.at, *((place.pose[0], place.pose[1]) for place in domain.places.values())]
    taken += [Rectangle("robot", x, y, 0.0, (STANDS, STANDS), 0.0, 1.0) for x, y in stands]
    ways = list(_ways(scene))
    for places in (_at_walls(scene, room, size), _inside(scene, room, size)):
        best, most = None, -math.inf
        for x, y, yaw in places:
            body, front = _rectangles(x, y, yaw, size)
            robot_x, robot_y, _ = in_front(x, y, yaw, size[0])
            if not (x0 + ROBOT < robot_x < x1 - ROBOT and y0 + ROBOT < robot_y < y1 - ROBOT):
                continue
            if any(depth(body, way) > 0 for way in ways) or any(depth(front, each) > 0 for each in taken if each.name != "robot"):
                continue
            room_left = min([ROOMY, *(-depth(body, each) for each in taken)])
            if room_left > max(most, BESIDE):
                best, most = (x, y, yaw), room_left
            if most >= ROOMY:
                break
        if best is not None:
            return best
    return (x0 + x1) / 2, (y0 + y1) / 2, 0.0


def in_front(x: float, y: float, yaw: float, long: float) -> tuple[float, float, float]:
    """The robot's pose (m, m, rad) before something that is `long` m deep and faces `yaw` degrees."""
    turn = math.radians(yaw)
    away = long / 2 + IN_FRONT
    return x + away * math.cos(turn), y + away * math.sin(turn), math.remainder(turn + math.pi, 2 * math.pi)


def _rectangles(x: float, y: float, yaw: float, size: Point2) -> tuple[Rectangle, Rectangle]:
    """What it covers, and the floor in front of it."""
    turn = math.radians(yaw)
    away = (size[0] + FREE_IN_FRONT) / 2
    body = Rectangle("", x, y, turn, (size[0] / 2, size[1] / 2), 0.0, 1.0)
    half = FREE_IN_FRONT / 2, max(size[1], WIDE_IN_FRONT) / 2
    return body, Rectangle("", x + away * math.cos(turn), y + away * math.sin(turn), turn, half, 0.0, 1.0)


def _ways(scene: Scene) -> Iterator[Rectangle]:
    """The floor that keeps doorways open."""
    for wall, (begin, end) in doors(scene).values():
        along = 0 if wall.start[1] == wall.end[1] else 1
        half = [THROUGH, THROUGH]
        half[along] = (end - begin) / 2
        yield Rectangle("way", *point_on(wall, (begin + end) / 2), 0.0, (half[0], half[1]), 0.0, 1.0)


def _bounds(scene: Scene, room: str, margin: Point2) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 for the middle of something that keeps that far from the walls."""
    x0, y0, x1, y1 = scene.rooms[room].area
    across = margin[0] + scene.wall_thickness / 2 + BEHIND, margin[1] + scene.wall_thickness / 2 + BEHIND
    return x0 + across[0], y0 + across[1], x1 - across[0], y1 - across[1]


def _at_walls(scene: Scene, room: str, size: Point2) -> Iterator[tuple[float, float, float]]:
    """Places with the back at a wall, from the middle of each wall to its ends."""
    long, wide = size[0] / 2, size[1] / 2
    for yaw, axis, side in ((-90.0, 1, 3), (90.0, 1, 1), (0.0, 0, 0), (180.0, 0, 2)):
        bounds = _bounds(scene, room, (wide, long) if axis else (long, wide))
        if bounds[axis] > bounds[axis + 2]:  # too deep for the room
            continue
        for way in _from_middle(bounds[1 - axis], bounds[3 - axis]):
            yield (way, bounds[side], yaw) if axis else (bounds[side], way, yaw)


def _inside(scene: Scene, room: str, size: Point2) -> Iterator[tuple[float, float, float]]:
    for yaw in (0.0, 90.0, 180.0, -90.0):
        half = (size[1] / 2, size[0] / 2) if yaw in (90.0, -90.0) else (size[0] / 2, size[1] / 2)
        x0, y0, x1, y1 = _bounds(scene, room, half)
        yield from ((x, y, yaw) for x in _from_middle(x0, x1) for y in _from_middle(y0, y1))


def _from_middle(low: float, high: float) -> list[float]:
    """Points between two, the middle first; none if they are the wrong way round."""
    if high < low:
        return []
    count = int((high - low) / 2 / STEP)
    return sorted(((low + high) / 2 + step * STEP for step in range(-count, count + 1)), key=lambda way: abs(way - (low + high) / 2))
