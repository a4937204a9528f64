"""The robot's links and joints, read from its MuJoCo body, so that Gazebo, RViz and the embedded simulation show the same robot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import asin, atan2
from typing import Any, Literal

import numpy as np

from sayso.scene.bodies import Form, Piece
from sayso.scene.scene import Point3, RobotStart
from sayso.sim.engine import mujoco
from sayso.sim.robot_body import COLLISION, add_robot
from sayso.types import FloatArray

JointKind = Literal["continuous", "revolute", "prismatic"]
# m between casters and floor: level with the wheels, they would carry weight that the wheels need for their grip. The robot tips by this
# over the casters' distance from the axle, at every start and stop: 0.15°; with 3 mm it was 0.91°.
CASTER_GAP = 0.0005
LEAST_MASS = 0.05  # kg of a link that only connects two joints
NAMES = {"robot": "base_link", "wheel/left": "left_wheel", "wheel/right": "right_wheel", "lift": "shoulder", "hand": "hand"}
_FORMS: dict[int, Form] = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): "ellipsoid",
}


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between a link and its parent; its frame is the link's."""

    name: str  # "wheel/left", "arm/lift"
    kind: JointKind
    axis: Point3
    limits: tuple[float, float] | None = None  # rad or m


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rigid part of the robot, its joints at 0."""

    name: str
    at: Point3  # m, in the parent's frame (base_link's own: on the floor between the wheels)
    parent: str = ""  # empty for base_link
    joint: Joint | None = None
    visuals: tuple[Piece, ...] = ()
    collisions: tuple[Piece, ...] = ()
    mass: float = LEAST_MASS  # kg
    middle: Point3 = (0.0, 0.0, 0.0)  # m, centre of mass
    inertia: Point3 = (1e-4, 1e-4, 1e-4)  # kg m², about x, y, z through `middle`
    floats: bool = False  # without gravity: its weight is balanced


@lru_cache(maxsize=1)
def robot_links() -> tuple[Link, ...]:
    """The robot's links, parents before children. A body with two joints becomes two links."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    for gloss in range(11):
        spec.add_material(name=f"gloss{gloss}")
    add_robot(spec, RobotStart(at=(0.0, 0.0)))
    model = spec.compile()
    return tuple(link for body in range(1, model.nbody) for link in _links(model, body))


def _links(model: Any, index: int) -> list[Link]:
    body = model.body(index)
    name = NAMES[body.name]
    joints = [_joint(model, at) for at in range(body.jntadr[0], body.jntadr[0] + body.jntnum[0]) if model.jnt_type[at] != 0]
    parent = NAMES.get(model.body(body.parentid[0]).name, "")
    at = _point(body.pos)
    between = []
    for joint in joints[:-1]:  # one link for each joint but the last
        between.append(Link(f"{name}_{joint.name.rpartition('/')[2]}", at, parent, joint, floats=True))
        parent, at = between[-1].name, (0.0, 0.0, 0.0)
    geoms = range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
    solid = [_rolling(model, geom, _piece(model, geom)) for geom in geoms if model.geom_contype[geom]]
    link = Link(
        name=name,
        at=at,
        parent=parent,
        joint=joints[-1] if joints else None,
        visuals=tuple(_piece(model, geom) for geom in geoms if model.geom_group[geom] != COLLISION),
        collisions=tuple(solid),
        mass=max(float(body.mass[0]), LEAST_MASS),
        middle=_point(body.ipos),
        inertia=_point(_about_axes(body)),
        floats=bool(body.gravcomp[0]) if hasattr(body, "gravcomp") else bool(model.body_gravcomp[index]),
    )
    return [*between, link]


def _joint(model: Any, index: int) -> Joint:
    joint = model.joint(index)
    slides = joint.type[0] == mujoco.mjtJoint.mjJNT_SLIDE
    limits = (float(joint.range[0]), float(joint.range[1])) if model.jnt_limited[index] else None
    kind: JointKind = "prismatic" if slides else "revolute" if limits else "continuous"
    return Joint(joint.name, kind, _point(joint.axis), limits)


def _rolling(model: Any, geom: int, piece: Piece) -> Piece:
    """Collision shapes for DART: wheels that touch the floor in one point, casters a little above it."""
    if model.geom(geom).name.startswith("caster"):
        at = (piece.at[0], piece.at[1], piece.at[2] + CASTER_GAP)
        return Piece("sphere", piece.size, at, piece.turn, piece.rgba)
    if model.body(model.geom_bodyid[geom]).name.startswith("wheel"):
        return Piece("sphere", piece.size[:1], piece.at, (0.0, 0.0, 0.0), piece.rgba)
    return piece


def _piece(model: Any, index: int) -> Piece:
    form = _FORMS[int(model.geom_type[index])]
    a, b, c = (float(value) for value in model.geom_size[index])
    sizes: dict[Form, tuple[float, ...]] = {
        "box": (2 * a, 2 * b, 2 * c),
        "cylinder": (a, 2 * b),
        "capsule": (a, 2 * b),
        "sphere": (a,),
        "ellipsoid": (a, b, c),
    }
    turned = np.empty(9)
    mujoco.mju_quat2Mat(turned, model.geom_quat[index])
    r, g, blue, alpha = (float(value) for value in model.geom_rgba[index])
    return Piece(form, sizes[form], _point(model.geom_pos[index]), roll_pitch_yaw(turned.reshape(3, 3)), (r, g, blue, alpha))


def _about_axes(body: Any) -> FloatArray:
    """The diagonal of the inertia about the link's own axes; the rest is small for this robot."""
    turned = np.empty(9)
    mujoco.mju_quat2Mat(turned, body.iquat)
    rotation = turned.reshape(3, 3)
    moments: FloatArray = np.diag(rotation @ np.diag(body.inertia) @ rotation.T)
    return np.maximum(moments, 1e-5)


def roll_pitch_yaw(rotation: FloatArray) -> Point3:
    """(3, 3) → angles in rad about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = asin(max(-1.0, min(1.0, -float(rotation[2, 0]))))
    if abs(rotation[2, 0]) > 1.0 - 1e-9:  # pitch of ±90°: roll and yaw turn about the same axis
        return 0.0, pitch, atan2(-float(rotation[0, 1]), float(rotation[1, 1]))
    return atan2(float(rotation[2, 1]), float(rotation[2, 2])), pitch, atan2(float(rotation[1, 0]), float(rotation[0, 0]))


def _point(values: Any) -> Point3:
    x, y, z = (float(value) for value in values)
    return x, y, z
