"""Attention and one probability for the whole picture → candidates, for a network that tells no more than these."""

from __future__ import annotations

import math

import numpy as np
from scipy import ndimage

from sayso.grounding.candidates import Region, candidate, regions
from sayso.types import Candidate, FloatArray, Image

FAINT = 0.15  # of the strongest region's mass: a region with less is no candidate
ONE_THING = 0.07  # m over the floor: peaks that touch and are closer than this are of one thing
LEAST = 2.0  # times the mean attention: the lowest peak


def attention_candidates(image: Image, attention: FloatArray, presence: float) -> tuple[Candidate, ...]:
    """The regions of the attention as candidates, the most probable first.

    The strongest region has the picture's probability; another one has it times its mass relative to the strongest, because attention is
    shared equally by things that fit equally well.
    """
    smooth = ndimage.uniform_filter(attention, 3, mode="nearest")
    found = regions(smooth, least=LEAST / attention.size)
    kept: list[Region] = []
    for region in sorted(found, key=lambda region: -region.mass):
        at = next((number for number, other in enumerate(kept) if _is_one_thing(image, smooth, region, other)), None)
        if at is None:
            kept.append(region)
        else:
            other = kept[at]
            kept[at] = Region(other.mask | region.mask, max(other.peak, region.peak), other.mass + region.mass)
    kept.sort(key=lambda region: -region.mass)
    strong = [region for region in kept if region.mass >= FAINT * kept[0].mass]
    return tuple(candidate(image, smooth, region, presence * region.mass / kept[0].mass) for region in strong)


def _is_one_thing(image: Image, weights: FloatArray, one: Region, other: Region) -> bool:
    if not (ndimage.binary_dilation(one.mask, np.ones((3, 3), dtype=bool), iterations=2) & other.mask).any():
        return False
    first, second = (np.array(candidate(image, weights, region, 1.0).point[:2]) for region in (one, other))
    apart = float(np.linalg.norm(first - second))
    return math.isnan(apart) or apart < ONE_THING
