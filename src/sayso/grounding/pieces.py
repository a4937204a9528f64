"""Puts the pieces of one thing together: regions that touch and whose patches point to the same middle."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from sayso.grounding.candidates import EIGHT, Region
from sayso.types import FloatArray

NEAR = 2  # patches between regions that touch
# Middles nearer to each other than this share of the regions' distance are one. On tuning pictures, 90 % of the touching pieces of one
# thing are, and 10 % of the touching regions of two things.
SAME = 0.5


def together(regions: list[Region], shows: FloatArray, middles: FloatArray) -> list[Region]:
    """The regions, those of one thing joined, in the order of their first pieces.

    Args:
        regions: of a map.
        shows: (rows, cols) that map: P(the patch shows it).
        middles: (rows, cols, 2) patches down and right to the middle of the thing that each patch shows.
    """
    joined: list[Region] = []
    for region in regions:
        at = next((number for number, other in enumerate(joined) if _is_one(region, other, shows, middles)), None)
        if at is None:
            joined.append(region)
        else:
            other = joined[at]
            joined[at] = Region(other.mask | region.mask, max(other.peak, region.peak), other.mass + region.mass)
    return joined


def _is_one(one: Region, other: Region, shows: FloatArray, middles: FloatArray) -> bool:
    if not (ndimage.binary_dilation(one.mask, EIGHT, iterations=NEAR) & other.mask).any():
        return False
    (here, pointed), (there, also_pointed) = (_middle(region, shows, middles) for region in (one, other))
    return float(np.linalg.norm(pointed - also_pointed)) < SAME * float(np.linalg.norm(here - there))


def _middle(region: Region, shows: FloatArray, middles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(2,) the middle of the region, and (2,) where its patches say that the middle of the thing is."""
    at, weights = np.argwhere(region.mask), shows[region.mask]
    weights = weights / weights.sum()
    here: FloatArray = weights @ at
    return here, here + weights @ middles[region.mask]
