"""The robot in SDF: links, joints, camera, and plugins for the drive, the arm and the magnets."""

from __future__ import annotations

from math import radians
from xml.etree import ElementTree as ET

from sayso.gazebo.elements import OF_ROBOT, add_collision, add_inertial, add_motor, add_plugin, add_pose_publisher, add_visual
from sayso.gazebo.markup import NOWHERE, add, add_pose
from sayso.gazebo.robot import Link, robot_links
from sayso.gazebo.robots import PlacedRobot
from sayso.gazebo.topics import ARM, gazebo_topic
from sayso.scene.scene import Point3, Scene
from sayso.sim.arm import ARM_SPEED
from sayso.sim.drive import DriveLimits
from sayso.sim.robot_body import CAMERA, FOLDED, TRACK, WHEEL_RADIUS

CAMERA_RATE = 5.0  # Hz: drawn in software, a picture costs as much as 30 steps of physics
LAMP_RANGE = 20.0  # m: as far as the camera sees
ODOMETRY_RATE = 50.0  # Hz: between two poses a picture may be taken
BASE = DriveLimits()  # above those of the motion gate
FASTEST = {"linear": BASE.speed, "angular": BASE.turning}  # m/s, rad/s
# m/s², rad/s². DiffDrive does not know braking from going backwards faster, so it accelerates as it brakes. Without limits, it would be at
# its speed in one step, and the wheels would slip.
HARDEST = {"linear": BASE.braking, "angular": BASE.angular}
# m/s or rad/s. The motors control speed, which DART's joints support: with forces from a PID, at all gains tried, the light arm
# shook the robot out of place (2 to 5 cm and 4° in 2 s).
FASTEST_ARM = dict(zip(("yaw", "lift", "stretch"), ARM_SPEED, strict=True))
ARM_FORCE = 400.0  # N or N m; without a limit, DART ignores the joints' ends
SYSTEM = "gz::sim::systems::"
# At the start of the world every magnet holds its object, and a moving arm would drag them all along. So the arm starts folded, and its
# joints count from there.
BEGINS_AT = {f"arm/{joint}": float(getattr(FOLDED, joint)) for joint in ARM}


def add_robot(world: ET.Element, scene: Scene, robot: PlacedRobot, *, is_seen: bool = False) -> None:
    """Add a robot's model at its start pose, with a magnet for each object of the scene, and the scene's lamp at the camera.

    Args:
        world: it belongs to.
        scene: of the world.
        robot: its name and start.
        is_seen: Gazebo publishes the model's pose, for other robots.
    """
    name, start = robot.name, robot.start
    model = add(world, "model", name=name)
    add_pose(model, (*start.at, 0.0), (0.0, 0.0, radians(start.yaw)))
    add(model, "self_collide", False)
    for link in robot_links():
        _add_link(model, link)
        if link.joint is not None:
            _add_joint(model, link)
    _add_camera(model, name, scene.light.lamp)
    _add_drive(model, name)
    for joint in ARM:
        add_motor(model, f"arm/{joint}", gazebo_topic("gazebo/arm/{joint}", name).format(joint=joint), FASTEST_ARM[joint])
    states = add_plugin(model, "gz-sim-joint-state-publisher-system", f"{SYSTEM}JointStatePublisher")
    add(states, "topic", gazebo_topic("gazebo/joints", name))
    for thing in scene.objects:
        _add_magnet(model, name, thing)
    if is_seen:
        add_pose_publisher(model)


def _add_link(model: ET.Element, link: Link) -> None:
    element = add(model, "link", name=link.name)
    if link.parent:
        at, turn = _at_start(link)
        pose = add(element, "pose", (*at, *turn))
        pose.set("relative_to", link.parent)
    if link.floats:
        add(element, "gravity", False)
    add_inertial(element, link.mass, link.middle, link.inertia)
    for index, piece in enumerate(link.visuals):
        add_visual(element, str(index), piece, folder=None)
    wheel = link.joint is not None and link.joint.kind == "continuous"
    for index, piece in enumerate(link.collisions):
        add_collision(element, f"collision{index}", piece, folder=None, friction=1.5 if wheel else 0.0, touches=OF_ROBOT)


def _at_start(link: Link) -> tuple[Point3, Point3]:
    """The link's initial position and rotation in its parent's frame."""
    joint = link.joint
    moved = BEGINS_AT.get(joint.name, 0.0) if joint is not None else 0.0
    if joint is None or moved == 0.0:
        return link.at, NOWHERE
    x, y, z = (moved * part for part in joint.axis)
    if joint.kind == "prismatic":
        return (link.at[0] + x, link.at[1] + y, link.at[2] + z), NOWHERE
    return link.at, (x, y, z)  # a turn about one of the axes


def _add_joint(model: ET.Element, link: Link) -> None:
    joint = link.joint
    assert joint is not None  # the caller asked
    element = add(model, "joint", name=joint.name, type="prismatic" if joint.kind == "prismatic" else "revolute")
    add(element, "parent", link.parent)
    add(element, "child", link.name)
    axis = add(element, "axis")
    add(axis, "xyz", joint.axis)
    limit = add(axis, "limit")
    begins = BEGINS_AT.get(joint.name, 0.0)
    low, high = joint.limits or (-1e16, 1e16)
    add(limit, "lower", low - begins)
    add(limit, "upper", high - begins)
    if joint.limits is not None:
        add(limit, "effort", ARM_FORCE)


def _add_camera(model: ET.Element, robot: str, lamp: float) -> None:
    camera = add(model, "link", name="camera_link")
    add_pose(camera, (CAMERA.x, 0.0, CAMERA.z), (0.0, CAMERA.pitch, 0.0))
    inertial = add(camera, "inertial")
    add(inertial, "mass", 0.05)
    moments = add(inertial, "inertia")
    for axis in ("ixx", "iyy", "izz"):
        add(moments, axis, 1e-4)
    fixed = add(model, "joint", name="camera", type="fixed")
    add(fixed, "parent", "base_link")
    add(fixed, "child", "camera_link")
    add_optics(camera, gazebo_topic("camera/image", robot).rpartition("/")[0].lstrip("/"), CAMERA_RATE, lamp)


def add_optics(link: ET.Element, topic: str, rate: float, lamp: float) -> None:
    """Add a camera like the robot's, and a lamp, to a link.

    Args:
        link: that carries them.
        topic: `topic`/image and `topic`/depth_image are sent.
        rate: pictures a second.
        lamp: brightness of the light that comes from the camera, in [0, 1]. Without it, round things look flat, and fewer are found.
    """
    _add_lamp(link, lamp)
    sensor = add(link, "sensor", name="camera", type="rgbd_camera")
    add(sensor, "topic", topic)
    add(sensor, "update_rate", rate)
    add(sensor, "always_on", True)
    optics = add(sensor, "camera", name="camera")
    add(optics, "horizontal_fov", CAMERA.fov)
    image = add(optics, "image")
    add(image, "width", str(CAMERA.width))
    add(image, "height", str(CAMERA.height))
    add(image, "format", "R8G8B8")
    clip = add(optics, "clip")
    add(clip, "near", 0.05)
    add(clip, "far", 20.0)


def _add_lamp(link: ET.Element, bright: float) -> None:
    light = add(link, "light", name="lamp", type="point")
    add(light, "cast_shadows", False)
    add(light, "diffuse", (bright, bright, bright, 1.0))
    add(light, "specular", (0.0, 0.0, 0.0, 1.0))  # OGRE's gloss without an exponent would make a black phone grey
    fading = add(light, "attenuation")
    for name, value in {"range": LAMP_RANGE, "constant": 1.0, "linear": 0.0, "quadratic": 0.0}.items():
        add(fading, name, value)


def _add_drive(model: ET.Element, robot: str) -> None:
    drive = add_plugin(model, "gz-sim-diff-drive-system", f"{SYSTEM}DiffDrive")
    add(drive, "left_joint", "wheel/left")
    add(drive, "right_joint", "wheel/right")
    add(drive, "wheel_separation", TRACK)
    add(drive, "wheel_radius", WHEEL_RADIUS)
    add(drive, "topic", gazebo_topic("cmd_vel", robot))
    # Its own odometry counts wheel turns, even against a wall, so it goes to a topic that isn't bridged.
    add(drive, "odom_topic", f"/model/{robot}/wheel_odometry")
    add(drive, "tf_topic", f"/model/{robot}/wheel_tf")
    for kind, of_both in {"velocity": FASTEST, "acceleration": HARDEST}.items():
        for way, most in of_both.items():
            add(drive, f"max_{way}_{kind}", most)
            add(drive, f"min_{way}_{kind}", -most)
    odometry = add_plugin(model, "gz-sim-odometry-publisher-system", f"{SYSTEM}OdometryPublisher")
    add(odometry, "odom_frame", "map")
    add(odometry, "robot_base_frame", "base_link")
    add(odometry, "odom_topic", gazebo_topic("odom", robot))
    add(odometry, "odom_publish_frequency", ODOMETRY_RATE)
    add(odometry, "dimensions", "3")  # with roll and pitch: the camera looks where the robot leans


def _add_magnet(model: ET.Element, robot: str, thing: str) -> None:
    """Add a magnet for one object. It attaches at the start at any distance, so users of the world must detach all magnets first."""
    # Releases after Harmonic can start it detached; Harmonic ignores the unknown element.
    magnet = add_plugin(model, "gz-sim-detachable-joint-system", f"{SYSTEM}DetachableJoint")
    add(magnet, "parent_link", "hand")
    add(magnet, "child_model", thing)
    add(magnet, "child_link", "link")
    for what in ("attach", "detach"):
        add(magnet, f"{what}_topic", gazebo_topic(f"gazebo/{what}/{{object}}", robot).format(object=thing))
    add(magnet, "output_topic", gazebo_topic("gazebo/magnet/{object}", robot).format(object=thing))
    add(magnet, "initial_attach", False)
    add(magnet, "suppress_child_warning", True)
