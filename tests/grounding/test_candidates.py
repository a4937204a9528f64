"""Candidates from a map over the picture: separate things, their boxes, points and covariances."""

import numpy as np
import pytest

from sayso.grounding.candidates import candidate, located, regions
from sayso.types import Image

LENS = (100.0, 100.0, 80.0, 60.0)


def picture(depth=1.0, pose=None):
    depths = np.full((120, 160), depth, np.float32)
    return Image(np.zeros((120, 160, 3), np.uint8), 0.0, depths, LENS, np.eye(4) if pose is None else pose)


def bumps(*middles, width=1.5, shape=(30, 40)):
    rows, cols = np.indices(shape)
    return sum(height * np.exp(-((rows - row) ** 2 + (cols - col) ** 2) / (2 * width**2)) for row, col, height in middles)


def test_two_things_apart_are_two_regions_the_stronger_first():
    found = regions(bumps((10, 8, 0.7), (20, 30, 0.9)), least=0.1)
    assert [region.peak for region in found] == pytest.approx([0.9, 0.7])
    assert not (found[0].mask & found[1].mask).any()


def test_two_things_that_touch_are_told_apart_by_the_saddle_between_them():
    assert len(regions(bumps((15, 15, 0.9), (15, 20, 0.9)), least=0.1)) == 2


def test_a_dent_in_one_thing_does_not_make_it_two():
    assert len(regions(bumps((15, 15, 0.9), (15, 18, 0.85)), least=0.1)) == 1


def test_a_plateau_is_one_region():
    weights = np.zeros((30, 40))
    weights[5:9, 5:12] = 0.8
    (found,) = regions(weights, least=0.1)
    assert found.mask.sum() == 28


@pytest.mark.parametrize("weights", [np.zeros((4, 4)), np.full((4, 4), np.nan), np.zeros((0, 0))])
def test_nothing_is_found_in_an_empty_or_broken_map(weights):
    assert regions(weights, least=0.1) == []


def test_the_box_and_the_pixel_are_in_pixels_of_the_picture():
    weights = np.zeros((30, 40))
    weights[5:9, 10:12] = 0.8
    (region,) = regions(weights, least=0.1)
    found = candidate(picture(), weights, region, 0.8)
    assert found.box == (40, 20, 48, 36)
    assert found.pixel == pytest.approx((43.5, 27.5))
    assert found.probability == 0.8


def test_the_point_is_where_depth_and_pose_say():
    pose = np.array([[0, 0, 1, 5.0], [-1, 0, 0, 6.0], [0, -1, 0, 1.2], [0, 0, 0, 1]])  # looks along the map's x
    weights = bumps((15, 20, 0.9))
    (region,) = regions(weights, least=0.1)
    found = candidate(picture(2.0, pose), weights, region, 0.9)
    u, v = found.pixel
    assert found.point == pytest.approx((7.0, 6.0 - (u - 80) / 100 * 2, 1.2 - (v - 60) / 100 * 2))


def test_the_covariance_is_that_of_the_points_seen_on_a_wall_facing_the_camera():
    rows, cols = np.mgrid[50:70, 60:100]
    pixels = np.stack((rows.ravel(), cols.ravel()), axis=1).astype(float)
    _, covariance = located(picture(2.0), pixels, np.ones(len(pixels)), (80.0, 60.0))
    x, y = (pixels[:, 1] - 80) / 100 * 2, (pixels[:, 0] - 60) / 100 * 2
    np.testing.assert_allclose(np.diag(covariance), [x.var() + 25e-6, y.var() + 25e-6, 25e-6], rtol=1e-9)
    assert (np.linalg.eigvalsh(covariance) > 0).all()


@pytest.mark.parametrize("depth", [0.0, np.nan, np.inf])
def test_without_depth_there_is_no_point_and_no_covariance(depth):
    weights = bumps((15, 20, 0.9))
    (region,) = regions(weights, least=0.1)
    found = candidate(picture(depth), weights, region, 0.9)
    assert np.isnan(found.point).all()
    assert found.covariance is None


def test_holes_in_the_depth_do_not_move_the_point():
    image = picture(2.0)
    image.depth[::2, ::3] = np.nan
    weights = bumps((15, 20, 0.9))
    (region,) = regions(weights, least=0.1)
    assert candidate(image, weights, region, 0.9).point[2] == pytest.approx(2.0)


def test_missing_intrinsics_give_no_point():
    image = Image(np.zeros((120, 160, 3), np.uint8), 0.0, np.ones((120, 160), np.float32))
    weights = bumps((15, 20, 0.9))
    (region,) = regions(weights, least=0.1)
    assert np.isnan(candidate(image, weights, region, 0.9).point).all()
