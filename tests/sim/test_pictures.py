"""The simulated camera's pictures agree with the geometry of the world."""

from collections.abc import Iterator
from math import pi

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.errors import SimulationError
from sayso.scene import load_scene
from sayso.sim import backend
from sayso.sim.arrange import Arranger
from sayso.sim.camera import SEEN
from sayso.sim.simulation import Simulation
from sayso.types import FloatArray, Image


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(load_scene())
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


def pixel(image: Image, point: FloatArray) -> tuple[int, int, float]:
    """Column, row and depth (m) at which a pinhole camera shows a point of the map."""
    fx, fy, cx, cy = image.intrinsics
    x, y, z = (np.linalg.inv(image.pose) @ [*point, 1.0])[:3]
    return round(fx * x / z + cx), round(fy * y / z + cy), z


def test_a_picture_has_colour_depth_and_pose(world: Simulation) -> None:
    image = world.render()
    assert image.rgb.shape == (240, 320, 3)
    assert image.depth is not None
    assert image.depth.shape == (240, 320)
    assert image.depth.dtype == np.float32
    assert image.stamp == world.time
    assert image.pose[:3, :3] @ image.pose[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)
    assert image.pose[2, 2] < 0.0  # it looks down
    assert np.ptp(image.rgb) > 100


def test_the_red_cup_is_red_where_geometry_says_it_is(world: Simulation) -> None:
    world.put_robot(11.06, 1.08, -pi / 2)
    image = world.render()
    u, v, z = pixel(image, world.middle("red_cup"))
    red, green, blue = (int(value) for value in image.rgb[v, u])
    assert red > 1.8 * max(green, blue)
    assert image.depth is not None
    # The camera sees the near side of a cup of 4.1 cm radius.
    assert 0.02 < z - image.depth[v, u] < 0.06


def test_every_pixel_of_depth_lies_on_what_it_shows(world: Simulation) -> None:
    world.put_robot(11.06, 1.08, -pi / 2)
    image, segmentation = world.render(), world.render_segmentation()
    assert image.depth is not None
    fx, fy, cx, cy = image.intrinsics
    for name in ("red_cup", "bread", "lemon", "orange_juice", "cereal"):
        rows, columns = np.nonzero(segmentation == list(world.scene.objects).index(name))
        depth = image.depth[rows, columns].astype(float)
        optical = np.stack([(columns - cx) / fx * depth, (rows - cy) / fy * depth, depth, np.ones_like(depth)])
        points = (image.pose @ optical)[:3].T
        half = np.linalg.norm(world.scene.hull(name).half) + 0.03  # handles stick out
        assert np.median(np.linalg.norm(points - world.middle(name), axis=1)) < half, name
        assert np.linalg.norm(points - world.middle(name), axis=1).max() < half + 0.02, name


def test_the_floor_is_as_far_as_geometry_says(world: Simulation) -> None:
    world.put_robot(7.0, 4.75, 0.0)
    image = world.render()
    u, v, z = pixel(image, np.array([9.0, 4.75, 0.0]))
    assert image.depth is not None
    assert image.depth[v, u] == pytest.approx(z, rel=0.02)


def test_the_robot_sees_each_thing_from_its_place(world: Simulation) -> None:
    domain, names = load_domain(), list(world.scene.objects)
    for place_id in sorted({thing.on for thing in world.scene.objects.values()}):
        world.put_robot(*domain.places[place_id].pose)
        segmentation = world.render_segmentation()
        for name in names:
            if world.scene.objects[name].on == place_id:
                assert (segmentation == names.index(name)).sum() >= 100, f"{name} on {place_id}"


def test_a_carried_object_is_in_view_and_does_not_fill_it(world: Simulation) -> None:
    world.put_robot(11.06, 1.08, -pi / 2)
    for _ in range(10):
        if world.grip("grasp", tuple(world.middle("red_cup")))[0]:
            break
    world.step(2.0)
    seen = (world.render_segmentation() == list(world.scene.objects).index("red_cup")).mean()
    assert 0.01 < seen < 0.2


def test_culling_changes_no_pixel(world: Simulation) -> None:
    camera = world._sight()
    culling = camera._culling
    for place in ("hallway", "dining_room", "living_room", "sideboard", "bathroom"):
        world.put_robot(*load_domain().places[place].pose)
        culled, drawn = world.render(), (world.model.geom_group[camera._geoms] == SEEN).mean()
        camera._culling = None
        full = world.render()
        camera._culling = culling
        assert (culled.rgb != full.rgb).any(axis=2).mean() < 0.002, place  # details smaller than a pixel may flicker
        assert drawn < 0.6, place


def test_the_overview_shows_points_where_its_map_says(world: Simulation) -> None:
    world.put("ball", (7.0, 4.75, 0.001))
    overview = world.render_overview(700, 475)
    u, v = overview.view.pixels(np.array([[7.0, 4.75]]))[0]
    red, green, blue = (int(value) for value in overview.rgb[round(v) - 2, round(u) - 2])
    assert red > 1.5 * max(green, blue)
    assert overview.view.points(np.array([[u, v]]))[0] == pytest.approx((7.0, 4.75))
    corners = overview.view.pixels(np.array([[0.0, 0.0], [14.0, 9.0]]))
    assert (corners > 0).all()
    assert (corners < (700, 475)).all()


def test_after_an_overview_the_camera_sees_as_before(world: Simulation) -> None:
    before = world.render()
    world.render_overview(350, 240)
    assert np.array_equal(before.rgb, world.render().rgb)


def test_scatters_things_where_the_robot_looks(world: Simulation) -> None:
    arranger = Arranger(world)
    names, seen, put = list(world.scene.objects), 0, 0
    for seed in range(12):
        arrangement = arranger.scatter(np.random.default_rng(seed))
        truth = world.truth()
        assert all(truth.location(name) == arrangement.place for name in arrangement.on_place)
        assert all(truth.location(name) not in ("floor", arrangement.place) for name in arrangement.elsewhere)
        shown = {names[index] for index in np.unique(world.render_segmentation()) if index >= 0}
        assert shown <= {*arrangement.on_place, *arrangement.elsewhere}
        seen, put = seen + len(shown & {*arrangement.on_place}), put + len(arrangement.on_place)
    assert seen > 0.7 * put
    arranger.restore()
    assert world.truth().location("red_cup") == "counter"


def test_same_seed_same_arrangement(world: Simulation) -> None:
    arranger = Arranger(world)
    one, first = arranger.scatter(np.random.default_rng(5)), world.render()
    other, second = arranger.scatter(np.random.default_rng(5)), world.render()
    arranger.restore()
    assert one == other
    assert np.array_equal(first.rgb, second.rgb)


def test_the_users_choice_of_backend_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "find_library", lambda name: f"lib{name}.so")
    monkeypatch.setenv("MUJOCO_GL", "egl")
    assert backend.rendering_backend() == "egl"
    monkeypatch.delenv("MUJOCO_GL")
    assert backend.rendering_backend() == "osmesa"


def test_without_opengl_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL")
    monkeypatch.setattr(backend, "find_library", lambda name: None if name == "OSMesa" else f"lib{name}.so")
    assert backend.rendering_backend() == "egl"
    monkeypatch.setattr(backend, "find_library", lambda name: None)
    with pytest.raises(SimulationError, match="libosmesa6"):
        backend.rendering_backend()
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    with pytest.raises(SimulationError, match="libOSMesa"):
        backend.rendering_backend()
