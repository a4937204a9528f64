"""SDF elements shared by robot and world: visuals, collisions, inertials and plugins."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from sayso.gazebo.markup import add, add_pose
from sayso.gazebo.mesh_file import write_mesh
from sayso.scene.bodies import Piece, Rgba
from sayso.scene.scene import Point3

POSE_RATE = 5.0  # Hz at which Gazebo publishes the pose of a thing or a part
# What touches what, bit by bit: doors, drawers and people who walk touch the robot alone, and their hands what they hold.
STILL, MOVING, WALKING, HELD = 1, 2, 4, 8
OF_ROBOT, OF_THINGS = STILL | MOVING | WALKING, STILL | HELD


def add_plugin(parent: ET.Element, filename: str, name: str) -> ET.Element:
    """Add a Gazebo system plugin."""
    return add(parent, "plugin", filename=filename, name=name)


def add_motor(model: ET.Element, joint: str, topic: str, fastest: float) -> None:
    """Move a joint to the position that comes from a topic, at that speed at most, rad/s or m/s."""
    motor = add_plugin(model, "gz-sim-joint-position-controller-system", "gz::sim::systems::JointPositionController")
    add(motor, "joint_name", joint)
    add(motor, "topic", topic)
    add(motor, "use_velocity_commands", True)
    add(motor, "cmd_max", fastest)
    add(motor, "cmd_min", -fastest)


def add_pose_publisher(model: ET.Element, rate: float = POSE_RATE) -> None:
    """Let Gazebo publish the model's pose that often, Hz."""
    poses = add_plugin(model, "gz-sim-pose-publisher-system", "gz::sim::systems::PosePublisher")
    for what in ("link", "visual", "collision"):
        add(poses, f"publish_{what}_pose", False)
    # Both: before December 2024 (gz-sim 8.8) the model's pose was published only together with that of nested models (gz-sim #2697).
    for what in ("model", "nested_model"):
        add(poses, f"publish_{what}_pose", True)
    add(poses, "use_pose_vector_msg", False)
    add(poses, "update_frequency", rate)


def add_visual(link: ET.Element, name: str, piece: Piece, folder: Path | None, emission: float = 0.0) -> None:
    """Add a piece's visual; with `emission`, in [0, 1], it shines in its own colour."""
    visual = add(link, "visual", name=name)
    add_pose(visual, piece.at, piece.turn)
    _add_geometry(visual, piece, folder)
    if piece.rgba[3] < 1.0:
        add(visual, "transparency", 1.0 - piece.rgba[3])
    material = add_material(visual, piece.rgba, piece.gloss)
    if emission:
        add(material, "emissive", (*(emission * part for part in piece.rgba[:3]), 1.0))


def add_collision(link: ET.Element, name: str, piece: Piece, folder: Path | None, friction: float = 1.0, touches: int = STILL) -> None:
    """Add a piece's collision; two touch each other if they have a bit in common."""
    collision = add(link, "collision", name=name)
    add_pose(collision, piece.at, piece.turn)
    _add_geometry(collision, piece, folder)
    surface = add(collision, "surface")
    add(add(surface, "contact"), "collide_bitmask", touches)
    grip = add(add(surface, "friction"), "ode")
    add(grip, "mu", friction)
    add(grip, "mu2", friction)


def add_inertial(link: ET.Element, mass: float, middle: Point3, inertia: Point3) -> None:
    """Add the inertial: mass in kg, centre of mass in m, moments in kg m² about the three axes through it."""
    inertial = add(link, "inertial")
    add_pose(inertial, middle)
    add(inertial, "mass", mass)
    moments = add(inertial, "inertia")
    for axis, moment in zip(("ixx", "iyy", "izz"), inertia, strict=True):
        add(moments, axis, moment)
    for product in ("ixy", "ixz", "iyz"):
        add(moments, product, 0.0)


def _add_geometry(parent: ET.Element, piece: Piece, folder: Path | None) -> None:
    geometry = add(parent, "geometry")
    shape = add(geometry, piece.form)
    if piece.triangles is not None:
        assert folder is not None  # the robot has no meshes
        add(shape, "uri", f"meshes/{write_mesh(piece.triangles, folder / 'meshes').name}")
    elif piece.form == "box":
        add(shape, "size", piece.size)
    elif piece.form == "ellipsoid":
        add(shape, "radii", piece.size)
    else:
        for name, value in zip(("radius", "length"), piece.size, strict=False):
            add(shape, name, value)


def add_material(visual: ET.Element, rgba: Rgba, gloss: float) -> ET.Element:
    """Add the colour and the gloss, in [0, 1]."""
    material = add(visual, "material")
    add(material, "ambient", rgba)
    add(material, "diffuse", rgba)
    add(material, "specular", (gloss, gloss, gloss, 1.0))
    return material
