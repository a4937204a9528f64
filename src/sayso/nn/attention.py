"""Attention as in docs/mathematics.md: scaled dot products, several heads, and words that look at a picture."""

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
        keep: broadcastable to (…, m, n), False where a query must not look; every query must keep at least one key.

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
        """What each query gathers.

        Args:
            queries: (B, m, d).
            keys: (B, n, d).
            values: (B, n, d).
            keep: (B, n), False for keys that are padding; or (B, m, n), False where that query must not look: B may be 1 for all alike.

        Returns:
            (B, m, d) and the weights of each head (B, h, m, n).
        """
        if keep is not None:
            keep = keep[:, None, None, :] if keep.dim() == 2 else keep[:, None]
        gathered, weights = scaled_dot_product_attention(
            self._split(self.W_Q(queries)),
            self._split(self.W_K(keys)),
            self._split(self.W_V(values)),
            keep,
        )
        return self.W_O(gathered.transpose(1, 2).flatten(2)), weights

    def _split(self, x: Tensor) -> Tensor:
        """(B, n, d) → (B, h, n, d/h): consecutive blocks of d/h dimensions, as torch.nn.MultiheadAttention does."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class CrossModalAttention(nn.Module):
    """Equation 5: CrossModal(L, V) = Attention(L W_Q, V W_K, V W_V), several heads: which patches the words mean."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)

    def forward(self, L: Tensor, V: Tensor, places: Tensor | float = 0.0) -> tuple[Tensor, Tensor]:
        """What the words find in the picture, and where.

        Args:
            L: (B, m, d) the words.
            V: (B, n, d) the patches.
            places: (n, d) or (B, n, d), added to the keys only: where a patch lies helps to find it, but is no part of what is seen there.

        Returns:
            (B, m, d) and the weights of each head over the patches (B, h, m, n), rows sum to 1.
        """
        gathered: Tensor
        weights: Tensor
        gathered, weights = self.attention(L, V + places, V)
        return gathered, weights


def head_similarity(heads: Tensor) -> Tensor:
    """Equation 17 with its sign put right: the mean over pairs of heads of cos θ_ij, to be made small, so that heads look differently.

    Args:
        heads: (…, h, n) what tells the heads apart, such as their attention weights; h ≥ 2.

    Returns:
        (…,) in [−1, 1]; for weights, which are not negative, in [0, 1].
    """
    count = heads.shape[-2]
    if count < 2:
        raise ValueError("similarity of heads needs at least two of them")
    units = nn.functional.normalize(heads, dim=-1)
    cosines = units @ units.transpose(-2, -1)
    above_diagonal = torch.triu(torch.ones(count, count, dtype=torch.bool, device=heads.device), diagonal=1)
    return cosines[..., above_diagonal].mean(dim=-1)
