"""A head on the encoder's word vectors that tags each word once in every layer of a sentence's structure."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sayso.intent.tags import tag_count
from sayso.nn.encoder import EncoderLayer

IGNORED = -100
LONGEST = 128  # words; later ones share the last place


class StructureHead(nn.Module):
    """Self-attention over the words, then a linear layer for each row of BIO tags."""

    def __init__(self, labels: Sequence[Sequence[str]], dim: int, width: int, layers: int, dropout: float, heads: int = 6) -> None:
        """`labels` of each row of tags; `dim`: dimensions of the encoder."""
        super().__init__()
        self.inward = nn.Linear(dim, width)
        self.place = nn.Embedding(LONGEST, width)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, 2 * width, dropout) for _ in range(layers))
        self.outward = nn.ModuleList(nn.Linear(width, tag_count(names)) for names in labels)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.place.weight, std=0.02)

    def forward(self, words: Tensor, keep: Tensor | None = None) -> tuple[Tensor, ...]:
        """(B, n, D) vectors of words, (B, n) False for padding → the scores of each row of tags, (B, n, 2L + 1)."""
        x = self.inward(self.dropout(words)) + self.place(torch.arange(words.shape[1]).clamp(max=LONGEST - 1))
        for layer in self.layers:
            x = layer(x, keep)
        x = self.dropout(x)
        return tuple(score(x) for score in self.outward)

    def loss(self, words: Tensor, keep: Tensor, tags: Sequence[Tensor]) -> Tensor:
        """Cross-entropy, summed over the rows; tags are (B, n) with IGNORED for padding."""
        scores = self(words, keep)
        losses = [
            cross_entropy(each.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED) for each, wanted in zip(scores, tags, strict=True)
        ]
        return torch.stack(losses).sum()
