"""The same things from the same places in the pictures of Gazebo and MuJoCo: a world with a camera wherever the robot might stand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import yaml
from sensor_msgs.msg import Image as ImageMessage

from sayso.bags.images import colours, depths
from sayso.domain.model import Domain
from sayso.domain.wording import phrase_for
from sayso.gazebo import write_world
from sayso.gazebo.markup import add, add_pose
from sayso.gazebo.robot_sdf import add_optics
from sayso.gazebo.topics import ROBOT
from sayso.grounding import VisualGrounder
from sayso.scene import Scene
from sayso.sim.arrange import Arranger
from sayso.sim.robot_body import CAMERA
from sayso.sim.simulation import Simulation
from sayso.types import Image
from sayso_nodes.commands.demo import free_domain
from sayso_nodes.running.bridge import PAIRS, TO_ROS, Bridged
from sayso_nodes.running.gazebo_server import GazeboPrograms, RunningGazebo

VISIBLE = 20  # least pixels of a thing that counts as shown, as in the grounder's training
NEAR, FAR = 0.6, 2.0  # m from the camera
ABSENT = 4  # questions for what a picture does not show
SEED = 11
DEEP = 0.02  # of the distance and m: the tolerance of depths
RATE = 1.0  # Hz
PATIENCE = 60.0  # s for a picture and its depth
COLOUR, DEPTH = "eye/image", "eye/depth_image"


@dataclass(frozen=True, slots=True, eq=False)
class Viewpoint:
    """What MuJoCo shows from one place."""

    robot: tuple[float, float, float]  # x, y (m), yaw (rad)
    picture: Image
    shown: tuple[str, ...]  # things at NEAR to FAR
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Rates in both worlds."""

    same_depth: float  # share of all pixels
    found: tuple[float, float]  # Gazebo, MuJoCo
    alike: float  # share of the shown things with the same answer
    absent_found: tuple[float, float]
    shown: int
    absent: int


def viewpoints(scene: Scene, count: int) -> list[Viewpoint]:
    """Places in front of surfaces, with the home's things where they are in the scene."""
    simulation = Simulation(scene)
    try:
        arranger, rng = Arranger(simulation), np.random.default_rng(SEED)
        robots = [arranger.scatter(rng).robot for _ in range(count)]
        arranger.restore()
        return [_viewpoint(simulation, robot, rng) for robot in robots]
    finally:
        simulation.close()


def _viewpoint(simulation: Simulation, robot: tuple[float, float, float], rng: np.random.Generator) -> Viewpoint:
    simulation.put_robot(*robot)
    picture, owner = simulation.render(), simulation.render_segmentation()
    assert picture.depth is not None
    names = tuple(simulation.scene.objects)
    pixels = np.bincount(owner[owner >= 0], minlength=len(names))
    distance = {name: float(np.median(picture.depth[owner == index])) for index, name in enumerate(names) if pixels[index]}
    shown = tuple(name for index, name in enumerate(names) if pixels[index] >= VISIBLE and NEAR <= distance[name] <= FAR)
    hidden = [name for index, name in enumerate(names) if not pixels[index]]
    return Viewpoint(robot, picture, shown, tuple(str(name) for name in rng.permutation(hidden)[:ABSENT]))


def write_eye(scene: Scene, folder: Path, robot: tuple[float, float, float]) -> None:
    """Write the home's world with a camera, and its lamp, in place of the robot's, and the bridge for its pictures.

    One a world: lamps would light each other's pictures.
    """
    path = write_world(scene, folder, pace=0.0)
    tree = ET.parse(path)  # noqa: S314 - our own file
    world = tree.find("world")
    assert world is not None
    own = world.find(f"model[@name='{ROBOT}']")
    assert own is not None
    world.remove(own)
    x, y, yaw = robot
    model = add(world, "model", name="eye")
    add(model, "static", True)
    add_pose(model, (x + CAMERA.x * math.cos(yaw), y + CAMERA.x * math.sin(yaw), CAMERA.z), (0.0, CAMERA.pitch, yaw))
    add_optics(add(model, "link", name="link"), "eye", RATE, scene.light.lamp)
    tree.write(path)
    kind = "sensor_msgs/msg/Image"
    lines = [asdict(Bridged(topic, f"/{topic}", kind, PAIRS[kind], TO_ROS)) for topic in (COLOUR, DEPTH)]
    (folder / "bridge.yaml").write_text(yaml.safe_dump(lines))


def compared(programs: GazeboPrograms, scene: Scene, domain: Domain, grounder: VisualGrounder, folder: Path, count: int) -> Compared:
    """Ask for the same things in the pictures of both worlds.

    Raises:
        RosError: Gazebo ended, or its pictures did not come in time.
    """
    places = viewpoints(scene, count)
    theirs = []
    for place in places:
        write_eye(scene, folder, place.robot)
        theirs.append(_picture(programs, folder, place.picture))
    shown = list(_answers(domain, grounder, places, theirs, "shown"))
    absent = list(_answers(domain, grounder, places, theirs, "absent"))
    found, wrong = np.array(shown, bool).reshape(-1, 2), np.array(absent, bool).reshape(-1, 2)
    return Compared(
        float(np.mean([_same_depth(place.picture, picture) for place, picture in zip(places, theirs, strict=True)])),
        (float(found[:, 0].mean()), float(found[:, 1].mean())),
        float((found[:, 0] == found[:, 1]).mean()),
        (float(wrong[:, 0].mean()), float(wrong[:, 1].mean())),
        len(found),
        len(wrong),
    )


def _answers(
    domain: Domain, grounder: VisualGrounder, places: list[Viewpoint], theirs: list[Image], which: str
) -> Iterator[tuple[bool, bool]]:
    for place, picture in zip(places, theirs, strict=True):
        for name in getattr(place, which):
            phrase = phrase_for(domain, name)
            yield grounder(picture, phrase).found, grounder(place.picture, phrase).found


def _same_depth(one: Image, other: Image) -> float:
    assert one.depth is not None
    assert other.depth is not None
    with np.errstate(invalid="ignore"):  # inf - inf where neither sees anything
        close = np.abs(other.depth - one.depth) <= DEEP * (1.0 + one.depth)
    return float((close | ~np.isfinite(other.depth) & ~np.isfinite(one.depth)).mean())


def _picture(programs: GazeboPrograms, folder: Path, like: Image) -> Image:
    """What Gazebo's camera shows and measures, with the intrinsics and the pose of MuJoCo's picture."""
    from _gazebo_world import GazeboListener

    domain_id, heard = free_domain(), dict[str, Any]()
    with RunningGazebo(programs, folder, {"ROS_DOMAIN_ID": str(domain_id)}, folder / "log") as gazebo:
        listener = GazeboListener(domain_id, gazebo.check)
        try:
            for topic in (COLOUR, DEPTH):
                listener.hear(topic, ImageMessage, lambda message, topic=topic: heard.setdefault(topic, message))
            listener.wait(lambda: len(heard) == 2, "a picture and its depth", PATIENCE)
        finally:
            listener.close()
    return replace(like, rgb=colours(heard[COLOUR]), depth=depths(heard[DEPTH]))
