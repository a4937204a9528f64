"""The network of the command language model, for training: word pieces → ln P of each possible next piece."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from sayso.intent.command_lm import LONGEST
from sayso.nn import EncoderLayer, sinusoidal_positions


class CommandNetwork(nn.Module):
    """Equations 2, 6 and 7: embeddings plus positions, causal layers, softmax(W x + b), where W are the embeddings."""

    positions: Tensor
    before: Tensor

    def __init__(self, vocabulary: int, dim: int, layers: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dim, self.dropout = dim, nn.Dropout(dropout)
        self.embedding = nn.Embedding(vocabulary, dim)
        nn.init.normal_(self.embedding.weight, std=1.0 / math.sqrt(dim))
        self.layers = nn.ModuleList(EncoderLayer(dim, heads, 4 * dim, dropout) for _ in range(layers))
        self.b = nn.Parameter(torch.zeros(vocabulary))
        table = sinusoidal_positions(torch.arange(LONGEST, dtype=torch.float64), dim).float()
        self.register_buffer("positions", table, persistent=False)
        self.register_buffer("before", torch.ones(LONGEST, LONGEST, dtype=torch.bool).tril(), persistent=False)

    def hidden(self, ids: Tensor, depths: Tensor | None = None, see: Tensor | None = None) -> Tensor:
        """The hidden state after each piece.

        Args:
            ids: (B, n) numbers of pieces; n ≤ LONGEST for sentences.
            depths: (B, n) position of each piece in its sentence, if `ids` are a tree of several; None: consecutive positions.
            see: (B, n, n) True if the piece of that row is, or follows, the piece of that column; None: all earlier pieces.

        Returns:
            (B, n, d)
        """
        n = ids.shape[1]
        places = self.positions[:n] if depths is None else self.positions[depths]
        see = self.before[:n, :n].unsqueeze(0) if see is None else see
        # √d as in Vaswani et al. 2017, section 3.4: the embeddings are also W of the softmax, and therefore small.
        x = self.dropout(self.embedding(ids) * math.sqrt(self.dim) + places)
        for layer in self.layers:
            x = layer(x, see)
        return x

    def logits(self, x: Tensor) -> Tensor:
        """(…, d) → (…, V), before the softmax."""
        return nn.functional.linear(x, self.embedding.weight, self.b)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, n) → (B, n, V) ln P(w | the pieces up to each)."""
        return self.logits(self.hidden(ids)).log_softmax(dim=-1)


def expected_parameters(vocabulary: int, dim: int, layers: int) -> int:
    """Equation 22: 12 L d² + V d."""
    return 12 * layers * dim**2 + vocabulary * dim
