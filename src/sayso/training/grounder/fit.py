"""Fitting the grounding network: steps of gradient descent, with checkpoints from which an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from sayso.nn import head_similarity
from sayso.training.checkpoint import Checkpoint
from sayso.training.grounder.batches import Batch, Batches
from sayso.training.grounder.config import GrounderConfig
from sayso.training.grounder.network import PATCH, GroundingNetwork

CHECKPOINT_EVERY = 100  # steps
BACKGROUND = 0.05  # weight of a patch that shows nothing that commands are about: there are twenty times as many
Report = Callable[[int, dict[str, float]], None]


class GroundingLoss(nn.Module):
    """The network, and what helps it to learn: each patch must also tell by itself what it shows, and in which colour.

    Without, the convolutions learn only from the few patches that a phrase happens to point at, and need several times as many steps.
    """

    def __init__(self, network: GroundingNetwork, kinds: int, colors: int) -> None:
        super().__init__()
        self.network = network
        self.kind = nn.Linear(network.dim, kinds)
        self.color = nn.Linear(network.dim, colors)

    def forward(self, batch: Batch, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Attention (B, h, p, n) and logits (B, p) as the network gives them, and how wrongly the patches tell what they show."""
        V = self.network.see(batch.pictures).flatten(2).transpose(1, 2)
        weights, logits = self.network.point(V, batch.words, places)
        importance = torch.full((self.kind.out_features,), 1.0)
        importance[0] = BACKGROUND
        wrong = cross_entropy(self.kind(V).flatten(0, 1), batch.kinds.flatten(), importance)
        if (batch.colors >= 0).any():
            wrong = wrong + cross_entropy(self.color(V).flatten(0, 1), batch.colors.flatten(), ignore_index=-1)
        return weights, logits, wrong


def fit(network: GroundingNetwork, batches: Batches, config: GrounderConfig, checkpoint: Path, report: Report) -> None:
    """Train the network in place; goes on from the checkpoint if there is one.

    Args:
        network: freshly made.
        batches: where the examples come from.
        config: steps, learning rate, weight of the heads' diversity.
        checkpoint: file that holds network, optimiser and step.
        report: is told the step and the losses, each step.
    """
    book = batches.book
    lesson = GroundingLoss(network, 1 + len(book.object_ids), len(book.colors)).to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(lesson.parameters(), lr=config.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.learning_rate, total_steps=config.steps + 1, pct_start=0.1)
    kept = Checkpoint(checkpoint, CHECKPOINT_EVERY, lesson=lesson, optimiser=optimiser, schedule=schedule)
    first = kept.resume()
    places = network.positions(240 // PATCH, 320 // PATCH)
    for step in range(first, config.steps):
        # Seeded by the step: a run that was interrupted draws what it would have drawn.
        rng = np.random.default_rng((config.seed, step))
        torch.manual_seed(config.seed * 1_000_003 + step)
        loss, parts = losses(lesson, batches.draw(rng), places, config.diversity)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(lesson.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        report(step + 1, parts)
        kept.keep(step + 1, config.steps)
    network.eval()


def losses(lesson: GroundingLoss, batch: Batch, places: Tensor, diversity: float) -> tuple[Tensor, dict[str, float]]:
    """What is to be made small: attention off the thing, a wrong belief that it is there, heads that all look alike, patches misread.

    Args:
        lesson: the network and its readers.
        batch: B pictures with p phrases each.
        places: (rows, cols, d) positions of the whole frame's patches.
        diversity: weight of the heads' similarity.
    """
    rows, cols = (side // PATCH for side in batch.pictures.shape[2:])
    windows = torch.stack([places[row : row + rows, col : col + cols].flatten(0, 1) for row, col in batch.corners])
    weights, logits, misread = lesson(batch, windows)
    there = batch.present > 0.5
    log_attention = weights.mean(dim=1).clamp(min=1e-9).log()
    pointing = -(batch.targets * log_attention).sum(dim=-1)[there].mean() if there.any() else logits.sum() * 0.0
    presence = binary_cross_entropy_with_logits(logits, batch.present)
    alike = head_similarity(weights.transpose(1, 2))[there].mean() if there.any() else logits.sum() * 0.0
    loss = pointing + 2.0 * presence + diversity * alike + 0.5 * misread
    return loss, {"pointing": pointing.item(), "presence": presence.item(), "heads alike": alike.item(), "misread": misread.item()}
