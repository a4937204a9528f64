"""What the trainings of heads on the encoder's word vectors share: settings, batches and steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from sayso.training.checkpoint import warm_cosine

Vectors = NDArray[np.float32]  # (n, D) of the words of a sentence
Said = Callable[[str, float], None]  # the current work, and its progress (0 … 1)


class WordHeadConfig(BaseModel):
    """The settings of a head's training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    steps: int = Field(gt=0)
    batch: int = Field(gt=1)
    learning_rate: float = Field(gt=0.0)
    width: int = Field(gt=0)
    dropout: float = Field(ge=0.0, lt=1.0)


def optimise(head: nn.Module, next_loss: Callable[[], Tensor], config: WordHeadConfig, weight_decay: float, said: Said) -> None:
    """Step down the loss of a new batch each time: a warm-up over a twentieth of the steps, then a cosine to 0."""
    optimiser = torch.optim.AdamW(head.parameters(), lr=config.learning_rate, weight_decay=weight_decay)
    warm_up = max(config.steps // 20, 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, config.steps, warm_up, least=0.0))
    head.train()
    for step in range(config.steps):
        loss = next_loss()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if not step % 10:
            said(f"training: loss {loss.item():.3f}", step / config.steps)
    head.eval()


def padded(vectors: Sequence[Vectors]) -> tuple[Tensor, Tensor]:
    """(B, n, D) vectors, and (B, n) False for padding."""
    filled = torch.zeros(len(vectors), max(map(len, vectors)), vectors[0].shape[1])
    keep = torch.zeros(filled.shape[:2], dtype=torch.bool)
    for row, each in enumerate(vectors):
        filled[row, : len(each)] = torch.from_numpy(each)
        keep[row, : len(each)] = True
    return filled, keep
