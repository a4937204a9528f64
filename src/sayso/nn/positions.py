"""Sinusoidal positions of words in a text (Vaswani et al. 2017)."""

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
