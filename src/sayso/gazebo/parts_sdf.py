"""The moving parts in SDF: a model of their own each, with a joint to the world, a motor, and a plugin that tells the pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

from sayso.gazebo.elements import MOVING, add_collision, add_inertial, add_motor, add_pose_publisher, add_visual
from sayso.gazebo.markup import NOWHERE, add, add_pose
from sayso.gazebo.parts import OPENS, SHINES, UNDER, stain_names
from sayso.gazebo.topics import gazebo_topic
from sayso.scene.bodies import Body, Piece
from sayso.scene.layout import turned
from sayso.scene.scene import Point3, Scene
from sayso.scene.stains import RADIUS, STAIN, STAIN_HEIGHT, stains
from sayso.sim.appliances import SHINE
from sayso.sim.joints import FORCE, INERTIA, MASS
from sayso.sim.operating import SECONDS

LEADS = 2.0  # how much faster the motor is than the hand that pulls
RAISING = 6.0  # m/s
LIGHT, SMALL = 0.1, 0.01  # kg and kg m² of what only appears
# rad or m beyond both ends: a joint that is at its end does not leave it in DART, and a motor goes some steps too far
SLACK = 0.1
OVER = 0.002  # m by which what shines covers what is dark


@dataclass(frozen=True, slots=True)
class _Motion:
    """Of a part, from where it is at the start."""

    kind: str  # revolute or prismatic
    axis: Point3
    ends: tuple[float, float]  # rad or m
    fastest: float  # rad/s or m/s
    force: float  # N m or N


def add_parts(world: ET.Element, body: Body, folder: Path) -> None:
    """Add the parts of a piece of furniture: its door or drawer, and what shines."""
    if body.joint is not None:
        joint = body.joint
        x, y = turned(*joint.at[:2], body.yaw, body.at[:2])
        motion = _Motion(
            "revolute" if joint.turns else "prismatic",
            (0.0, 0.0, 1.0) if joint.turns else (1.0, 0.0, 0.0),
            (min(0.0, joint.travel), max(0.0, joint.travel)),
            LEADS * abs(joint.travel) / SECONDS,
            FORCE[joint.turns],
        )
        link = _add_part(world, f"{body.name}{OPENS}", (x, y, body.at[2]), body.yaw, motion, (MASS, INERTIA))
        for index, piece in enumerate(body.pieces):
            if piece.moves:
                at = piece.at[0] - joint.at[0], piece.at[1] - joint.at[1], piece.at[2] - joint.at[2]
                add_visual(link, str(index), replace(piece, at=at), folder)
                if piece.solid:
                    add_collision(link, f"collision{index}", replace(piece, at=at), folder, touches=MOVING)
    if any(piece.lit for piece in body.pieces):
        raised = _Motion("prismatic", (0.0, 0.0, 1.0), (0.0, UNDER), RAISING, FORCE[False])
        x, y, z = body.at
        link = _add_part(world, f"{body.name}{SHINES}", (x, y, z - UNDER), body.yaw, raised, (LIGHT, SMALL))
        for index, piece in enumerate(body.pieces):
            if piece.lit:
                add_visual(link, str(index), _shining(piece), folder, emission=SHINE)


def add_stains(world: ET.Element, scene: Scene) -> None:
    """Add the stains, which touch nothing."""
    lowered = _Motion("prismatic", (0.0, 0.0, 1.0), (-UNDER, 0.0), RAISING, FORCE[False])
    for name, stain in zip(stain_names(scene), stains(scene), strict=True):
        link = _add_part(world, name, stain.at, 0.0, lowered, (LIGHT, SMALL))
        add_visual(link, "0", Piece("cylinder", (RADIUS, STAIN_HEIGHT), (0.0, 0.0, STAIN_HEIGHT / 2), NOWHERE, STAIN), folder=None)


def _add_part(world: ET.Element, name: str, at: Point3, yaw: float, motion: _Motion, weight: tuple[float, float]) -> ET.Element:
    """Add the model of a part at its place; returns its link."""
    model = add(world, "model", name=name)
    add_pose(model, at, (0.0, 0.0, yaw))
    link = add(model, "link", name="link")
    add(link, "gravity", False)
    mass, inertia = weight
    add_inertial(link, mass, NOWHERE, (inertia,) * 3)
    joint = add(model, "joint", name="joint", type=motion.kind)
    add(joint, "parent", "world")
    add(joint, "child", "link")
    axis = add(joint, "axis")
    add(axis, "xyz", motion.axis)
    limit = add(axis, "limit")
    for tag, value in (("lower", motion.ends[0] - SLACK), ("upper", motion.ends[1] + SLACK), ("effort", motion.force)):
        add(limit, tag, value)
    add_motor(model, "joint", gazebo_topic("gazebo/part/{motor}").format(motor=name), motion.fastest)
    add_pose_publisher(model)
    return link


def _shining(piece: Piece) -> Piece:
    """The same piece while it is on, a little larger."""
    assert piece.lit is not None  # the caller has looked
    triangles = None
    if piece.triangles is not None:
        points, faces = piece.triangles
        middle = (points.min(0) + points.max(0)) / 2
        triangles = ((points - middle) * (1.0 + 2 * OVER / abs(points - middle).max()) + middle, faces)
    return replace(piece, rgba=piece.lit, size=tuple(length + 2 * OVER for length in piece.size), triangles=triangles)
