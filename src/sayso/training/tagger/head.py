"""A head on the encoder's word vectors that tags requests (triggers) and their arguments."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sayso.nn.encoder import EncoderLayer
from sayso.training.tagger.tags import tag_count

REACH = 12  # words before and after a trigger with a distance embedding of their own
IGNORED = -100


class TagHead(nn.Module):
    """Tags triggers first, then each trigger's arguments, since a word may be an argument of several (semantic role labelling)."""

    def __init__(self, triggers: int, arguments: int, dim: int = 384, width: int = 256, heads: int = 8, dropout: float = 0.1) -> None:
        """`triggers`, `arguments`: numbers of labels; `dim`: dimensions of the encoder."""
        super().__init__()
        self.inward = nn.Linear(dim, width)
        self.context = EncoderLayer(width, heads, 2 * width, dropout)
        self.triggers = nn.Linear(width, tag_count(range(triggers)))  # type: ignore[arg-type]
        self.from_trigger = nn.Linear(width, width)
        self.distance = nn.Embedding(2 * REACH + 1, width)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, 2 * width, dropout) for _ in range(2))
        self.arguments = nn.Linear(width, tag_count(range(arguments)))  # type: ignore[arg-type]
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.distance.weight, std=0.1)

    def read(self, words: Tensor, keep: Tensor | None) -> Tensor:
        """(B, n, D) vectors of words and (B, n) False for padding (None: no padding) → (B, n, d), the words in their sentence."""
        read: Tensor = self.context(self.inward(self.dropout(words)), keep)
        return read

    def arguments_of(self, read: Tensor, keep: Tensor | None, trigger: Tensor) -> Tensor:
        """The scores of the argument tags.

        Args:
            read: (M, n, d) from `read`, a row for each trigger.
            keep: (M, n) False for padding.
            trigger: (M, n) True for the words of the trigger.

        Returns:
            (M, n, 2A + 1)
        """
        share = trigger.to(read.dtype)
        asked = (read * share.unsqueeze(-1)).sum(1) / share.sum(1, keepdim=True).clamp(min=1.0)
        place = torch.arange(read.shape[1])
        first = trigger.to(torch.int64).argmax(1)
        distance = (place.unsqueeze(0) - first.unsqueeze(1)).clamp(-REACH, REACH) + REACH
        x = read + self.from_trigger(asked).unsqueeze(1) + self.distance(distance)
        for layer in self.layers:
            x = layer(x, keep)
        scores: Tensor = self.arguments(self.dropout(x))
        return scores

    def loss(self, words: Tensor, keep: Tensor, triggers: Tensor, owner: Tensor, trigger: Tensor, arguments: Tensor) -> Tensor:
        """Cross-entropy of both kinds of tags.

        Args:
            words: (B, n, D) vectors.
            keep: (B, n).
            triggers: (B, n) tags, IGNORED for padding.
            owner: (M,) the sentence of each trigger.
            trigger: (M, n) True for its words.
            arguments: (M, n) tags, IGNORED for padding.
        """
        read = self.read(words, keep)
        total = cross_entropy(self.triggers(self.dropout(read)).flatten(0, 1), triggers.flatten(), ignore_index=IGNORED)
        if len(owner):
            scores = self.arguments_of(read[owner], keep[owner], trigger)
            total = total + cross_entropy(scores.flatten(0, 1), arguments.flatten(), ignore_index=IGNORED)
        return total
