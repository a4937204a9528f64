"""The scene's geometry in the map frame, without any simulator: walls, surfaces, footprints, start poses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, radians, sin

from sayso.scene.posture import posed_hand, posed_scale, posed_size
from sayso.scene.scene import Figure, Placed, Point3, Scene, Wall
from sayso.scene.shapes import Area

MINIMAL_HEIGHT = 0.03  # m; flatter things (a rug) are not obstacles
TABLE = 0.75  # m


def turned(x: float, y: float, yaw: float, about: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """A point (m) of a frame that stands at `about` and is turned by `yaw` (rad), in the frame around it."""
    return about[0] + cos(yaw) * x - sin(yaw) * y, about[1] + sin(yaw) * x + cos(yaw) * y


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle over the floor, turned about z."""

    name: str  # id of the furniture or thing that it belongs to; "wall" for walls
    x: float  # m, its middle
    y: float
    yaw: float  # rad
    half: tuple[float, float]  # m along its own x and y
    bottom: float  # m
    top: float  # m; of a surface, bottom == top

    def local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the map in the rectangle's own frame."""
        dx, dy = x - self.x, y - self.y
        return cos(self.yaw) * dx + sin(self.yaw) * dy, cos(self.yaw) * dy - sin(self.yaw) * dx

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of the rectangle's own frame in the map."""
        return turned(x, y, self.yaw, (self.x, self.y))

    def distance(self, x: float, y: float) -> float:
        """Metres from a point over the floor to its nearest edge; 0 inside."""
        own_x, own_y = self.local(x, y)
        return hypot(max(abs(own_x) - self.half[0], 0.0), max(abs(own_y) - self.half[1], 0.0))


def walls(scene: Scene) -> tuple[Rectangle, ...]:
    """The walls without their openings."""
    return tuple(piece for wall in scene.walls for piece in pieces_of(scene, wall))


def pieces_of(scene: Scene, wall: Wall) -> Iterator[Rectangle]:
    """One wall without its openings."""
    along = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
    half_thickness = scene.wall_thickness / 2
    # The outer ends reach half a thickness further, so that corners close.
    marks = [-half_thickness, *(mark for opening in wall.openings for mark in opening), wall.length + half_thickness]
    for begin, stop in zip(marks[::2], marks[1::2], strict=True):
        if stop - begin < 1e-6:
            continue
        middle, half = (begin + stop) / 2, (stop - begin) / 2
        halves = (half, half_thickness) if along[0] else (half_thickness, half)
        yield Rectangle("wall", wall.start[0] + along[0] * middle, wall.start[1] + along[1] * middle, 0.0, halves, 0.0, scene.wall_height)


def stretch(scene: Scene, placed: Placed | Figure) -> Point3:
    """The factors by which its shape is stretched along its own axes."""
    drawn = scene.shapes[placed.shape].size
    if placed.size is None or drawn is None:
        return 1.0, 1.0, 1.0
    return placed.size[0] / drawn[0], placed.size[1] / drawn[1], placed.size[2] / drawn[2]


def size_of(scene: Scene, placed: Placed | Figure) -> Point3:
    """Depth, width, height in m; of a person as they stand, sit or lie."""
    size = placed.size or scene.shapes[placed.shape].size or (0.0, 0.0, 0.0)
    return posed_size(placed, size) if isinstance(placed, Figure) else size


def surfaces(scene: Scene) -> tuple[Rectangle, ...]:
    """Everything on which things can stand, named by the furniture's id."""
    return tuple(area for furniture_id in scene.furniture for area in surfaces_of(scene, furniture_id))


def surfaces_of(scene: Scene, furniture_id: str) -> tuple[Rectangle, ...]:
    """The surfaces of that furniture, on it."""
    return _flat(scene, furniture_id, scene.shapes[scene.furniture[furniture_id].shape].areas)


def shelves(scene: Scene) -> tuple[Rectangle, ...]:
    """Where things can stand behind doors, named by the furniture's id."""
    return tuple(area for furniture_id in scene.furniture for area in shelves_of(scene, furniture_id))


def shelves_of(scene: Scene, furniture_id: str) -> tuple[Rectangle, ...]:
    """Where things can stand in that furniture, behind its door."""
    return _flat(scene, furniture_id, scene.shapes[scene.furniture[furniture_id].shape].shelves)


def stands(scene: Scene) -> tuple[Rectangle, ...]:
    """Where things can stand, on furniture or behind its doors."""
    return (*surfaces(scene), *shelves(scene))


def stands_of(scene: Scene, furniture_id: str) -> tuple[Rectangle, ...]:
    """Where things can stand on that furniture, or behind its door."""
    return (*surfaces_of(scene, furniture_id), *shelves_of(scene, furniture_id))


def _flat(scene: Scene, furniture_id: str, areas: tuple[Area, ...]) -> tuple[Rectangle, ...]:
    """The areas of that furniture's shape in the map."""
    placed = scene.furniture[furniture_id]
    sx, sy, sz = stretch(scene, placed)
    yaw = radians(placed.yaw)
    found = []
    for area in areas:
        x, y = turned(sx * sum(area.x) / 2, sy * sum(area.y) / 2, yaw, placed.at)
        half = sx * (area.x[1] - area.x[0]) / 2, sy * (area.y[1] - area.y[0]) / 2
        z = placed.z + sz * area.z
        found.append(Rectangle(furniture_id, x, y, yaw, half, z, z))
    return tuple(found)


def obstacles(scene: Scene) -> tuple[Rectangle, ...]:
    """Obstacles of a robot on the floor: walls, furniture, decor, people. A static map is made of these."""
    standing: list[tuple[str, Placed | Figure]] = [*scene.furniture.items(), *scene.decor.items(), *scene.people.items()]
    found = list(walls(scene))
    for name, placed in standing:
        depth, width, height = size_of(scene, placed)
        bottom = placed.z if isinstance(placed, Placed) else 0.0
        if height >= MINIMAL_HEIGHT:
            found.append(Rectangle(name, *placed.at, radians(placed.yaw), (depth / 2, width / 2), bottom, bottom + height))
    return tuple(found)


def middles(scene: Scene) -> dict[str, Point3]:
    """Furniture or room id → the middle of the furniture, or of the room at the height of a table, m."""
    found = {}
    for name, placed in scene.furniture.items():
        found[name] = (*placed.at, placed.z + size_of(scene, placed)[2] / 2)
    for name, room in scene.rooms.items():
        x0, y0, x1, y1 = room.area
        found[name] = ((x0 + x1) / 2, (y0 + y1) / 2, TABLE)
    return found


def start_pose(scene: Scene, object_id: str) -> tuple[float, float, float, float]:
    """Where the foot of that object stands at the start: x, y, z (m), yaw (rad)."""
    thing = scene.objects[object_id]
    x, y = from_in_front(scene, thing.on, thing.at)
    under = min(stands_of(scene, thing.on), key=lambda surface: surface.distance(x, y))
    return x, y, under.top, radians(scene.furniture[thing.on].yaw) + radians(thing.yaw)


def from_in_front(scene: Scene, furniture_id: str, at: tuple[float, float]) -> tuple[float, float]:
    """The point of the map, m, that is [right, behind] of the middle of that furniture's front edge, seen from in front of it."""
    placed = scene.furniture[furniture_id]
    front = size_of(scene, placed)[0] / 2
    return turned(front - at[1], at[0], radians(placed.yaw), placed.at)  # seen from in front, the furniture's left is on the right


def hand_of(scene: Scene, person_id: str, at: tuple[float, float, float] | None = None) -> Point3:
    """The palm of the person's open hand; `at` is x, y (m), yaw (rad) of a person who has walked away from the place in the scene."""
    person = scene.people[person_id]
    hand = scene.shapes[person.shape].hand
    assert hand is not None  # load_scene has checked it
    sx, sy, sz = posed_scale(person, stretch(scene, person))
    forward, left, up = posed_hand(person, hand)
    *stand, yaw = at or (*person.at, radians(person.yaw))
    return (*turned(sx * forward, sy * left, yaw, (stand[0], stand[1])), sz * up)
