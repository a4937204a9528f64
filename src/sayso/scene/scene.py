"""What a scene file says, as checked, immutable objects: rooms, walls, furniture, loose objects, people, the robot's start.

A scene is about the world, not about a simulator: MuJoCo and Gazebo worlds are both made from it.
Lengths in metres, angles in degrees (files are written by people), everything in the map frame (REP 103) unless said otherwise.
A shape stands on the floor of its own frame: origin at the middle of its foot, x out of its front, y to its left, z up.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from sayso.yaml_source import StrictModel

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Length = Annotated[float, Field(gt=0.0)]
Rgb = tuple[float, float, float]
_HEX = re.compile(r"^#[0-9a-fA-F]{6}$")


def _positive(size: tuple[float, ...]) -> tuple[float, ...]:
    if min(size) <= 0.0:
        raise ValueError("every length must be above 0")
    return size


def _hex(color: str) -> str:
    if not _HEX.match(color):
        raise ValueError(f"'{color}' is no colour: '#rrggbb' is expected")
    return color


Size2 = Annotated[tuple[float, float], AfterValidator(_positive)]
Size3 = Annotated[tuple[float, float, float], AfterValidator(_positive)]
Point2 = tuple[float, float]
Point3 = tuple[float, float, float]


class Part(StrictModel):
    """One primitive of a shape; exactly one of the first six is given."""

    box: Size3 | None = None  # depth, width, height
    cylinder: Size2 | None = None  # radius, height
    sphere: Length | None = None  # radius
    capsule: Size2 | None = None  # radius, length between the centres of its caps
    ellipsoid: Size3 | None = None  # radii
    lathe: tuple[Point2, ...] | None = None  # (r, z) of a profile that is turned around z: cups, bottles, bowls
    ring: Size2 | None = None  # radius, thickness (radius of the wire): handles
    at: Point3 = (0.0, 0.0, 0.0)  # of its middle (of the profile's origin for a lathe) in the shape's frame
    turn: Point3 = (0.0, 0.0, 0.0)  # roll, pitch, yaw in degrees, about fixed axes
    color: str = "main"
    gloss: Probability = 0.1
    alpha: Probability = 1.0
    solid: bool = True  # furniture only: can be bumped into

    @model_validator(mode="after")
    def _one_primitive(self) -> Part:
        if sum(value is not None for value in self.primitives().values()) != 1:
            raise ValueError(f"a part is exactly one of {', '.join(self.primitives())}")
        return self

    def primitives(self) -> dict[str, object]:
        """Every kind of primitive and what the file says for it."""
        return {name: getattr(self, name) for name in ("box", "cylinder", "sphere", "capsule", "ellipsoid", "lathe", "ring")}


class Hull(StrictModel):
    """What a loose object is to touch: one convex body, standing on the origin. Simple, so that it rests still."""

    box: Size3 | None = None
    cylinder: Size2 | None = None  # radius, height
    sphere: Length | None = None

    @model_validator(mode="after")
    def _one_body(self) -> Hull:
        if sum(value is not None for value in (self.box, self.cylinder, self.sphere)) != 1:
            raise ValueError("a hull is exactly one of box, cylinder, sphere")
        return self

    @property
    def half(self) -> Point3:
        """Half of its extent along x, y and z."""
        if self.box is not None:
            return self.box[0] / 2, self.box[1] / 2, self.box[2] / 2
        if self.cylinder is not None:
            return self.cylinder[0], self.cylinder[0], self.cylinder[1] / 2
        radius = self.sphere or 0.0
        return radius, radius, radius

    @property
    def radius(self) -> float:
        """Of the smallest upright cylinder around it."""
        x, y, _ = self.half
        return x if self.box is None else float((x * x + y * y) ** 0.5)

    def scaled(self, scale: float) -> Hull:
        """The same body, every length `scale` times as long."""
        if scale == 1.0:
            return self
        box = (self.box[0] * scale, self.box[1] * scale, self.box[2] * scale) if self.box else None
        cylinder = (self.cylinder[0] * scale, self.cylinder[1] * scale) if self.cylinder else None
        return Hull(box=box, cylinder=cylinder, sphere=self.sphere * scale if self.sphere else None)


class Area(StrictModel):
    """A flat part of a shape on which things can stand."""

    x: Point2
    y: Point2
    z: float


class Shape(StrictModel):
    """How things of a kind look: a cup, a table, a person."""

    size: Size3 | None = None  # depth, width, height as drawn; furniture of another size is stretched from it
    parts: tuple[Part, ...]
    colors: dict[str, str] = Field(default_factory=dict)  # what the names in Part.color mean where the thing does not say
    areas: tuple[Area, ...] = ()
    fixed_to_wall: bool = False  # doors, windows, pictures: not without a wall behind them
    hull: Hull | None = None  # of things that can be taken
    mass: Length | None = None  # kg, of things that can be taken
    hand: Point3 | None = None  # of people: the open hand


class Floor(StrictModel):
    """What a room's floor looks like."""

    pattern: Literal["plain", "planks", "tiles", "carpet"] = "plain"
    colors: tuple[str, str]
    tile: Length = 0.4  # m, one plank's length or one tile's side


class Room(StrictModel):
    """A rectangle of floor."""

    area: tuple[float, float, float, float]  # x0, y0, x1, y1
    floor: Floor

    @model_validator(mode="after")
    def _has_area(self) -> Room:
        x0, y0, x1, y1 = self.area
        if x1 <= x0 or y1 <= y0:
            raise ValueError("area is x0, y0, x1, y1 with x0 < x1 and y0 < y1")
        return self


class Wall(StrictModel):
    """A straight wall along x or y, with gaps to walk through."""

    start: Point2
    end: Point2
    openings: tuple[Point2, ...] = ()  # [from, to] in m from `start`
    color: str = "wall"

    @model_validator(mode="after")
    def _along_an_axis(self) -> Wall:
        if (self.start[0] == self.end[0]) == (self.start[1] == self.end[1]):
            raise ValueError("a wall runs along x or along y")
        previous = 0.0
        for begin, end in self.openings:
            if not previous <= begin < end <= self.length:
                raise ValueError(f"openings are [from, to] in order, within the wall's {self.length:g} m")
            previous = end
        return self

    @property
    def length(self) -> float:
        """In metres."""
        return abs(self.end[0] - self.start[0]) + abs(self.end[1] - self.start[1])


class Placed(StrictModel):
    """Something that stands where it stands: furniture, or a thing that nobody speaks of."""

    shape: str
    at: Point2  # the middle of its foot
    yaw: float = 0.0  # the direction its front faces
    z: float = 0.0  # of its foot: pictures hang
    size: Size3 | None = None  # depth, width, height; default as the shape is drawn
    colors: dict[str, str] = Field(default_factory=dict)


class Loose(StrictModel):
    """Something that can be taken, and where it is at the start."""

    shape: str
    on: str  # id of the furniture it stands on
    at: Point2  # m to the right of the furniture's middle, and m behind its front edge, as seen from in front of it
    yaw: float = 0.0  # 0: turned as the furniture is
    scale: Annotated[float, Field(ge=0.25, le=4.0)] = 1.0  # of its size as drawn
    colors: dict[str, str] = Field(default_factory=dict)


class Figure(StrictModel):
    """A person, standing still, with one hand open."""

    shape: str = "person"
    at: Point2
    yaw: float = 0.0
    size: Size3 | None = None
    colors: dict[str, str] = Field(default_factory=dict)


class Light(StrictModel):
    """How bright it is."""

    ambient: Probability = 0.35
    lamp: Probability = 0.5  # at the camera
    sun: Probability = 0.45
    direction: Point3 = (-0.35, 0.45, -1.0)  # in which the sun shines


class GripperSpec(StrictModel):
    """A magnet at the end of an arm, and how often it fails."""

    reach: Length = 0.95  # m, from the robot's centre over the floor
    radius: Length = 0.06  # m: a thing is taken if its hull is so near to the target
    fails: dict[Literal["grasp", "release", "hand_over"], Probability] = Field(default_factory=dict)


class RobotStart(StrictModel):
    """Where the robot stands at the start."""

    at: Point2
    yaw: float = 0.0


class Scene(StrictModel):
    """A home as a simulator needs it."""

    name: str
    palette: dict[str, Annotated[str, AfterValidator(_hex)]] = Field(default_factory=dict)
    shapes: dict[str, Shape]
    rooms: dict[str, Room]
    wall_height: Length = 2.4
    wall_thickness: Length = 0.1
    walls: tuple[Wall, ...]
    furniture: dict[str, Placed]
    decor: dict[str, Placed] = Field(default_factory=dict)  # nobody speaks of it, but the robot can bump into it
    objects: dict[str, Loose]
    people: dict[str, Figure]
    robot: RobotStart
    light: Light = Light()
    gripper: GripperSpec = GripperSpec()

    @property
    def area(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 around all rooms."""
        x0, y0, x1, y1 = zip(*(room.area for room in self.rooms.values()), strict=True)
        return min(x0), min(y0), max(x1), max(y1)

    def hull(self, object_id: str) -> Hull:
        """What that object is to touch."""
        thing = self.objects[object_id]
        hull = self.shapes[thing.shape].hull
        assert hull is not None  # load_scene has checked it
        return hull.scaled(thing.scale)

    def rgb(self, color: str, *meanings: dict[str, str]) -> Rgb:
        """The colour that a name means: in the first of `meanings` that has it, then in the palette, then as #rrggbb.

        Raises:
            KeyError: nothing says what it is.
        """
        for meaning in (*meanings, self.palette):
            color = meaning.get(color, color)
        if not _HEX.match(color):
            raise KeyError(color)
        return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255
