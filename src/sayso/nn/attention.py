"""Scaled dot-product and multi-head attention (equations 3, 4 and 17)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def scaled_dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, keep: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Equation 3: softmax(Q Kᵀ / √d_k) V.

    Args:
        Q: (…, m, d_k) queries.
        K: (…, n, d_k) keys.
        V: (…, n, d_v) values.
        keep: broadcastable to (…, m, n), False for masked keys; every query must keep at least one key.

    Returns:
        the attended values (…, m, d_v) and the weights (…, m, n), whose rows sum to 1.
    """
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


class MultiHeadAttention(nn.Module):
    """Equation 4: Concat(head_1 … head_h) W_O, where head_i attends with d/h dimensions of the projected Q, K and V."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if dim % heads:
            raise ValueError(f"{heads} heads cannot share {dim} dimensions evenly")
        self.heads = heads
        self.W_Q = nn.Linear(dim, dim)
        self.W_K = nn.Linear(dim, dim)
        self.W_V = nn.Linear(dim, dim)
        self.W_O = nn.Linear(dim, dim)
        for projection in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(projection.weight)
            nn.init.zeros_(projection.bias)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, keep: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The attended values of each query.

        Args:
            queries: (B, m, d).
            keys: (B, n, d).
            values: (B, n, d).
            keep: (B, n), False for padding keys; or (B, m, n), False for keys masked from that query. B may be 1 to broadcast.

        Returns:
            (B, m, d) and the weights of each head (B, h, m, n).
        """
        if keep is not None:
            keep = keep[:, None, None, :] if keep.dim() == 2 else keep[:, None]
        attended, weights = scaled_dot_product_attention(
            self._split(self.W_Q(queries)),
            self._split(self.W_K(keys)),
            self._split(self.W_V(values)),
            keep,
        )
        return self.W_O(attended.transpose(1, 2).flatten(2)), weights

    def _split(self, x: Tensor) -> Tensor:
        """(B, n, d) → (B, h, n, d/h) in consecutive blocks of d/h dimensions, like torch.nn.MultiheadAttention."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def head_similarity(heads: Tensor) -> Tensor:
    """Equation 17 with its sign corrected: the mean of cos θ_ij over pairs of heads. Minimising it diversifies the heads.

    Args:
        heads: (…, h, n) a feature vector per head, such as its attention weights; h ≥ 2.

    Returns:
        (…,) in [−1, 1]; in [0, 1] for attention weights, which are non-negative.
    """
    count = heads.shape[-2]
    if count < 2:
        raise ValueError("similarity of heads needs at least two of them")
    units = nn.functional.normalize(heads, dim=-1)
    cosines = units @ units.transpose(-2, -1)
    above_diagonal = torch.triu(torch.ones(count, count, dtype=torch.bool, device=heads.device), diagonal=1)
    return cosines[..., above_diagonal].mean(dim=-1)
