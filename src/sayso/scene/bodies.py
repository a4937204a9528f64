"""The scene's bodies with their poses, stretched sizes and colours. Every simulator's world is made of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import radians
from typing import Literal

from sayso.scene.layout import pieces_of, start_pose, stretch
from sayso.scene.mesh import Triangles, mesh_of
from sayso.scene.posture import posed_parts, posed_scale
from sayso.scene.scene import Figure, Hull, Loose, Part, Placed, Point3, Scene
from sayso.scene.shapes import Door, Drawer

Form = Literal["box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh"]
Kind = Literal["wall", "furniture", "decor", "person", "object"]
Rgba = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One primitive of a body."""

    form: Form
    # m. box: depth, width, height; cylinder: radius, height; sphere: radius; ellipsoid: three radii;
    # capsule: radius, length between the centres of its caps; mesh: nothing, see `triangles`.
    size: tuple[float, ...]
    at: Point3  # m, of its middle (of a mesh's origin) in the body's frame
    turn: Point3  # rad: roll, pitch, yaw about fixed axes, in this order
    rgba: Rgba
    gloss: float = 0.0  # in [0, 1]
    solid: bool = True  # the robot can bump into it
    triangles: Triangles | None = None  # of a mesh
    moves: bool = False  # with the body's joint
    lit: Rgba | None = None  # its colour while the appliance is on


@dataclass(frozen=True, slots=True)
class FurnitureJoint:
    """How the moving pieces of furniture open: about an upright hinge, or along the body's x."""

    turns: bool
    at: Point3  # m, a point of the hinge in the body's frame; the origin for a drawer
    travel: float  # rad to the left or m forward, from closed to open


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A wall, a piece of furniture, a person, or a thing that can be taken (then it has a hull and a mass, and no piece is solid)."""

    name: str  # the scene's id; "wall/3" for walls
    kind: Kind
    at: Point3  # m, the middle of its foot in the map frame
    yaw: float  # rad
    pieces: tuple[Piece, ...]  # moving ones as they are while closed
    hull: Hull | None = None  # stands on the origin
    mass: float = 0.0  # kg
    joint: FurnitureJoint | None = None  # of furniture that opens


def wall_bodies(scene: Scene) -> tuple[Body, ...]:
    """The walls between their openings, numbered in the scene's order."""
    found: list[Body] = []
    for wall in scene.walls:
        rgba = (*scene.rgb(wall.color), 1.0)
        for piece in pieces_of(scene, wall):
            size = 2 * piece.half[0], 2 * piece.half[1], piece.top
            upright = Piece("box", size, (0.0, 0.0, piece.top / 2), (0.0, 0.0, 0.0), rgba)
            found.append(Body(f"wall/{len(found)}", "wall", (piece.x, piece.y, 0.0), 0.0, (upright,)))
    return tuple(found)


def standing_bodies(scene: Scene) -> tuple[Body, ...]:
    """Furniture, decor and people, in this order: nothing moves them."""
    return tuple(_standing(scene))


def loose_bodies(scene: Scene) -> tuple[Body, ...]:
    """The things that can be taken, where they are at the start."""
    found = []
    for object_id, thing in scene.objects.items():
        x, y, z, yaw = start_pose(scene, object_id)
        shape = scene.shapes[thing.shape]
        pieces = tuple(_piece(scene, part, thing, (thing.scale,) * 3, solid=False) for part in shape.parts)
        mass = (shape.mass or 0.0) * thing.scale**3
        found.append(Body(object_id, "object", (x, y, z), yaw, pieces, scene.hull(object_id), mass))
    return tuple(found)


def all_bodies(scene: Scene) -> tuple[Body, ...]:
    """Everything but floors and the robot."""
    return (*wall_bodies(scene), *standing_bodies(scene), *loose_bodies(scene))


def _standing(scene: Scene) -> Iterator[Body]:
    groups: tuple[tuple[Kind, dict[str, Placed] | dict[str, Figure]], ...] = (
        ("furniture", scene.furniture),
        ("decor", scene.decor),
        ("person", scene.people),
    )
    for kind, group in groups:
        for name, placed in group.items():
            height = placed.z if isinstance(placed, Placed) else 0.0
            scale = stretch(scene, placed)
            shape, parts = scene.shapes[placed.shape], scene.shapes[placed.shape].all_parts
            if isinstance(placed, Figure):
                parts, scale = posed_parts(shape, placed), posed_scale(placed, scale)
            # A lathe is a thin shell: shapes that the robot can bump into have a plain part beside it.
            pieces = [_piece(scene, part, placed, scale, part.solid and part.lathe is None) for part in parts]
            pieces = [replace(piece, moves=shape.moving is not None and index >= len(shape.parts)) for index, piece in enumerate(pieces)]
            yield Body(name, kind, (*placed.at, height), radians(placed.yaw), tuple(pieces), joint=_joint(shape.moving, scale))


def _joint(moving: Door | Drawer | None, scale: Point3) -> FurnitureJoint | None:
    if isinstance(moving, Door):
        return FurnitureJoint(turns=True, at=(moving.hinge[0] * scale[0], moving.hinge[1] * scale[1], 0.0), travel=radians(moving.opens))
    return FurnitureJoint(turns=False, at=(0.0, 0.0, 0.0), travel=moving.slides * scale[0]) if moving else None


def _piece(scene: Scene, part: Part, thing: Placed | Loose | Figure, scale: Point3, solid: bool) -> Piece:
    sx, sy, sz = scale
    # Where a body is stretched unevenly, a turned part is moved and keeps its size.
    own = scale if part.turn == (0.0, 0.0, 0.0) or sx == sy == sz else (1.0, 1.0, 1.0)
    across = (sx * sy) ** 0.5
    form, size = _form(part, own, across)
    triangles = mesh_of(part)
    meanings = thing.all_colors if isinstance(thing, Figure) else thing.colors, scene.shapes[thing.shape].colors
    return Piece(
        form=form,
        size=size,
        at=(part.at[0] * sx, part.at[1] * sy, part.at[2] * sz),
        turn=(radians(part.turn[0]), radians(part.turn[1]), radians(part.turn[2])),
        rgba=(*scene.rgb(part.color, *meanings), part.alpha),
        gloss=part.gloss,
        solid=solid,
        triangles=None if triangles is None else (triangles[0] * own, triangles[1]),
        lit=(*scene.rgb(part.lit, *meanings), part.alpha) if part.lit else None,
    )


def _form(part: Part, own: Point3, across: float) -> tuple[Form, tuple[float, ...]]:
    if part.box is not None:
        return "box", tuple(length * factor for length, factor in zip(part.box, own, strict=True))
    if part.ellipsoid is not None:
        return "ellipsoid", tuple(radius * factor for radius, factor in zip(part.ellipsoid, own, strict=True))
    if part.cylinder is not None:
        return "cylinder", (part.cylinder[0] * across, part.cylinder[1] * own[2])
    if part.capsule is not None:
        return "capsule", (part.capsule[0] * across, part.capsule[1] * own[2])
    if part.sphere is not None:
        return "sphere", (part.sphere * across,)
    return "mesh", ()
