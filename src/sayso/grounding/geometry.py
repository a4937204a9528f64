"""Pixel and depth → point in the map (pinhole camera, REP 103 optical frame: x right, y down, z forward)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray, Image

Point = tuple[float, float, float]
NOWHERE: Point = (math.nan, math.nan, math.nan)


def point_in_map(pixel: tuple[float, float], depth: float, intrinsics: tuple[float, float, float, float], pose: FloatArray) -> Point:
    """The point seen at that pixel.

    Args:
        pixel: (u right, v down); pixel centres have integer coordinates.
        depth: m along the optical axis.
        intrinsics: fx, fy, cx, cy in pixels.
        pose: (4, 4) map ← optical frame.
    """
    fx, fy, cx, cy = intrinsics
    u, v = pixel
    optical = np.array([(u - cx) / fx * depth, (v - cy) / fy * depth, depth, 1.0])
    x, y, z = (pose @ optical)[:3]
    return float(x), float(y), float(z)


def depth_around(depth: NDArray[np.float32], pixel: tuple[float, float], weights: FloatArray | None = None, reach: int = 3) -> float:
    """A depth for the object at that pixel, robust against holes and against the background at its edge.

    The (weighted) median of the valid depths in the (2·reach+1)² window; NaN if there are none.

    Args:
        depth: (H, W) m; NaN, inf or 0 where unknown.
        pixel: (u, v).
        weights: (H, W) non-negative; how much each pixel belongs to the object. Default: uniform.
        reach: pixels to each side.
    """
    height, width = depth.shape
    column, row = round(pixel[0]), round(pixel[1])
    window = (slice(max(row - reach, 0), min(row + reach + 1, height)), slice(max(column - reach, 0), min(column + reach + 1, width)))
    near = depth[window].astype(np.float64).ravel()
    votes = np.ones_like(near) if weights is None else np.asarray(weights[window], dtype=np.float64).ravel()
    valid = np.isfinite(near) & (near > 0.0) & (votes > 0.0)
    if not valid.any():
        return math.nan
    order = np.argsort(near[valid], kind="stable")
    cumulated = np.cumsum(votes[valid][order])
    return float(near[valid][order][np.searchsorted(cumulated, 0.5 * cumulated[-1])])


def point_at(image: Image, pixel: tuple[float, float], weights: FloatArray | None = None) -> Point:
    """The point in the map at that pixel of the image; NaN without depth or intrinsics."""
    if image.depth is None or image.intrinsics[0] <= 0.0 or image.intrinsics[1] <= 0.0:
        return NOWHERE
    depth = depth_around(image.depth, pixel, weights)
    return point_in_map(pixel, depth, image.intrinsics, image.pose) if math.isfinite(depth) else NOWHERE
