"""The parser's network: word pieces → a score for every label of every span, an intent for every act, a kind for every question.

The span of words i … j has the vector x = GELU(LN(A h_i + B h_j + C mean(h_i … h_j) + D h_(i−1) + E h_(j+1) + w_(j−i))), where h_0 and
h_(n+1) are those of [CLS] and [SEP] (compare Stern et al. 2017). Scores are linear in x; a chain of labels has the sum of its labels'
scores and a correction of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, pad

from sayso.intent.parser.chart import spans_of
from sayso.intent.parser.labels import LabelSet
from sayso.intent.parser.parser import pooling
from sayso.training.parser.trunk import Trunk
from sayso.training.precision import bfloat16_where_fast

WIDEST = 64  # words; wider spans share the last width


@dataclass(frozen=True, slots=True)
class SpanScores:
    """What the network says of B sentences of at most N words, S = N (N + 1) / 2 spans each."""

    spans: Tensor  # (B, S, L) scores of the labels
    intents: Tensor  # (B, S, K) scores of the intents, if the span is an act
    kinds: Tensor  # (B, S, Q) scores of the kinds of question, if it is one


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """B sentences as tensors."""

    ids: Tensor  # (B, T) word pieces
    mask: Tensor  # (B, T) 1 where there is one
    pool: Tensor  # (B, N + 2, T) weights that make [CLS], words and [SEP] of pieces
    words: tuple[int, ...]  # of each sentence


class ParserNetwork(nn.Module):
    """The trunk and three linear heads on the vectors of spans."""

    def __init__(self, trunk: Trunk, labels: LabelSet, intents: Sequence[str], kinds: Sequence[str], width: int, dropout: float) -> None:
        """`width`: dimensions of a span's vector."""
        super().__init__()
        self.trunk, self.labels, self.intents, self.kinds = trunk, labels, tuple(intents), tuple(kinds)
        self.inward = nn.Linear(trunk.width, 5 * width)
        self.wide = nn.Embedding(WIDEST, width)
        self.norm = nn.LayerNorm(width)
        self.label = nn.Linear(width, labels.singles)
        self.chain = nn.Linear(width, len(labels.names) - labels.singles)
        self.intent = nn.Linear(width, len(self.intents))
        self.kind = nn.Linear(width, len(self.kinds))
        self.within = nn.Parameter(torch.zeros(len(labels.groups), labels.singles))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("parts", torch.from_numpy(labels.parts.T.copy()), persistent=False)
        nn.init.normal_(self.wide.weight, std=0.02)
        nn.init.constant_(self.label.bias, -3.0)  # most spans have no label
        nn.init.zeros_(self.chain.weight)
        nn.init.constant_(self.chain.bias, -2.0)

    def forward(self, batch: SentenceBatch) -> SpanScores:
        """The scores; in training the trunk computes in bfloat16, where that is fast."""
        with bfloat16_where_fast(wanted=self.training):
            hidden = self.trunk(batch.ids, batch.mask)
        return self.read(torch.bmm(batch.pool, hidden.float()))

    def read(self, words: Tensor) -> SpanScores:
        """(B, N + 2, D) vectors of [CLS], words and [SEP] → the scores of the spans, in the order of `spans_of`."""
        first, last = (torch.from_numpy(each) for each in spans_of(words.shape[1] - 2))
        return self.of_spans(words, first, last)

    def of_spans(self, words: Tensor, first: Tensor, last: Tensor) -> SpanScores:
        """The scores of those spans: (S,) first and last words."""
        start, end, inside, before, after = self.inward(self.dropout(words)).chunk(5, -1)
        total = pad(inside.cumsum(1), (0, 0, 1, 0))
        width = last - first
        mean = (total[:, last + 2] - total[:, first + 1]) / (width + 1)[None, :, None]
        x = start[:, first + 1] + end[:, last + 1] + mean + before[:, first] + after[:, last + 2] + self.wide(width.clamp(max=WIDEST - 1))
        x = self.dropout(gelu(self.norm(x)))
        single = self.label(x)
        return SpanScores(torch.cat([single, single @ self.parts + self.chain(x)], -1), self.intent(x), self.kind(x))


class WordPieces:
    """Words → word pieces, each word by itself, as the parser cuts them at run time."""

    def __init__(self, tokenizer: object) -> None:
        """Of a tokenizer of the library tokenizers."""
        self._tokenizer: object = tokenizer

    def __call__(self, sentences: Sequence[Sequence[str]]) -> SentenceBatch:
        """Padded tensors."""
        encoded = [self._tokenizer.encode(list(words), is_pretokenized=True) for words in sentences]  # type: ignore[attr-defined]
        longest, most = max(len(each.ids) for each in encoded), max(map(len, sentences))
        ids = np.zeros((len(sentences), longest), np.int64)
        mask = np.zeros((len(sentences), longest), np.float32)
        pool = np.zeros((len(sentences), most + 2, longest), np.float32)
        for row, (each, words) in enumerate(zip(encoded, sentences, strict=True)):
            ids[row, : len(each.ids)] = each.ids
            mask[row, : len(each.ids)] = 1.0
            pool[row, : len(words) + 2, : len(each.ids)] = pooling(each.word_ids, len(words))
        return SentenceBatch(torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(pool), tuple(map(len, sentences)))
