"""Pieces of one thing are put together by where their patches say that its middle is."""

import numpy as np

from sayso.grounding.candidates import regions
from sayso.grounding.pieces import together


def two_halves(middles_of):
    """A map with two peaks beside each other, and the offsets of each patch to the column that `middles_of` gives for it."""
    shows = np.full((20, 40), 0.01)
    shows[8:12, 10:14], shows[8:12, 14:16], shows[8:12, 16:20] = 0.9, 0.3, 0.8
    rows, cols = np.indices(shows.shape)
    return shows, np.stack((9.5 - rows, np.vectorize(middles_of)(cols) - cols), axis=-1)


def test_two_halves_that_point_to_one_middle_are_one_thing():
    shows, middles = two_halves(lambda col: 15.0)
    pieces = regions(shows, 0.05)
    assert len(pieces) == 2
    (whole,) = together(pieces, shows, middles)
    assert whole.mask.sum() == sum(piece.mask.sum() for piece in pieces)
    assert whole.peak == 0.9


def test_neighbours_that_point_to_their_own_middles_stay_two_things():
    shows, middles = two_halves(lambda col: 11.5 if col < 15 else 18.5)
    assert len(together(regions(shows, 0.05), shows, middles)) == 2


def test_things_apart_stay_apart_whatever_their_patches_say():
    shows = np.full((20, 40), 0.01)
    shows[8:12, 4:8], shows[8:12, 30:34] = 0.9, 0.8
    rows, cols = np.indices(shows.shape)
    assert len(together(regions(shows, 0.05), shows, np.stack((9.5 - rows, 18.0 - cols), axis=-1))) == 2
