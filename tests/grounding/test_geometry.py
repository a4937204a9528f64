"""From the attended pixel to a point in the map."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.grounding.geometry import depth_around, point_at, point_in_map
from sayso.types import Image

INTRINSICS = (277.0, 277.0, 159.5, 119.5)
# A camera at (1, 2, 1.2) looking along the map's x axis: its z is the map's x, its x is −y, its y is −z.
LOOKING_FORWARD = np.array([[0, 0, 1, 1.0], [-1, 0, 0, 2.0], [0, -1, 0, 1.2], [0, 0, 0, 1]])


def random_pose(seed):
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = np.eye(4)
    pose[:3, :3] = rotation * np.sign(np.linalg.det(rotation))
    pose[:3, 3] = rng.uniform(-5, 5, 3)
    return pose


def test_the_image_centre_is_straight_ahead():
    assert point_in_map((159.5, 119.5), 1.5, INTRINSICS, LOOKING_FORWARD) == pytest.approx((2.5, 2.0, 1.2))


def test_right_and_down_in_the_image_are_right_and_down_in_the_map():
    x, y, z = point_in_map((159.5 + 27.7, 119.5 + 55.4), 2.0, INTRINSICS, LOOKING_FORWARD)
    assert (x, y, z) == pytest.approx((3.0, 2.0 - 0.2, 1.2 - 0.4))


@given(st.integers(0, 2**31 - 1), st.floats(0.3, 6))
def test_projection_and_back_projection_are_inverse(seed, depth):
    pose = random_pose(seed)
    optical = np.array([0.3 * depth, -0.2 * depth, depth, 1.0])
    fx, fy, cx, cy = INTRINSICS
    pixel = (fx * optical[0] / depth + cx, fy * optical[1] / depth + cy)
    np.testing.assert_allclose(point_in_map(pixel, depth, INTRINSICS, pose), (pose @ optical)[:3], atol=1e-9)


def test_depth_is_robust_against_holes_and_background():
    depth = np.full((20, 20), 1.0, np.float32)
    depth[:, 12:] = 3.0
    depth[9, 8:11] = np.nan
    depth[10, 8] = np.inf
    depth[11, 9] = 0.0
    assert depth_around(depth, (10, 10)) == 1.0


def test_pixels_without_attention_do_not_affect_the_depth():
    depth = np.full((20, 20), 3.0, np.float32)
    depth[9:12, 9:12] = 1.0
    attention = np.where(depth == 1.0, 1.0, 0.01)
    assert depth_around(depth, (10, 10), attention) == 1.0
    assert depth_around(depth, (10, 10)) == 3.0


def test_a_pixel_at_the_border_has_a_depth():
    assert depth_around(np.full((4, 5), 2.0, np.float32), (4.4, -0.4)) == 2.0


@pytest.mark.parametrize("depth", [None, np.full((240, 320), np.nan, np.float32)])
def test_without_depth_the_point_is_nan(depth):
    image = Image(np.zeros((240, 320, 3), np.uint8), 0.0, depth, INTRINSICS, LOOKING_FORWARD)
    assert all(math.isnan(value) for value in point_at(image, (10, 10)))


def test_without_intrinsics_the_point_is_nan():
    image = Image(np.zeros((240, 320, 3), np.uint8), 0.0, np.ones((240, 320), np.float32))
    assert all(math.isnan(value) for value in point_at(image, (10, 10)))
