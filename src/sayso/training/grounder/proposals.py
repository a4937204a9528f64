"""Regions that the network itself proposes while it learns, so that it learns to judge what it will be asked about."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import ndimage
from torch import Tensor

from sayso.grounding.candidates import EDGE, EIGHT
from sayso.training.grounder.batches import SHOWN, Batch
from sayso.training.grounder.network import PATCH

SECOND = 0.3  # share of the proposals around the second peak
PAIRED = 0.5  # share of the maps of two units, as a colour and a noun make one


def proposals(scores: Tensor, batch: Batch, units: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
    """One region for each unit, at a peak of what the network takes for it, and whether the region shows it.

    Args:
        scores: (B, h, P, n) of the units over the patches.
        batch: B windows.
        units: (B, P) index of each unit in the table.
        table: (looks, U) what fits what; NaN where nobody knows.

    Returns:
        (B, P, n) 1 or 0, and (B, P): 1 or 0, NaN where nobody knows.
    """
    rng = np.random.default_rng(int(torch.randint(2**31, (1,))))
    shows = torch.sigmoid(scores.mean(dim=1)).numpy()
    rows, cols = (size // PATCH for size in batch.pictures.shape[-2:])
    regions = np.zeros_like(shows)
    for at in np.ndindex(shows.shape[:2]):
        weights = shows[at]
        if rng.random() < PAIRED:
            weights = weights * shows[at[0], rng.integers(shows.shape[1])]
        regions[at] = _region(weights.reshape(rows, cols), rng).ravel()
    masks = torch.from_numpy(regions)
    return masks, _fits(masks, batch, units, table)


def _region(weights: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.bool_]:
    first = _around_peak(weights)
    if rng.random() >= SECOND or first.all():
        return first
    return _around_peak(np.where(first, 0.0, weights))


def _around_peak(weights: NDArray[np.generic]) -> NDArray[np.bool_]:
    """The connected patches around the highest one, as sayso.grounding.candidates takes them for one thing."""
    peak = np.unravel_index(int(weights.argmax()), weights.shape)
    parts, _ = ndimage.label(weights >= EDGE * weights[peak], EIGHT)
    around: NDArray[np.bool_] = parts == parts[peak]
    return around


def _fits(regions: Tensor, batch: Batch, units: Tensor, table: Tensor) -> Tensor:
    """(B, P, n) → (B, P) 1 where a patch of the region shows a thing that the unit fits, NaN where nobody knows that, else 0."""
    there = (batch.looks >= 0).unsqueeze(-1)
    fits = table[batch.looks.clamp(min=0)].gather(2, units.unsqueeze(1).expand(-1, batch.looks.shape[1], -1))  # (B, K, P)

    def shown(which: Tensor) -> Tensor:
        share = torch.einsum("bkn,bkp->bpn", batch.coverage, (which & there).to(regions.dtype))
        return (share * regions).amax(dim=-1) > SHOWN

    unknown = torch.full((), torch.nan)
    return torch.where(shown(fits == 1.0), 1.0, torch.where(shown(fits.isnan()), unknown, 0.0))
