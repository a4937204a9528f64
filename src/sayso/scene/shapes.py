"""Shapes as checked, immutable objects: what a cup, a table or a person looks like, and what can be touched.

A shape stands on the floor of its own frame: origin at the middle of its foot, x out of its front, y to its left, z up.
Lengths in metres, angles in degrees. The docstring under a field is its documentation (docs/home-reference.md).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from sayso.yaml_source import StrictModel

STICKS_OUT = 0.1  # m that a handle or a switch may stick out of the shape's size
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Length = Annotated[float, Field(gt=0.0)]


def _positive(size: tuple[float, ...]) -> tuple[float, ...]:
    if min(size) <= 0.0:
        raise ValueError("every length must be above 0")
    return size


Size2 = Annotated[tuple[float, float], AfterValidator(_positive)]
Size3 = Annotated[tuple[float, float, float], AfterValidator(_positive)]
Point2 = tuple[float, float]
Point3 = tuple[float, float, float]


class Part(StrictModel):
    """One primitive of a shape; exactly one of the first seven fields is given."""

    box: Size3 | None = None
    """[depth, width, height] in m."""
    cylinder: Size2 | None = None
    """[radius, height] in m."""
    sphere: Length | None = None
    """Radius in m."""
    capsule: Size2 | None = None
    """[radius, length between the centres of its caps] in m."""
    ellipsoid: Size3 | None = None
    """Three radii in m."""
    lathe: tuple[Point2, ...] | None = None
    """Profile of [r, z] points in m, turned around z: cups, bottles, bowls."""
    ring: Size2 | None = None
    """[radius, thickness (radius of the wire)] in m: handles."""
    at: Point3 = (0.0, 0.0, 0.0)
    """[x, y, z] of its middle in the shape's frame, in m; of a lathe, of the profile's origin."""
    turn: Point3 = (0.0, 0.0, 0.0)
    """[roll, pitch, yaw] in degrees about fixed axes."""
    color: str = "main"
    """A name of the shape's, thing's or scene's colours, or "#rrggbb"."""
    gloss: Probability = 0.1
    """How much it shines, 0 to 1."""
    alpha: Probability = 1.0
    """Opacity, 0 to 1."""
    solid: bool = True
    """Furniture only: whether the robot can bump into it."""
    lit: str = ""
    """Its colour while the appliance that it belongs to is on: a lamp's shade, a screen. Default: as always."""
    limb: Literal["", "left_arm", "right_arm", "legs", "feet"] = ""
    """People only: what moves with a gesture or a pose. The parts of an arm go from the shoulder to the hand."""

    @model_validator(mode="after")
    def _one_primitive(self) -> Part:
        if sum(value is not None for value in self.primitives().values()) != 1:
            raise ValueError(f"a part is exactly one of {', '.join(self.primitives())}; give one of them")
        return self

    def primitives(self) -> dict[str, object]:
        """Every kind of primitive, and its value in the file."""
        return {name: getattr(self, name) for name in ("box", "cylinder", "sphere", "capsule", "ellipsoid", "lathe", "ring")}


class Hull(StrictModel):
    """The body of a loose object for physics: one convex form that stands on the origin. Simple, so that it rests still."""

    box: Size3 | None = None
    """[depth, width, height] in m."""
    cylinder: Size2 | None = None
    """[radius, height] in m."""
    sphere: Length | None = None
    """Radius in m."""

    @model_validator(mode="after")
    def _one_body(self) -> Hull:
        if sum(value is not None for value in (self.box, self.cylinder, self.sphere)) != 1:
            raise ValueError("a hull is exactly one of box, cylinder, sphere")
        return self

    @property
    def half(self) -> Point3:
        """Half of its extent along x, y and z, in m."""
        if self.box is not None:
            return self.box[0] / 2, self.box[1] / 2, self.box[2] / 2
        if self.cylinder is not None:
            return self.cylinder[0], self.cylinder[0], self.cylinder[1] / 2
        radius = self.sphere or 0.0
        return radius, radius, radius

    @property
    def radius(self) -> float:
        """Radius in m of the smallest upright cylinder around it."""
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
    """[from, to] in m in the shape's frame."""
    y: Point2
    """[from, to] in m in the shape's frame."""
    z: float
    """Height in m."""


def _turning(angle: float) -> float:
    if angle == 0.0:
        raise ValueError("a door that opens by 0 degrees does not open")
    return angle


class Door(StrictModel):
    """A part of furniture that turns about an upright hinge."""

    hinge: Point2
    """[x, y] of the hinge in the shape's frame, in m."""
    opens: Annotated[float, Field(ge=-170.0, le=170.0), AfterValidator(_turning)]
    """How far it opens, in degrees; above 0: to the left, seen from above."""
    handle: Point3
    """[x, y, z] of its handle while it is closed, in m."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    """The parts that turn with it, where they are while it is closed."""


class Drawer(StrictModel):
    """A part of furniture that slides out at the front."""

    slides: Length
    """How far it comes out, in m."""
    handle: Point3
    """[x, y, z] of its handle while it is closed, in m."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    """The parts that slide with it, where they are while it is closed."""


class Switch(StrictModel):
    """What switches an appliance on and off."""

    at: Point3
    """[x, y, z] of its button in the shape's frame, in m."""


class Shape(StrictModel):
    """How things of a kind look: a cup, a table, a person."""

    size: Size3 | None = None
    """[depth, width, height] in m as drawn; furniture of another size is stretched from it."""
    parts: tuple[Part, ...]
    """The parts that it is made of."""
    colors: dict[str, str] = Field(default_factory=dict)
    """The names in the parts' `color` and their default colours."""
    areas: tuple[Area, ...] = ()
    """Where things can stand on it."""
    shelves: tuple[Area, ...] = ()
    """Furniture with a door only: where things can stand in it, behind the door."""
    fixed_to_wall: bool = False
    """Doors, windows, pictures: whether it needs a wall behind it."""
    hull: Hull | None = None
    """Body for physics; needed for things that can be taken."""
    mass: Length | None = None
    """Mass in kg; needed for things that can be taken."""
    hand: Point3 | None = None
    """People only: [x, y, z] of the open hand, in m."""
    door: Door | None = None
    """Furniture only: its door, if the robot can open one."""
    drawer: Drawer | None = None
    """Furniture only: its drawer, if the robot can open one."""
    switch: Switch | None = None
    """Furniture only: its switch, if it is an appliance; its parts with `lit` show that it is on."""

    @property
    def moving(self) -> Door | Drawer | None:
        """The part that opens."""
        return self.door or self.drawer

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts that stand still, then those that move."""
        return (*self.parts, *(self.moving.parts if self.moving else ()))

    @model_validator(mode="after")
    def _can_be_operated(self) -> Shape:
        if self.door and self.drawer:
            raise ValueError("a shape has one part that opens: give a door or a drawer")
        if self.shelves and self.door is None:
            raise ValueError("shelves are behind a door: give the shape one, or use `areas`")
        if self.switch and not any(part.lit for part in self.all_parts):
            raise ValueError("nobody could see whether it is on: a shape with a switch needs a part with `lit`")
        points = {"handle": self.moving.handle if self.moving else None, "switch": self.switch.at if self.switch else None}
        for what, point in points.items():
            if point is not None and self.size is not None and not _within(point, self.size):
                raise ValueError(f"the {what} at {list(point)} is outside the shape's size {list(self.size)}")
        return self


def _within(point: Point3, size: tuple[float, float, float]) -> bool:
    """Whether a point is in a shape of that size, or sticks out of it a little, as handles do."""
    x, y, z = (length + 2 * STICKS_OUT for length in size)
    return abs(point[0]) <= x / 2 and abs(point[1]) <= y / 2 and 0.0 <= point[2] <= z
