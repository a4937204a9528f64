"""Two things of a kind that touch in the picture are two candidates: their patches point to two middles."""

import numpy as np
import pytest

from sayso.grounding.candidates import Region, regions
from sayso.grounding.parting import parted


def two(gap: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """A map of two squares of 8×8 patches, so far apart, and where each patch sees the middle of its square."""
    shows = np.full((20, 40), 0.01)
    middles = np.random.default_rng(0).normal(0.0, noise, (20, 40, 2))
    for first in (4, 12 + gap):
        rows, cols = np.mgrid[6:14, first : first + 8]
        shows[6:14, first : first + 8] = 0.9
        middles[rows, cols] += np.stack([9.5 - rows, first + 3.5 - cols], axis=-1)
    return shows, middles


def test_touching_things_are_parted_at_their_border() -> None:
    shows, middles = two(gap=0)
    (joined,) = regions(shows, 0.02)
    left, right = sorted(parted([joined], shows, middles), key=lambda each: np.argwhere(each.mask)[:, 1].min())
    assert left.mask.sum() == right.mask.sum() == 64
    assert np.argwhere(left.mask)[:, 1].max() == 11
    assert left.peak == pytest.approx(0.9)
    assert left.mass + right.mass == pytest.approx(joined.mass)


def test_three_in_a_row_are_three() -> None:
    shows, middles = np.full((10, 30), 0.01), np.zeros((10, 30, 2))
    rows, cols = np.mgrid[2:8, 3:21]
    shows[2:8, 3:21] = 0.9
    middles[rows, cols] = np.stack([4.5 - rows, 5.5 + 6 * ((cols - 3) // 6) - cols], axis=-1)
    assert len(parted(regions(shows, 0.02), shows, middles)) == 3


def test_one_thing_stays_one_though_its_patches_are_unsure_of_its_middle() -> None:
    shows, middles = two(gap=10, noise=1.5)
    assert len(parted(regions(shows, 0.02), shows, middles)) == 2


@pytest.mark.parametrize("patches", [1, 3, 7])
def test_a_tiny_region_is_left_as_it_is(patches: int) -> None:
    mask = np.zeros((4, 8), bool)
    mask[0, :patches] = True
    region = Region(mask, 1.0, float(patches))
    assert parted([region], mask.astype(float), np.zeros((4, 8, 2))) == [region]
