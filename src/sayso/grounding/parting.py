"""Parts a region that shows several things of a kind which touch in the picture: its patches point to several middles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import ClusterError, kmeans2

from sayso.grounding.candidates import Region
from sayso.types import FloatArray

# Two groups of middles are two things if they are so many times as far apart as the middles of one group are from each other, and farther
# than this share of the region's size. Chosen on table tops that nothing is measured on.
DISTINCT, FAR = 3.5, 0.4
LEAST = 0.25  # share of the patches that each thing has; fewer are of something beside it
FEWEST = 8  # patches of a region that is parted


def parted(regions: list[Region], shows: FloatArray, middles: FloatArray) -> list[Region]:
    """The regions, those of several things parted, in the same order.

    Args:
        regions: of a map.
        shows: (rows, cols) that map: P(the patch shows it).
        middles: (rows, cols, 2) patches down and right to the middle of the thing that each patch shows.
    """
    found = []
    for region in regions:
        at = np.argwhere(region.mask)
        group = _groups(at + middles[region.mask], float(np.sqrt(len(at))))
        if group is None:
            found.append(region)
        else:
            pieces = [_piece(region.mask.shape, at[group == number], shows) for number in (0, 1)]
            found += parted(sorted(pieces, key=lambda each: -each.peak), shows, middles)
    return found


def _groups(votes: FloatArray, size: float) -> NDArray[np.int32] | None:
    """(N,) the group, 0 or 1, of each vote (N, 2) for a middle; None if all are for one."""
    if len(votes) < FEWEST:
        return None
    mean = votes.mean(axis=0)
    spread, axes = np.linalg.eigh(np.cov(votes.T))
    step = np.sqrt(max(spread[1], 0.0)) * axes[:, 1]
    try:
        centers, group = kmeans2(votes, np.stack([mean - step, mean + step]), minit="matrix", missing="raise")
    except ClusterError:  # all votes are for one place
        return None
    if np.bincount(group, minlength=2).min() < LEAST * len(votes):
        return None
    apart = float(np.linalg.norm(centers[1] - centers[0]))
    within = float(np.sqrt(((votes - centers[group]) ** 2).sum(axis=1).mean()))
    return np.asarray(group) if apart > max(DISTINCT * within, FAR * size) else None


def _piece(shape: tuple[int, ...], at: NDArray[np.int64], shows: FloatArray) -> Region:
    mask = np.zeros(shape, bool)
    mask[at[:, 0], at[:, 1]] = True
    return Region(mask, float(shows[mask].max()), float(shows[mask].sum()))
