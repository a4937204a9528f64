"""The Gazebo world equals the embedded simulation: valid SDF without unknown elements, with the same poses, sizes and colours."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import SaysoError
from sayso.gazebo import robot_urdf, write_world
from sayso.gazebo.compare import agreement, in_sdf
from sayso.gazebo.families import members
from sayso.gazebo.parts import UNDER, part_names
from sayso.gazebo.parts_sdf import SLACK
from sayso.gazebo.robot import CASTER_GAP, robot_links, roll_pitch_yaw
from sayso.gazebo.sdformat import INSTALL, check, is_installed, unknown_elements
from sayso.gazebo.topics import GAZEBO_TOPICS, gazebo_topic
from sayso.paths import config_dir
from sayso.scene import load_scene
from sayso.scene.fittings import fittings, switches
from sayso.scene.scene import Scene
from sayso.sim.arm import ARM_SPEED
from sayso.sim.drive import DriveLimits
from sayso.sim.robot_body import CAMERA, FOLDED, TRACK, WHEEL_RADIUS
from small_flat import SCENE

validated = pytest.mark.skipif(not is_installed(), reason=f"libsdformat is not installed: {INSTALL}")


@pytest.fixture(scope="module", params=["apartment", pytest.param("warehouse", marks=pytest.mark.long("shows the same in one more home"))])
def scene(request: pytest.FixtureRequest) -> Scene:
    return load_scene(config_dir() / "scenes" / f"{request.param}.yaml")


@pytest.fixture(scope="module")
def world(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(scene, tmp_path_factory.mktemp("world"))


@validated
def test_libsdformat_finds_the_world_valid(world: Path) -> None:
    assert check(world) == []


@validated
def test_the_schema_knows_every_element(world: Path) -> None:
    assert unknown_elements(world) == []


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """The world of a scene with one room: quicker to write and to check."""
    (tmp_path / "scene.yaml").write_text(SCENE)
    return write_world(load_scene(tmp_path / "scene.yaml"), tmp_path, pace=0.5)


@validated
def test_errors_against_libsdformat_and_the_schema_are_found(flat: Path) -> None:
    text = flat.read_text()
    assert check(flat) == unknown_elements(flat) == []
    twice = flat.with_name("twice.sdf")
    twice.write_text(text.replace("</world>", '<model name="floor"><static>1</static></model></world>'))
    assert check(twice)
    unknown = flat.with_name("unknown.sdf")
    unknown.write_text(text.replace("<mass>", "<masse>", 1).replace("</mass>", "</masse>", 1))
    assert unknown_elements(unknown) == ["sdf/world/model/link/inertial/masse is unknown"]


def test_both_worlds_agree_on_every_pose_size_and_colour(scene: Scene, world: Path) -> None:
    found = agreement(scene, world)
    assert found.differences == ()
    assert found.pieces > 400


def test_moved_painted_and_missing_pieces_are_reported(scene: Scene, world: Path) -> None:
    tree = ET.parse(world)
    models = [model for model in tree.getroot().iter("model") if model.get("name") in [*scene.objects][:3]]
    models[0].find("pose").text = "0 0 0 0 0 0"
    models[1].find("link/visual/material/diffuse").text = "0 0 0 1"
    models[2].find("link").remove(models[2].find("link/visual"))
    changed = world.with_name("changed.sdf")
    tree.write(changed)
    differences = "\n".join(agreement(scene, changed).differences)
    for model, what in zip(models, ("position", "colour", "only in MuJoCo"), strict=True):
        assert any(line.startswith(model.get("name")) and what in line for line in differences.splitlines())


def test_every_object_has_a_magnet_and_publishes_its_pose(scene: Scene, world: Path) -> None:
    root = ET.parse(world).getroot()
    magnets = {each.findtext("child_model") for each in root.iter("plugin") if each.get("name", "").endswith("DetachableJoint")}
    assert magnets == set(scene.objects)
    publishers = {
        model.get("name"): each
        for model in root.iter("model")
        for each in model.findall("plugin")
        if "PosePublisher" in each.get("name", "")
    }
    assert publishers.keys() == {*scene.objects, *members(scene)["part"]}
    for publisher in publishers.values():  # gz-sim before 8.8 publishes the model's pose only with that of nested models
        assert (publisher.findtext("publish_model_pose"), publisher.findtext("publish_nested_model_pose")) == ("true", "true")
        assert publisher.findtext("publish_link_pose") == "false"


def test_every_door_drawer_and_lamp_has_a_joint_that_goes_as_far_as_it_opens_or_rises(scene: Scene, world: Path) -> None:
    models = {model.get("name"): model for model in ET.parse(world).getroot().iter("model")}
    travel = {f"{each.name}/opens": each.travel for each in fittings(scene)}
    travel |= {f"{name}/shines": UNDER for name in switches(scene) if f"{name}/shines" in part_names(scene)}
    for name, far in travel.items():
        joint = models[name].find("joint")
        ends = [float(joint.findtext(f"axis/limit/{end}")) for end in ("lower", "upper")]
        low, high = sorted((0.0, far))
        assert ends == pytest.approx([low - SLACK, high + SLACK])
        assert (joint.findtext("parent"), float(joint.findtext("axis/limit/effort")) > 0) == ("world", True)
        assert models[name].findtext("plugin/topic") == f"/model/{name}/position"


def test_doors_touch_the_robot_and_nothing_else(scene: Scene, world: Path) -> None:
    def bits(prefix: str) -> set[int]:
        root = ET.parse(world).getroot()
        found = [each for model in root.iter("model") if model.get("name").startswith(prefix) for each in model.iter("collide_bitmask")]
        return {int(each.text) for each in found}

    (robot,), (thing,), (wall,) = bits("robot"), bits(next(iter(scene.objects))), bits("wall/")
    for fitting in fittings(scene):
        (door,) = bits(f"{fitting.name}/opens")
        assert (bool(door & robot), door & thing, door & wall) == (True, 0, 0)
    assert (bool(robot & wall), bool(thing & wall)) == (True, True)


def test_the_robot_drives_on_spheres_and_its_casters_hang_a_little_above_the_floor(world: Path) -> None:
    links = {link.name: link for link in robot_links()}
    for name in ("left_wheel", "right_wheel"):
        assert [(piece.form, piece.size) for piece in links[name].collisions] == [("sphere", (WHEEL_RADIUS,))]
    assert links["left_wheel"].at[1] - links["right_wheel"].at[1] == pytest.approx(TRACK)
    casters = [piece for piece in links["base_link"].collisions if piece.form == "sphere"]
    assert [piece.at[2] - piece.size[0] for piece in casters] == pytest.approx([CASTER_GAP] * 2)


def test_the_base_brakes_and_turns_up_as_the_embedded_one_does(world: Path) -> None:
    drive = next(each for each in ET.parse(world).getroot().iter("plugin") if "DiffDrive" in each.get("name", ""))
    limits = DriveLimits()
    for way, most in (("linear", limits.braking), ("angular", limits.angular)):
        assert float(drive.findtext(f"max_{way}_acceleration")) == most == -float(drive.findtext(f"min_{way}_acceleration"))
    assert float(drive.findtext("max_linear_velocity")) == limits.speed


def test_a_pace_can_be_chosen(flat: Path) -> None:
    assert ET.parse(flat).getroot().findtext("world/physics/real_time_factor") == "0.5"


def test_the_arm_starts_folded_so_that_it_drags_nothing_along(world: Path) -> None:
    robot = next(model for model in ET.parse(world).getroot().iter("model") if model.get("name") == "robot")
    at = {
        link.get("name"): [float(value) for value in link.findtext("pose").split()]
        for link in robot.findall("link")
        if link.find("pose") is not None
    }
    assert at["shoulder_lift"][2] == pytest.approx(FOLDED.lift)
    assert at["shoulder"][5] == pytest.approx(FOLDED.yaw)
    assert at["hand"][0] == pytest.approx(FOLDED.stretch)
    limits = {
        joint.get("name"): [float(joint.findtext(f"axis/limit/{end}")) for end in ("lower", "upper")]
        for joint in robot.findall("joint")[2:5]
    }
    assert limits["arm/lift"] == pytest.approx([-FOLDED.lift, 1.4 - FOLDED.lift])


def test_the_arm_moves_at_the_speed_of_the_embedded_one_and_within_its_ends(world: Path) -> None:
    robot = next(model for model in ET.parse(world).getroot().iter("model") if model.get("name") == "robot")
    motors = {each.findtext("joint_name"): each for each in robot.iter("plugin") if "JointPositionController" in each.get("name", "")}
    for name, speed in zip(("arm/yaw", "arm/lift", "arm/stretch"), ARM_SPEED, strict=True):
        assert motors[name].findtext("use_velocity_commands") == "true"
        assert float(motors[name].findtext("cmd_max")) == speed == -float(motors[name].findtext("cmd_min"))
        assert float(robot.findtext(f"joint[@name='{name}']/axis/limit/effort")) > 100  # without one, DART ignores the joints' ends


def test_the_camera_sees_as_the_embedded_one_does(world: Path) -> None:
    sensor = next(each for each in ET.parse(world).getroot().iter("sensor"))
    assert float(sensor.findtext("camera/horizontal_fov")) == pytest.approx(CAMERA.fov)
    assert (sensor.findtext("camera/image/width"), sensor.findtext("camera/image/height")) == (str(CAMERA.width), str(CAMERA.height))
    assert "/" + sensor.findtext("topic") + "/depth_image" == gazebo_topic("camera/depth")


def test_the_odometry_that_is_bridged_does_not_count_against_a_wall(world: Path) -> None:
    plugins = {each.get("name", "").rpartition("::")[2]: each for each in ET.parse(world).getroot().iter("plugin")}
    assert plugins["OdometryPublisher"].findtext("odom_topic") == gazebo_topic("odom")
    assert plugins["DiffDrive"].findtext("odom_topic") not in map(gazebo_topic, GAZEBO_TOPICS)


def test_every_file_that_the_world_names_exists(world: Path) -> None:
    named = [each.text for tag in ("uri", "albedo_map") for each in ET.parse(world).getroot().iter(tag)]
    assert named
    assert all((world.parent / name).stat().st_size > 100 for name in named)


def test_the_urdf_is_one_tree_from_the_base_to_the_optical_frame() -> None:
    root = ET.fromstring(robot_urdf())
    links = {each.get("name") for each in root.iter("link")}
    parents = {joint.find("child").get("link"): joint.find("parent").get("link") for joint in root.iter("joint")}
    assert links - parents.keys() == {"base_link"}
    assert parents["camera_optical_frame"] == "camera_link"
    assert all(float(each.get("value")) > 0 for each in root.iter("mass"))


def test_a_broken_world_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "world.sdf"
    broken.write_text("<sdf><world>")
    with pytest.raises(SaysoError, match=r"world\.sdf"):
        in_sdf(broken)


@given(st.tuples(*[st.floats(-3.1, 3.1)] * 3))
def test_angles_come_back_from_a_rotation(angles: tuple[float, float, float]) -> None:
    def rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
        (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
        about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x

    wanted = rotation(*angles)
    assert np.allclose(rotation(*roll_pitch_yaw(wanted)), wanted, atol=1e-6)
