"""Writes a Gazebo Harmonic world (SDF 1.9) of a scene: a folder with the world, its meshes and pictures of its floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from PIL import Image

from sayso.gazebo.elements import OF_THINGS, add_collision, add_inertial, add_material, add_plugin, add_pose_publisher, add_visual
from sayso.gazebo.markup import NOWHERE, add, add_pose, write
from sayso.gazebo.parts_sdf import add_parts, add_stains
from sayso.gazebo.people import walkers
from sayso.gazebo.people_sdf import add_walker
from sayso.gazebo.robot_sdf import add_robot
from sayso.gazebo.robots import placed_robots
from sayso.gazebo.topics import ROBOT
from sayso.scene.bodies import Body, Form, Piece, loose_bodies, standing_bodies, wall_bodies
from sayso.scene.floor import floor_texture
from sayso.scene.layout import hand_of, turned
from sayso.scene.scene import Hull, Point3, Room, Scene

VERSION = "1.9"
WORLD = "world.sdf"
STEP = 0.004  # s of physics
FLOOR_PIXELS = 100  # per metre, of the floors' pictures
# The hand of a person; two or three released objects rest on it side by side. From the palm it reaches towards the person's middle:
# what a robot carries past the person must not hit it.
HAND: Point3 = (0.16, 0.42, 0.01)  # m
INWARDS = 0.12  # m from the palm to the ledge's middle
FOREARM = 0.3  # m from the palm: pieces with their middle within it are the hand and the forearm
SYSTEMS = {
    "gz-sim-physics-system": "gz::sim::systems::Physics",
    "gz-sim-user-commands-system": "gz::sim::systems::UserCommands",
    "gz-sim-scene-broadcaster-system": "gz::sim::systems::SceneBroadcaster",
}


def write_world(scene: Scene, folder: Path, pace: float = 1.0, robots: Sequence[str] = (ROBOT,)) -> Path:
    """Write the world and all its files; returns the path of the .sdf for `gz sim`.

    Args:
        scene: of the world.
        folder: of the files.
        pace: simulated seconds a second, if the machine can; 0: as fast as it can.
        robots: the names of their models.

    Raises:
        SaysoError: there is no place for so many robots, or a name is taken.
        OSError: the folder cannot be written.
    """
    placed = placed_robots(scene, robots)
    root = ET.Element("sdf", version=VERSION)
    world = add(root, "world", name=scene.name)
    _add_world(world, scene, pace)
    for room_id, room in scene.rooms.items():
        _add_floor(world, room_id, room, scene, folder)
    for body in (*wall_bodies(scene), *standing_bodies(scene)):
        if body.name in scene.people:
            _add_person(world, scene, body, folder)
            continue
        _add_model(world, body, folder)
        add_parts(world, body, folder)
    add_stains(world, scene)
    for body in loose_bodies(scene):
        _add_model(world, body, folder)
    for robot in placed:
        add_robot(world, scene, robot, is_seen=len(placed) > 1)
    path = folder / WORLD
    write(root, path)
    return path


def _add_world(world: ET.Element, scene: Scene, pace: float) -> None:
    physics = add(world, "physics", name="default", type="dart")
    add(physics, "max_step_size", STEP)
    add(physics, "real_time_factor", pace)
    for filename, name in SYSTEMS.items():
        add_plugin(world, filename, name)
    sensors = add_plugin(world, "gz-sim-sensors-system", "gz::sim::systems::Sensors")
    add(sensors, "render_engine", "ogre2")
    looks = add(world, "scene")
    add(looks, "ambient", (*[scene.light.ambient] * 3, 1.0))
    add(looks, "background", (0.85, 0.91, 0.95, 1.0))
    add(looks, "shadows", True)
    sun = add(world, "light", name="sun", type="directional")
    add(sun, "cast_shadows", True)
    x0, y0, x1, y1 = scene.area
    add_pose(sun, ((x0 + x1) / 2, (y0 + y1) / 2, 10.0))
    bright = scene.light.sun
    add(sun, "diffuse", (bright, bright * 0.97, bright * 0.9, 1.0))
    add(sun, "specular", (0.2, 0.2, 0.2, 1.0))
    add(sun, "direction", scene.light.direction)
    ground = _static(world, "floor")
    collision = add(ground, "collision", name="plane")
    plane = add(add(collision, "geometry"), "plane")
    add(plane, "normal", (0.0, 0.0, 1.0))
    add(plane, "size", (100.0, 100.0))


def _add_floor(world: ET.Element, room_id: str, room: Room, scene: Scene, folder: Path) -> None:
    x0, y0, x1, y1 = room.area
    link = _static(world, f"floor/{room_id}", ((x0 + x1) / 2, (y0 + y1) / 2, 0.0))
    visual = add(link, "visual", name="0")
    add_pose(visual, (0.0, 0.0, -0.05))
    add(add(add(visual, "geometry"), "box"), "size", (x1 - x0, y1 - y0, 0.1))
    picture = folder / "textures" / f"floor_{room_id}.png"
    _draw_floor(room, scene, picture)
    material = add_material(visual, (1.0, 1.0, 1.0, 1.0), 0.1)
    metal = add(add(material, "pbr"), "metal")
    add(metal, "albedo_map", f"textures/{picture.name}")
    add(metal, "roughness", 0.9)
    add(metal, "metalness", 0.0)


def _draw_floor(room: Room, scene: Scene, path: Path) -> None:
    """Draw one picture of the whole floor, because Gazebo stretches it over the box."""
    pixels, side = floor_texture(room.floor, *(scene.rgb(color) for color in room.floor.colors))
    x0, y0, x1, y1 = room.area
    tile = Image.fromarray(pixels).resize((round(side * FLOOR_PIXELS),) * 2)
    across, up = round((x1 - x0) * FLOOR_PIXELS), round((y1 - y0) * FLOOR_PIXELS)
    whole = Image.new("RGB", (across, up))
    for left in range(0, across, tile.width):
        for top in range(0, up, tile.height):
            whole.paste(tile, (left, top))
    path.parent.mkdir(parents=True, exist_ok=True)
    whole.save(path, optimize=True)


def _static(world: ET.Element, name: str, at: Point3 = NOWHERE) -> ET.Element:
    """Add a static model; returns its link."""
    model = add(world, "model", name=name)
    add(model, "static", True)
    add_pose(model, at)
    return add(model, "link", name="link")


def _add_model(world: ET.Element, body: Body, folder: Path) -> ET.Element:
    """Add what stands still or can be taken; returns its link."""
    model = add(world, "model", name=body.name)
    if body.hull is None:
        add(model, "static", True)
    add_pose(model, body.at, (0.0, 0.0, body.yaw))
    link = add(model, "link", name="link")
    if body.hull is not None:
        _add_hull(model, link, body)
    for index, piece in enumerate(body.pieces):
        if piece.moves:
            continue
        if piece.rgba[3] > 0.0:  # invisible pieces are left out: a depth camera may see them all the same
            add_visual(link, str(index), piece, folder)
        if piece.solid:
            add_collision(link, f"collision{index}", piece, folder)
    return link


def _add_hull(model: ET.Element, link: ET.Element, body: Body) -> None:
    hull = body.hull
    assert hull is not None  # only objects that can be grasped come here
    middle = (0.0, 0.0, hull.half[2])
    add_inertial(link, body.mass, middle, _inertia(hull, body.mass))
    form: Form = "box" if hull.box is not None else "cylinder" if hull.cylinder is not None else "sphere"
    size = hull.box or hull.cylinder or (hull.half[0],)
    add_collision(link, "hull", Piece(form, size, middle, NOWHERE, (1.0, 1.0, 1.0, 1.0)), folder=None, touches=OF_THINGS)
    add_pose_publisher(model)


def _add_person(world: ET.Element, scene: Scene, person: Body, folder: Path) -> None:
    body, hand = _without_hand(scene, person), _hand(scene, person)
    if person.name in walkers(scene):
        add_walker(world, body, hand, scene.people[person.name].pace, folder)
    else:
        add_collision(_add_model(world, body, folder), "hand", hand, folder)


def _without_hand(scene: Scene, person: Body) -> Body:
    """The person, whose hand and forearm touch nothing: the ledge is there in their place, and a wide thing could not be put on it."""
    palm = np.array(hand_of(scene, person.name))

    def is_free(piece: Piece) -> bool:
        x, y = turned(*piece.at[:2], person.yaw, person.at[:2])
        return bool(np.linalg.norm(palm - (x, y, person.at[2] + piece.at[2])) > FOREARM)

    return replace(person, pieces=tuple(replace(piece, solid=piece.solid and is_free(piece)) for piece in person.pieces))


def _hand(scene: Scene, person: Body) -> Piece:
    """The ledge in the person's own frame."""
    x, y, z = hand_of(scene, person.name, (0.0, 0.0, 0.0))
    return Piece("box", HAND, (x, y - float(np.copysign(INWARDS, y)), z - HAND[2] / 2), NOWHERE, (0.0, 0.0, 0.0, 0.0))


def _inertia(hull: Hull, mass: float) -> Point3:
    """The inertia of a homogeneous box, upright cylinder or sphere."""
    x, y, z = (2 * half for half in hull.half)
    if hull.box is not None:
        return mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12
    radius = x / 2
    if hull.cylinder is not None:
        across = mass * (3 * radius**2 + z * z) / 12
        return across, across, mass * radius**2 / 2
    return (0.4 * mass * radius**2,) * 3
