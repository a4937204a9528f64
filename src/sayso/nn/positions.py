"""Sinusoidal positions of words in a phrase and of patches in an image (Vaswani et al. 2017)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def sinusoidal_positions(positions: Tensor, dim: int) -> Tensor:
    """Equation 2: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d)).

    Args:
        positions: (…,) any real numbers, not only integers.
        dim: d, even.

    Returns:
        (…, d); for any pos, the step from pos to pos+k rotates each (sin, cos) pair by the same angle.
    """
    if dim % 2:
        raise ValueError(f"sines and cosines come in pairs: dim must be even, not {dim}")
    wavenumbers = torch.exp(torch.arange(0, dim, 2, dtype=positions.dtype) * (-math.log(10_000.0) / dim))
    angles = positions.unsqueeze(-1) * wavenumbers
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


def sinusoidal_positions_2d(rows: Tensor, cols: Tensor, dim: int) -> Tensor:
    """Positions on a grid: half of the dimensions encode the row, half the column.

    Args:
        rows: (R,) vertical position of each row of patches.
        cols: (C,) horizontal position of each column of patches.
        dim: d, divisible by 4.

    Returns:
        (R, C, d)
    """
    if dim % 4:
        raise ValueError(f"rows and columns take half each, in pairs: dim must be divisible by 4, not {dim}")
    down = sinusoidal_positions(rows, dim // 2)[:, None, :].expand(-1, len(cols), -1)
    across = sinusoidal_positions(cols, dim // 2)[None, :, :].expand(len(rows), -1, -1)
    return torch.cat((down, across), dim=-1)
