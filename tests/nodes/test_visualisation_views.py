"""The messages for RViz and Foxglove: maps, markers, frames, paths and pictures, made by plain functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from visualization_msgs.msg import Marker

from budget import examples
from robot_double import small_domain, small_scene
from sayso.bags.images import colours
from sayso.errors import SaysoError
from sayso.robot import RobotMap
from sayso.robot.map import CELL
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Image, ObjectBelief
from sayso_nodes.camera import matrix, pose, to_messages
from sayso_nodes.views.belief import LARGEST, Spots, belief_markers, color_of, newest
from sayso_nodes.views.frames import fixed_frames, mounting, moving_frames
from sayso_nodes.views.home import home_markers, occupancy_grid
from sayso_nodes.views.pictures import KEPT, LookedAt, attention_picture, posterior_picture
from sayso_nodes.views.ways import MOST, Way, path

pytestmark = pytest.mark.ros


@pytest.fixture(scope="module")
def robot_map() -> RobotMap:
    return RobotMap.from_scene(small_scene(), small_domain())


def shown(array: object, namespace: str) -> list[Marker]:
    return [one for one in array.markers if one.ns == namespace]  # type: ignore[attr-defined]


def texts(array: object, namespace: str) -> list[str]:
    return [one.text for one in shown(array, namespace) if one.type == Marker.TEXT_VIEW_FACING]


def believed(**places: float) -> ObjectBelief:
    return ObjectBelief("red_cup", tuple(places), np.array(list(places.values())))


# The home


def test_the_grid_has_walls_floor_and_nothing_known_outside(robot_map: RobotMap) -> None:
    grid = occupancy_grid(robot_map, 2.5)
    cells = np.array(grid.data, np.int8).reshape(grid.info.height, grid.info.width)

    def at(x: float, y: float) -> int:
        corner = grid.info.origin.position
        return int(cells[int((y - corner.y) / grid.info.resolution), int((x - corner.x) / grid.info.resolution)])

    assert (grid.header.frame_id, grid.info.resolution, grid.header.stamp.sec) == ("map", pytest.approx(CELL), 2)
    assert at(1.5, 2.0) == 0  # the floor of the west room
    assert at(4.0, 1.0) == 100  # the wall between west and east
    assert at(4.0, 3.0) == 0  # the door in it
    assert (cells == 100).sum() == robot_map.occupied.sum()


def test_floor_outside_every_room_is_unknown(robot_map: RobotMap) -> None:
    larger = RobotMap(robot_map.domain, (-3.0, -3.0), (300, 300), robot_map.boxes, robot_map.surfaces, robot_map.rooms)
    cells = np.array(occupancy_grid(larger, 0.0).data, np.int8).reshape(300, 300)
    assert cells[10, 10] == -1
    assert cells[(int((2.0 + 3.0) / CELL)), int((1.5 + 3.0) / CELL)] == 0


def test_rooms_places_people_and_the_robot_are_named(robot_map: RobotMap) -> None:
    home = home_markers(robot_map)
    assert texts(home, "rooms") == ["west", "east", "cell"]
    assert set(texts(home, "places")) == {"dock", "counter", "low table", "stool"}
    assert texts(home, "people") == ["anna"]
    robot = shown(home, "robot")
    assert robot
    assert all(one.header.frame_id == "base_link" and one.frame_locked for one in robot)


def test_an_array_replaces_what_was_shown_and_no_two_markers_share_an_id(robot_map: RobotMap) -> None:
    markers = home_markers(robot_map).markers
    assert markers[0].action == Marker.DELETEALL
    names = [(one.ns, one.id) for one in markers[1:]]
    assert len(set(names)) == len(names)
    for one in markers[1:]:
        assert one.action == Marker.ADD
        turn = one.pose.orientation
        assert math.hypot(turn.x, turn.y, turn.z, turn.w) == pytest.approx(1.0)  # RViz complains of any other
        sizes = (one.scale.z,) if one.type == Marker.TEXT_VIEW_FACING else (one.scale.x, one.scale.y, one.scale.z)
        assert min(sizes) > 0
        assert one.type != Marker.TEXT_VIEW_FACING or one.text


# The belief


def test_what_is_more_probable_is_larger_and_denser(robot_map: RobotMap) -> None:
    array = belief_markers(Spots(robot_map), robot_map.domain, [believed(counter=0.8, low_table=0.2)])
    likely, unlikely = shown(array, "belief")
    assert likely.scale.x**2 / unlikely.scale.x**2 == pytest.approx(4.0)  # the area is the probability
    assert likely.color.a > unlikely.color.a
    assert (likely.pose.position.x, likely.pose.position.z) == (pytest.approx(7.5, abs=0.35), pytest.approx(0.9 + likely.scale.x / 2))


def test_only_requested_things_get_a_name(robot_map: RobotMap) -> None:
    spots, domain = Spots(robot_map), robot_map.domain
    assert texts(belief_markers(spots, domain, [believed(counter=1.0)]), "names") == []
    assert texts(belief_markers(spots, domain, [believed(counter=1.0)], named=["red_cup"]), "names") == ["red cup 100 %"]


def test_what_the_robot_holds_is_nowhere_else(robot_map: RobotMap) -> None:
    array = belief_markers(Spots(robot_map), robot_map.domain, [believed(counter=1.0)], holding="red_cup", named=["red_cup"])
    assert [one.header.frame_id for one in shown(array, "belief")] == ["base_link"]
    assert texts(array, "names") == ["red cup"]


@pytest.mark.parametrize("belief", [believed(elsewhere=1.0), believed(counter=0.001, elsewhere=0.999), believed(atlantis=1.0)])
def test_a_place_without_position_is_not_drawn(robot_map: RobotMap, belief: ObjectBelief) -> None:
    assert shown(belief_markers(Spots(robot_map), robot_map.domain, [belief]), "belief") == []


def test_a_thing_given_to_a_person_is_drawn_in_the_hand(robot_map: RobotMap) -> None:
    anna = robot_map.person("anna")
    assert anna is not None
    assert Spots(robot_map).point("red_cup", "anna") == anna.hand


@given(p=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=3))
@examples(30)
def test_no_probability_makes_a_marker_that_cannot_be_drawn(p: list[float]) -> None:
    domain = small_domain()
    where = RobotMap.from_scene(small_scene(), domain)
    belief = ObjectBelief("ball", ("counter", "low_table", "stool")[: len(p)], np.array(p))
    for one in shown(belief_markers(Spots(where), domain, [belief]), "belief"):
        assert 0 < one.scale.x <= LARGEST
        assert 0 < one.color.a <= 1


def test_two_things_on_one_table_are_seen_as_two() -> None:
    from sayso_nodes.homes import load_home

    domain, scene = load_home("", "")
    spots = Spots(RobotMap.from_scene(scene, domain))
    on_counter = [name for name, thing in domain.objects.items() if "counter" in thing.usual]
    points = [spots.point(name, "counter") for name in on_counter]
    assert len(on_counter) > 5
    assert len(set(points)) == len(points)


def test_before_anything_was_said_the_habits_of_the_home_are_shown() -> None:
    domain = small_domain()
    beliefs = {belief.object_id: belief for belief in newest({}, domain)}
    assert set(beliefs) == set(domain.objects)
    sighted = believed(counter=1.0)
    assert next(belief for belief in newest({"red_cup": sighted}, domain) if belief.object_id == "red_cup") is sighted


@pytest.mark.parametrize(("color", "rgb"), [("red", (1, 0, 0)), ("no such colour", (0.5, 0.5, 0.5)), ("", (0.5, 0.5, 0.5))])
def test_a_thing_has_its_own_colour_or_grey(color: str, rgb: tuple[float, float, float]) -> None:
    domain = small_domain()
    cup = domain.objects["red_cup"].model_copy(update={"attributes": {"color": color}})
    assert color_of(domain.model_copy(update={"objects": {"red_cup": cup}}), "red_cup") == pytest.approx(rgb)


def grounding(point: tuple[float, float, float] = (7.4, 2.0, 0.9), found: bool = True, stamp: float = 3.25) -> Grounding:
    attention = np.zeros((4, 6))
    attention[1, 4] = 1.0
    return Grounding("u", stamp, "red_cup", "the red cup", attention, 0.1, 0.94, found=found, pixel=(4.0, 1.0), point=point)


def test_where_the_words_point_is_marked_and_a_point_without_depth_is_not(robot_map: RobotMap) -> None:
    spots, domain = Spots(robot_map), robot_map.domain
    assert texts(belief_markers(spots, domain, [], seen=grounding()), "seen") == ["“the red cup” 94 %"]
    assert texts(belief_markers(spots, domain, [], seen=grounding(found=False)), "seen") == ["not found: “the red cup” 94 %"]
    assert shown(belief_markers(spots, domain, [], seen=grounding((math.nan,) * 3)), "seen") == []


def decision(*probabilities: float, reason: str = "sure enough") -> ActionBelief:
    actions = [Action("bring", (("theme", f"cup_{rank}"),)) for rank in range(len(probabilities))]
    candidates = [ActionCandidate(0, action, 1.0, 0.5, p, p) for action, p in zip(actions, probabilities, strict=True)]
    return ActionBelief("u", 3.0, tuple(candidates), "execute", reason)


def test_the_decision_stands_over_the_robot_with_its_best_three(robot_map: RobotMap) -> None:
    array = belief_markers(Spots(robot_map), robot_map.domain, [], decided=decision(0.7, 0.2, 0.06, 0.04))
    (thought,) = shown(array, "decision")
    assert thought.text.splitlines() == ["execute", "70 %  bring(theme=cup_0)", "20 %  bring(theme=cup_1)", "6 %  bring(theme=cup_2)"]
    assert thought.header.frame_id == "base_link"


# Ways


def test_a_path_heads_from_point_to_point() -> None:
    message = path([(0.0, 0.0), (1.0, 0.0), (1.0, 2.0)], 1.0)
    assert [(one.pose.position.x, one.pose.position.y) for one in message.poses] == [(0, 0), (1, 0), (1, 2)]
    yaws = [2 * math.atan2(one.pose.orientation.z, one.pose.orientation.w) for one in message.poses]
    assert yaws == pytest.approx([0.0, math.pi / 2, math.pi / 2])
    assert path([], 1.0).poses == []
    assert len(path([(1.0, 1.0)], 1.0).poses) == 1


@given(steps=st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), max_size=40), times=st.integers(1, 60))
@examples(25)
def test_the_way_stays_short_enough_to_be_sent_and_keeps_its_beginning(steps: list[tuple[float, float]], times: int) -> None:
    way, x, y = Way(), 0.0, 0.0
    way.add(x, y)
    for dx, dy in steps * times:
        x, y = x + dx, y + dy
        way.add(x, y)
    assert way.points[0] == (0.0, 0.0)
    assert len(way.points) <= MOST


def test_standing_still_and_positions_that_are_none_add_nothing_to_the_way() -> None:
    way = Way()
    assert [way.add(1.0, 1.0), way.add(1.01, 1.0), way.add(math.nan, 1.0), way.add(math.inf, 1.0), way.add(2.0, 1.0)] == [
        True, False, False, False, True,
    ]  # fmt: skip


# Frames


def odometry(x: float, y: float, yaw: float) -> Odometry:
    turned = np.eye(4)
    turned[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    turned[:2, 3] = x, y
    message = Odometry(child_frame_id="base_link")
    message.header.frame_id = "map"
    message.pose.pose = pose(turned)
    return message


def of_transform(message: object) -> np.ndarray:
    from geometry_msgs.msg import Point, Pose

    move = message.transform  # type: ignore[attr-defined]
    return matrix(Pose(position=Point(x=move.translation.x, y=move.translation.y, z=move.translation.z), orientation=move.rotation))


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3.1, 3.1), st.floats(-3.1, 3.1))
@examples(50)
def test_the_frames_lead_from_the_map_to_where_the_camera_is(x: float, y: float, yaw: float, tilt: float) -> None:
    mounted = np.eye(4)
    mounted[1:3, 1:3] = [[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]]
    mounted[:3, 3] = 0.1, 0.02, 1.25
    there = odometry(x, y, yaw)
    camera = matrix(there.pose.pose) @ mounted
    to_odom, to_camera = fixed_frames(1.0, mounting(there, camera))
    (to_base,) = moving_frames(1.0, there)
    chain = [(one.header.frame_id, one.child_frame_id) for one in (to_odom, to_base, to_camera)]
    assert chain == [("map", "odom"), ("odom", "base_link"), ("base_link", "camera_optical_frame")]
    assert of_transform(to_odom) @ of_transform(to_base) @ of_transform(to_camera) == pytest.approx(camera, abs=1e-9)


# Pictures


def test_a_picture_and_its_grounding_meet_whichever_comes_first() -> None:
    looked_at, seen = LookedAt(), grounding()
    assert looked_at.picture(1, b"one") == []
    assert looked_at.grounding(1, seen) == b"one"
    assert looked_at.grounding(2, seen) is None
    assert looked_at.picture(2, b"two") == [seen]
    assert looked_at.picture(2, b"two") == []


def test_old_pictures_are_forgotten() -> None:
    looked_at = LookedAt()
    for stamp in range(KEPT + 1):
        looked_at.picture(stamp, b"picture")
    assert looked_at.grounding(0, grounding()) is None
    assert looked_at.grounding(KEPT, grounding()) == b"picture"


def test_the_attention_glows_where_it_is_and_the_picture_keeps_its_stamp() -> None:
    camera = to_messages(Image(np.full((240, 320, 3), 120, np.uint8), 3.25)).image
    drawn = attention_picture(camera, grounding(found=False))
    pixels = colours(drawn).astype(int)
    assert drawn.header == camera.header
    assert pixels.shape == (536, 640, 3)
    assert pixels[180, 480].sum() > 1.2 * pixels[420, 80].sum()  # of 4 × 6 patches, row 1, column 4 has it all


def test_a_picture_of_an_unknown_encoding_is_refused_by_name() -> None:
    camera = to_messages(Image(np.zeros((4, 6, 3), np.uint8), 1.0)).image
    camera.encoding = "mono16"
    with pytest.raises(SaysoError, match="pictures of encoding mono16 cannot be read"):
        attention_picture(camera, grounding())


def filled(pixels: np.ndarray, row: int) -> int:
    return int((np.abs(pixels[row].astype(int) - (0, 158, 115)).sum(axis=1) < 10).sum())


@pytest.mark.parametrize("p", [0.25, 0.5, 1.0])
def test_the_bar_of_the_best_action_is_as_long_as_it_is_probable(p: float) -> None:
    pixels = colours(posterior_picture(decision(p, 1 - p) if p < 1 else decision(p)))
    longest = max(filled(pixels, row) for row in range(80, pixels.shape[0]))
    assert longest == pytest.approx(600 * max(p, 1 - p), abs=6)


@pytest.mark.parametrize("belief", [decision(), decision(0.5, 0.5, reason="x" * 100_000), decision(*[0.05] * 20)])
def test_any_posterior_can_be_drawn(belief: ActionBelief) -> None:
    message = posterior_picture(belief)
    assert message.width == 640
    assert len(message.data) == message.height * message.step
    assert message.height < 500
