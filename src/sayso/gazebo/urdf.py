"""The robot in URDF, for robot_state_publisher and RViz."""

from __future__ import annotations

from math import pi
from xml.etree import ElementTree as ET

from sayso.gazebo.markup import NOWHERE, add, numbers
from sayso.gazebo.robot import Link, robot_links
from sayso.scene.bodies import Piece
from sayso.scene.scene import Point3
from sayso.sim.robot_body import CAMERA

SPEED, FORCE = 2.0, 400.0  # of the arm's joints: rad/s or m/s; N m or N


def robot_urdf() -> str:
    """The robot's links and joints, its camera, and the optical frame of REP 103."""
    robot = ET.Element("robot", name="sayso_robot")
    for link in robot_links():
        _add_link(robot, link)
    for name in ("camera_link", "camera_optical_frame"):
        add(robot, "link", name=name)
    _add_fixed(robot, "camera", "base_link", "camera_link", (CAMERA.x, 0.0, CAMERA.z), (0.0, CAMERA.pitch, 0.0))
    _add_fixed(robot, "camera_optical", "camera_link", "camera_optical_frame", NOWHERE, (-pi / 2, 0.0, -pi / 2))
    ET.indent(robot)
    return ET.tostring(robot, encoding="unicode", xml_declaration=True) + "\n"


def _add_link(robot: ET.Element, link: Link) -> None:
    element = add(robot, "link", name=link.name)
    inertial = add(element, "inertial")
    _add_origin(inertial, link.middle)
    add(inertial, "mass", value=numbers(link.mass))
    ixx, iyy, izz = (numbers(moment) for moment in link.inertia)
    add(inertial, "inertia", ixx=ixx, ixy="0", ixz="0", iyy=iyy, iyz="0", izz=izz)
    for index, piece in enumerate(link.visuals):
        for shape in _shapes(piece):
            visual = add(element, "visual")
            _add_shape(visual, shape)
            material = add(visual, "material", name=f"{link.name}_{index}")
            add(material, "color", rgba=numbers(*piece.rgba))
    for piece in link.collisions:
        for shape in _shapes(piece):
            _add_shape(add(element, "collision"), shape)
    if link.joint is not None:
        _add_joint(robot, link)


def _add_joint(robot: ET.Element, link: Link) -> None:
    joint = link.joint
    assert joint is not None  # the caller asked
    element = add(robot, "joint", name=joint.name, type=joint.kind)
    _add_origin(element, link.at)
    add(element, "parent", link=link.parent)
    add(element, "child", link=link.name)
    add(element, "axis", xyz=numbers(*joint.axis))
    if joint.limits is not None:
        low, high = joint.limits
        add(element, "limit", lower=numbers(low), upper=numbers(high), effort=numbers(FORCE), velocity=numbers(SPEED))


def _add_fixed(robot: ET.Element, name: str, parent: str, child: str, at: Point3, turn: Point3) -> None:
    element = add(robot, "joint", name=name, type="fixed")
    _add_origin(element, at, turn)
    add(element, "parent", link=parent)
    add(element, "child", link=child)


def _shapes(piece: Piece) -> tuple[Piece, ...]:
    """The piece in shapes that URDF has: a capsule becomes a cylinder without caps, an ellipsoid its bounding box."""
    if piece.form == "capsule":
        return (Piece("cylinder", piece.size, piece.at, piece.turn, piece.rgba),)
    if piece.form == "ellipsoid":
        a, b, c = piece.size
        return (Piece("box", (2 * a, 2 * b, 2 * c), piece.at, piece.turn, piece.rgba),)
    return (piece,)


def _add_shape(parent: ET.Element, piece: Piece) -> None:
    _add_origin(parent, piece.at, piece.turn)
    geometry = add(parent, "geometry")
    if piece.form == "box":
        add(geometry, "box", size=numbers(*piece.size))
    else:
        names = ("radius", "length")
        add(geometry, piece.form, **{name: numbers(value) for name, value in zip(names, piece.size, strict=False)})


def _add_origin(parent: ET.Element, at: Point3, turn: Point3 = NOWHERE) -> None:
    add(parent, "origin", xyz=numbers(*at), rpy=numbers(*turn))
