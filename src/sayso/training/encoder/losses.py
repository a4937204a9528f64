"""Losses of the tuning besides sentence-transformers' own: modules that its trainer calls with tokenised texts and labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sayso.training.tagger.batches import pooling, targets
from sayso.training.tagger.head import TagHead
from sayso.training.tagger.sentences import Annotation, Tagged

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class LabelLoss(nn.Module):
    """Cross-entropy of softmax(W · scale · h + b) on single sentences (sentence-transformers' SoftmaxLoss reads pairs)."""

    def __init__(self, model: SentenceTransformer, labels: int, scale: float, smoothing: float) -> None:
        super().__init__()
        width = model.get_embedding_dimension()
        self.model, self.scale, self.smoothing = model, scale, smoothing
        self.head = nn.Linear(width, labels)
        nn.init.normal_(self.head.weight, std=0.3 / math.sqrt(width))

    def forward(self, sentence_features: Sequence[dict[str, Tensor]], labels: Tensor) -> Tensor:
        """The loss of a batch."""
        h = self.model(sentence_features[0])["sentence_embedding"]
        return cross_entropy(self.head(self.scale * h), labels, label_smoothing=self.smoothing)


class TagLoss(nn.Module):
    """The loss of a head that tags words: where a request begins, and what fills its roles. A label is a sentence's number."""

    def __init__(self, model: SentenceTransformer, sentences: Sequence[Tagged], annotation: Annotation) -> None:
        super().__init__()
        self.model = model
        self.sentences, self.annotation = sentences, annotation
        self.tags = TagHead(len(annotation.triggers), len(annotation.arguments), model.get_embedding_dimension())

    def forward(self, sentence_features: Sequence[dict[str, Tensor]], labels: Tensor) -> Tensor:
        """The loss of a batch. The text of a sentence is its words joined by spaces, so both have the same word pieces."""
        pieces: Tensor = self.model(sentence_features[0])["token_embeddings"]
        batch = [self.sentences[index] for index in labels.tolist()]
        limit = {"truncation": True, "max_length": self.model.max_seq_length}
        split: Any = self.model.tokenizer([list(each.words) for each in batch], is_split_into_words=True, padding=True, **limit)
        pool = pooling([split.word_ids(row) for row in range(len(batch))], max(len(each.words) for each in batch))
        loss: Tensor = self.tags.loss(pool @ pieces, **targets(batch, self.annotation))
        return loss


def heads_of(losses: dict[str, nn.Module]) -> dict[str, dict[str, Tensor]]:
    """The weights of the losses themselves, without those of the encoder."""
    return {name: {key: value for key, value in loss.state_dict().items() if _own(key)} for name, loss in losses.items()}


def restore_heads(losses: dict[str, nn.Module], saved: dict[str, dict[str, Tensor]]) -> None:
    """Load the result of `heads_of`."""
    for name, loss in losses.items():
        with torch.no_grad():
            loss.load_state_dict(saved[name], strict=False)


def _own(key: str) -> bool:
    return key.startswith(("head.", "tags."))
