"""People who can walk, in SDF: a model that three motors move over the floor and turn, with a ledge for a hand."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from sayso.gazebo.elements import HELD, WALKING, add_collision, add_inertial, add_motor, add_pose_publisher, add_visual
from sayso.gazebo.markup import NOWHERE, add, add_pose
from sayso.gazebo.people import AXES, motor
from sayso.gazebo.topics import gazebo_topic
from sayso.scene.bodies import Body, Piece
from sayso.scene.scene import Point3

LINKS = ("carriage", "slide", "body")  # which the three joints move
MASS, LIGHT = 5.0, 0.5  # kg, of the body and of what it slides on; gravity is off, and a light body is moved with little force
INERTIA = 0.1  # kg m² for each kg
FORCE = 500.0  # N, N m
FAR = 1000.0  # m, rad: joints need ends in DART
LEADS = 1.2  # how much faster the motors are than the person: a thing in the hand stays there
TURNING = 1.5  # rad/s


def add_walker(world: ET.Element, body: Body, hand: Piece, pace: float, folder: Path) -> None:
    """Add a person who walks at `pace`, m/s, with a ledge in the place of the hand."""
    model = add(world, "model", name=body.name, canonical_link=LINKS[-1])
    add_pose(model, body.at, (0.0, 0.0, body.yaw))
    parent = "world"
    for axis, name in zip(AXES, LINKS, strict=True):
        link = add(model, "link", name=name)
        add(link, "gravity", False)
        mass = MASS if name == LINKS[-1] else LIGHT
        add_inertial(link, mass, NOWHERE, (mass * INERTIA,) * 3)
        if name == LINKS[-1]:
            for index, piece in enumerate(body.pieces):
                if piece.rgba[3] > 0.0:
                    add_visual(link, str(index), piece, folder)
                if piece.solid:
                    add_collision(link, f"collision{index}", piece, folder, touches=WALKING)
            add_collision(link, "hand", hand, folder, touches=HELD)
        joint = add(model, "joint", name=axis, type="revolute" if axis == "turn" else "prismatic")
        add(joint, "parent", parent)
        add(joint, "child", name)
        parent = name
        along: Point3 = (float(axis == "x"), float(axis == "y"), float(axis == "turn"))
        of_joint = add(joint, "axis")
        add(of_joint, "xyz", along)
        limit = add(of_joint, "limit")
        for tag, value in (("lower", -FAR), ("upper", FAR), ("effort", FORCE)):
            add(limit, tag, value)
        topic = gazebo_topic("gazebo/part/{motor}").format(motor=motor(body.name, axis))
        add_motor(model, axis, topic, TURNING if axis == "turn" else LEADS * pace)
    add_pose_publisher(model)
