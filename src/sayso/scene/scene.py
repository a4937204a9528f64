"""The contents of a scene file as checked, immutable objects: rooms, walls, furniture, loose objects, people, the robot's start.

A scene describes the world and no simulator: both the MuJoCo and the Gazebo world are made from it.
Lengths in metres, angles in degrees (people write the files), everything in the map frame (REP 103) unless noted otherwise.
The docstring under a field is its documentation: docs/home-reference.md, the editors' JSON Schema and error messages are made from it.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from sayso.looks import GARMENTS, Age, Colour, Garment, Gender, Gesture, Pose
from sayso.scene.shapes import Area, Hull, Length, Part, Point2, Point3, Probability, Shape, Size3
from sayso.yaml_source import StrictModel

__all__ = ["Area", "Hull", "Length", "Part", "Point2", "Point3", "Probability", "Rgb", "Scene", "Shape", "Size3"]

Rgb = tuple[float, float, float]
_HEX = re.compile(r"^#[0-9a-fA-F]{6}$")


def _hex(color: str) -> str:
    if not _HEX.match(color):
        raise ValueError(f"'{color}' is not a colour: '#rrggbb' is expected")
    return color


class Floor(StrictModel):
    """The look of a room's floor."""

    pattern: Literal["plain", "planks", "tiles", "carpet"] = "plain"
    """How it is laid."""
    colors: tuple[str, str]
    """Two colours, light and dark: names of the palette or "#rrggbb"."""
    tile: Length = 0.4
    """Length in m of a plank or of a tile's side."""


class Room(StrictModel):
    """A rectangle of floor."""

    area: tuple[float, float, float, float]
    """[x0, y0, x1, y1] in m."""
    floor: Floor
    """The look of its floor."""

    @model_validator(mode="after")
    def _has_area(self) -> Room:
        x0, y0, x1, y1 = self.area
        if x1 <= x0 or y1 <= y0:
            raise ValueError("area is x0, y0, x1, y1 with x0 < x1 and y0 < y1")
        return self


class Wall(StrictModel):
    """A straight wall along x or y, with gaps to walk through."""

    start: Point2
    """[x, y] in m."""
    end: Point2
    """[x, y] in m; in line with `start` along x or along y."""
    openings: tuple[Point2, ...] = ()
    """Doorways: [from, to] in m from `start`."""
    color: str = "wall"
    """A name of the palette, or "#rrggbb"."""

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
    """Something that is never moved: furniture, or decor."""

    shape: str
    """Name of a shape."""
    at: Point2
    """[x, y] of the middle of its foot, in m."""
    yaw: float = 0.0
    """Direction that its front faces, in degrees."""
    z: float = 0.0
    """Height of its foot in m: pictures hang."""
    size: Size3 | None = None
    """[depth, width, height] in m. Default: as the shape is drawn."""
    colors: dict[str, str] = Field(default_factory=dict)
    """The shape's colour names and their colours here: {main: white, legs: oak}."""
    stains: tuple[Point2, ...] = ()
    """[right, behind] in m of stains on its top, as `at` of an object."""


class Loose(StrictModel):
    """An object that can be taken, and where it is at the start."""

    shape: str
    """Name of a shape that has a hull and a mass."""
    on: str
    """Id of the furniture it stands on."""
    at: Point2
    """[right, behind] in m: right of the furniture's middle, and behind its front edge, seen from in front of it."""
    yaw: float = 0.0
    """Turn in degrees; 0: as the furniture is turned."""
    scale: Annotated[float, Field(ge=0.25, le=4.0)] = 1.0
    """Its size, as a multiple of the size as drawn."""
    colors: dict[str, str] = Field(default_factory=dict)
    """The shape's colour names and their colours here: {main: red}."""
    capacity: Annotated[float, Field(ge=0.0, le=20_000.0)] = 0.0
    """How much it can hold, in ml; 0: it is no vessel."""
    holds: Annotated[float, Field(ge=0.0)] = 0.0
    """How much is in it at the start, in ml."""

    @model_validator(mode="after")
    def _fits(self) -> Loose:
        if self.holds > self.capacity:
            raise ValueError(f"it holds {self.holds:g} ml, more than its capacity of {self.capacity:g} ml")
        return self


class Figure(StrictModel):
    """A person with one hand open, who stands still or walks."""

    shape: str = "person"
    """Name of a shape that has a hand."""
    at: Point2
    """[x, y] in m."""
    yaw: float = 0.0
    """Direction that the person faces, in degrees."""
    size: Size3 | None = None
    """[depth, width, height] in m. Default: as the shape is drawn."""
    colors: dict[str, str] = Field(default_factory=dict)
    """The shape's colour names and their colours here: {shirt: moss}."""
    walks: tuple[str, ...] = ()
    """Rooms and furniture that the person walks to in simulation, one after the other and again from the first."""
    pace: Annotated[float, Field(gt=0.0, le=2.0)] = 0.5
    """Speed in m/s at which the person walks."""
    wears: dict[Garment, Colour] = Field(default_factory=dict)
    """Garment → colour: {shirt: red, trousers: blue}. Of what is worn over each other, the outermost is seen."""
    pose: Pose = "standing"
    """Standing, sitting on a stool, or lying on the back. People who sit or lie do not walk."""
    gesture: Gesture = "no_gesture"
    """What the arms do; left and right are the person's own."""
    gender: Gender | None = None
    """As others see it. Default: nobody can tell."""
    age: Age | None = None
    """As others see it. Default: nobody can tell."""

    @model_validator(mode="after")
    def _walks_on_feet(self) -> Figure:
        if self.walks and self.pose != "standing":
            raise ValueError(f"who walks is standing, and not {self.pose}")
        return self

    @property
    def all_colors(self) -> dict[str, str]:
        """The shape's colour names and their colours, with the clothes."""
        visible = {garment: self.wears[garment] for garment in reversed(GARMENTS) if garment in self.wears}
        worn = {garment if garment in ("trousers", "shoes") else "shirt": colour for garment, colour in visible.items()}
        return {**self.colors, **worn}

    @property
    def looks(self) -> tuple[str, ...]:
        """The labels of sayso.looks that are true of the person, as far as they can be seen."""
        upper = [garment for garment in GARMENTS if garment in self.wears and garment not in ("trousers", "shoes")][:1]
        lower = [garment for garment in ("trousers", "shoes") if garment in self.wears]
        clothes = [f"{self.wears[garment]}_{garment}" for garment in (*upper, *lower)]
        return (self.pose, self.gesture, *filter(None, (self.gender, self.age)), *clothes)


class Light(StrictModel):
    """How bright it is."""

    ambient: Probability = 0.35
    """Brightness from everywhere, 0 to 1."""
    lamp: Probability = 0.5
    """Brightness of the lamp at the camera, 0 to 1."""
    sun: Probability = 0.45
    """Brightness of the sun, 0 to 1."""
    direction: Point3 = (-0.35, 0.45, -1.0)
    """[x, y, z] of the direction in which the sun shines."""


FallibleCommand = Literal[
    "grasp", "release", "hand_over", "open", "close", "switch_on", "switch_off", "stow", "unstow", "wipe", "pour", "point"
]


class GripperSpec(StrictModel):
    """A magnet at the end of an arm, and how often it fails."""

    reach: Length = 0.95
    """Reach over the floor in m, from the robot's centre."""
    radius: Length = 0.06
    """Distance in m from the target within which a thing's hull is taken."""
    fails: dict[FallibleCommand, Probability] = Field(default_factory=dict)
    """Gripper command → probability of failure."""


class RobotStart(StrictModel):
    """Where the robot stands at the start."""

    at: Point2
    """[x, y] in m."""
    yaw: float = 0.0
    """Direction that the robot faces, in degrees."""


class Scene(StrictModel):
    """A home as a simulator needs it."""

    name: str
    """Name of the scene, for people."""
    palette: dict[str, Annotated[str, AfterValidator(_hex)]] = Field(default_factory=dict)
    """Colour name → "#rrggbb"; include sayso:scenes/palette.yaml for the shipped ones."""
    shapes: dict[str, Shape]
    """Shape → its look; include sayso:scenes/furniture.yaml and sayso:scenes/things.yaml."""
    rooms: dict[str, Room] = Field(min_length=1)
    """Room id → rectangle of floor."""
    wall_height: Length = 2.4
    """Height of all walls in m."""
    wall_thickness: Length = 0.1
    """Thickness of all walls in m."""
    walls: tuple[Wall, ...]
    """The walls, with their doorways."""
    furniture: dict[str, Placed]
    """Furniture id → shape and place; the ids of the domain file."""
    decor: dict[str, Placed] = Field(default_factory=dict)
    """Things that commands are never about, but that the robot can bump into."""
    objects: dict[str, Loose]
    """Object id → shape, and the furniture it stands on; the ids of the domain file."""
    people: dict[str, Figure]
    """Person id → shape and place; the ids of the domain file."""
    robot: RobotStart
    """Where the robot starts."""
    light: Light = Light()
    """How bright it is."""
    gripper: GripperSpec = GripperSpec()
    """The simulated gripper."""

    @property
    def area(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 around all rooms."""
        x0, y0, x1, y1 = zip(*(room.area for room in self.rooms.values()), strict=True)
        return min(x0), min(y0), max(x1), max(y1)

    def hull(self, object_id: str) -> Hull:
        """The object's body for physics, scaled."""
        thing = self.objects[object_id]
        hull = self.shapes[thing.shape].hull
        assert hull is not None  # load_scene has checked it
        return hull.scaled(thing.scale)

    def rgb(self, color: str, *meanings: dict[str, str]) -> Rgb:
        """The colour of a name, looked up in each of `meanings`, then in the palette, then read as #rrggbb.

        Raises:
            KeyError: the name is unknown.
        """
        for meaning in (*meanings, self.palette):
            color = meaning.get(color, color)
        if not _HEX.match(color):
            raise KeyError(color)
        return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255
