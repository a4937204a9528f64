"""A map over the picture (attention, or a probability per patch) → the separate things in it: box, pixel, point and covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from sayso.grounding.geometry import NOWHERE, Point, point_in_map
from sayso.types import Candidate, FloatArray, Image

EDGE = 0.25  # of a region's peak: what is weaker does not belong to the region
SADDLE = 0.6  # two peaks are two things if the map between them falls below this share of the lower one
LEVELS = 24  # heights at which the map is cut
MOST = 12  # regions of one map
RESOLUTION = 0.005  # m: the least deviation of a point along each axis
NORMAL = 1.4826  # deviation of a normal distribution, in median absolute deviations
EIGHT = np.ones((3, 3), dtype=bool)  # patches that touch at a corner are connected


@dataclass(frozen=True, slots=True)
class Region:
    """One connected thing in a map."""

    mask: NDArray[np.bool_]  # (rows, cols)
    peak: float  # the highest value of the map in it
    mass: float  # the sum of the map over it


def regions(weights: FloatArray, least: float) -> list[Region]:
    """The regions around the peaks of a map, the highest first; each patch is in one at most.

    Args:
        weights: (rows, cols), not negative: attention, or P(the patch shows it).
        least: the lowest value of a peak.
    """
    top = float(weights.max(initial=0.0))
    if not np.isfinite(weights).all() or top <= 0.0 or top < least:
        return []
    seeds = _peaks(weights, max(least, EDGE * top / 4.0), top)
    found = []
    nearest = _nearest_seed(weights.shape, seeds)
    for number, (row, col) in enumerate(seeds):
        strong = (nearest == number) & (weights >= EDGE * weights[row, col])
        parts, _ = ndimage.label(strong, EIGHT)
        mask = parts == parts[row, col]
        found.append(Region(mask, float(weights[row, col]), float(weights[mask].sum())))
    return found


def _peaks(weights: FloatArray, least: float, top: float) -> list[tuple[int, int]]:
    """(row, col) of the peaks, the highest first: the map is cut at falling levels, and what joins below SADDLE stays apart."""
    seeds: list[tuple[int, int]] = []
    for level in np.geomspace(top, least, LEVELS):
        parts, count = ndimage.label(weights >= level * (1.0 - 1e-9), EIGHT)
        taken = {int(parts[seed]) for seed in seeds}
        fresh = [label for label in range(1, count + 1) if label not in taken]
        if fresh:
            at = ndimage.maximum_position(weights, parts, fresh)
            seeds += sorted(((int(row), int(col)) for row, col in at), key=lambda seed: -weights[seed])
        seeds = _prominent(weights, seeds, parts, float(level))
    return seeds[:MOST]


def _prominent(weights: FloatArray, seeds: list[tuple[int, int]], parts: NDArray[np.int32], level: float) -> list[tuple[int, int]]:
    """Of seeds that are joined at this level, the highest one, and those that stand out from the saddle."""
    kept: list[tuple[int, int]] = []
    for seed in seeds:  # the highest first
        joined = any(parts[seed] == parts[other] for other in kept)
        if not joined or level < SADDLE * weights[seed]:
            kept.append(seed)
    return kept


def _nearest_seed(shape: tuple[int, ...], seeds: list[tuple[int, int]]) -> NDArray[np.int64]:
    """(rows, cols) number of the seed that is nearest."""
    rows, cols = np.ogrid[: shape[0], : shape[1]]
    return np.asarray(np.argmin([(rows - row) ** 2 + (cols - col) ** 2 for row, col in seeds], axis=0))


def candidate(image: Image, weights: FloatArray, region: Region, probability: float, kind: str = "", color: str = "") -> Candidate:
    """The thing that a region of a map shows.

    Args:
        image: the picture, of any size; the map is stretched over it.
        weights: (rows, cols) the map.
        region: of that map.
        probability: P(it is what the phrase describes).
        kind: what it is taken for.
        color: of it.
    """
    height, width = image.rgb.shape[:2]
    rows, cols = region.mask.shape
    down, right = height / rows, width / cols  # pixels per patch
    at = np.argwhere(region.mask)
    (first_row, first_col), (last_row, last_col) = at.min(axis=0), at.max(axis=0)
    box = (first_col * right, first_row * down, (last_col + 1) * right, (last_row + 1) * down)
    votes = weights[region.mask]
    centre = votes @ at / votes.sum()
    row, col = at[np.argmin(((at - centre) ** 2).sum(axis=1))]
    if np.hypot(*(centre - (row, col))) < 1.0:  # the centre is on the thing: keep its fraction of a patch
        row, col = centre
    pixel = (float((col + 0.5) * right - 0.5), float((row + 0.5) * down - 0.5))
    middles = (at + 0.5) * np.array([down, right]) - 0.5
    point, covariance = located(image, middles, votes, pixel)
    edges = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    return Candidate(probability, pixel, edges, point, covariance, kind, color)


def located(image: Image, pixels: FloatArray, votes: FloatArray, pixel: tuple[float, float]) -> tuple[Point, FloatArray | None]:
    """The point of a thing in the map, and its covariance: Σ = R J diag(σ_u², σ_v², σ_z²) Jᵀ Rᵀ + RESOLUTION² I.

    J is the derivative of the optical point (x, y, z) by (u, v, z). σ_u and σ_v are the deviations of the thing's pixels, σ_z that of
    their depths (1.4826 median absolute deviations). So Σ tells where on the thing the point may be: an upper bound of its error.

    Args:
        image: with depth, intrinsics and pose; without, the point is NaN and the covariance None.
        pixels: (N, 2) row and column of the thing's pixels.
        votes: (N,) how much each belongs to the thing, not negative.
        pixel: (u, v) of the point.
    """
    fx, fy, cx, cy = image.intrinsics
    if image.depth is None or not (fx > 0.0 and fy > 0.0) or not np.isfinite(image.pose).all():
        return NOWHERE, None
    height, width = image.depth.shape
    row, col = np.rint(pixels).astype(np.int64).T
    depths = image.depth[np.clip(row, 0, height - 1), np.clip(col, 0, width - 1)].astype(np.float64)
    known = np.isfinite(depths) & (depths > 0.0) & (votes > 0.0)
    if not known.any():
        return NOWHERE, None
    votes, depths, pixels = votes[known], depths[known], pixels[known]
    z = _median(depths, votes)
    deviation = NORMAL * _median(np.abs(depths - z), votes)
    share = votes / votes.sum()
    spread = share @ (pixels - share @ pixels) ** 2  # σ_v², σ_u²
    u, v = pixel
    slopes = np.array([[z / fx, 0.0, (u - cx) / fx], [0.0, z / fy, (v - cy) / fy], [0.0, 0.0, 1.0]])
    turned = image.pose[:3, :3] @ slopes
    covariance = turned @ np.diag([spread[1], spread[0], deviation**2]) @ turned.T + RESOLUTION**2 * np.eye(3)
    return point_in_map(pixel, z, image.intrinsics, image.pose), (covariance + covariance.T) / 2.0


def _median(values: FloatArray, votes: FloatArray) -> float:
    order = np.argsort(values, kind="stable")
    cumulated = np.cumsum(votes[order])
    return float(values[order][np.searchsorted(cumulated, 0.5 * cumulated[-1])])
