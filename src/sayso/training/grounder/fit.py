"""Training of the grounding network: gradient descent with checkpoints for interrupted runs."""

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
BACKGROUND = 0.05  # weight of the background patches, which are twenty times as many
Report = Callable[[int, dict[str, float]], None]


class GroundingLoss(nn.Module):
    """The network with an auxiliary task: each patch must also predict its object and colour.

    Without it, the convolutions learn only from the few patches that phrases point at, and need several times as many steps.
    """

    def __init__(self, network: GroundingNetwork, kinds: int, colors: int) -> None:
        super().__init__()
        self.network = network
        self.kind = nn.Linear(network.dim, kinds)
        self.color = nn.Linear(network.dim, colors)

    def forward(self, batch: Batch, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The network's attention (B, h, p, n) and logits (B, p), and the loss of the patches' predictions."""
        V = self.network.see(batch.pictures).flatten(2).transpose(1, 2)
        weights, logits = self.network.point(V, batch.words, places)
        importance = torch.full((self.kind.out_features,), 1.0)
        importance[0] = BACKGROUND
        wrong = cross_entropy(self.kind(V).flatten(0, 1), batch.kinds.flatten(), importance)
        if (batch.colors >= 0).any():
            wrong = wrong + cross_entropy(self.color(V).flatten(0, 1), batch.colors.flatten(), ignore_index=-1)
        return weights, logits, wrong


def fit(network: GroundingNetwork, batches: Batches, config: GrounderConfig, checkpoint: Path, report: Report) -> None:
    """Train the network in place; continues from the checkpoint if there is one.

    Args:
        network: with its initial weights.
        batches: source of the examples.
        config: steps, learning rate, weight of the heads' diversity.
        checkpoint: file with network, optimiser and step.
        report: called with the step and the losses after each step.
    """
    book = batches.book
    learner = GroundingLoss(network, 1 + len(book.object_ids), len(book.colors)).to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(learner.parameters(), lr=config.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.learning_rate, total_steps=config.steps + 1, pct_start=0.1)
    kept = Checkpoint(checkpoint, CHECKPOINT_EVERY, lesson=learner, optimiser=optimiser, schedule=schedule)
    first = kept.resume()
    places = network.positions(240 // PATCH, 320 // PATCH)
    for step in range(first, config.steps):
        # Seeded by the step, so a resumed run draws the same.
        rng = np.random.default_rng((config.seed, step))
        torch.manual_seed(config.seed * 1_000_003 + step)
        loss, parts = losses(learner, batches.draw(rng), places, config.diversity)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        report(step + 1, parts)
        kept.keep(step + 1, config.steps)
    network.eval()


def losses(learner: GroundingLoss, batch: Batch, places: Tensor, diversity: float) -> tuple[Tensor, dict[str, float]]:
    """The loss and its parts: attention off the thing, wrong presence, similarity of the heads, wrong patches.

    Args:
        learner: the network with its auxiliary task.
        batch: B pictures with p phrases each.
        places: (rows, cols, d) positions of the whole frame's patches.
        diversity: weight of the heads' similarity.
    """
    rows, cols = (side // PATCH for side in batch.pictures.shape[2:])
    windows = torch.stack([places[row : row + rows, col : col + cols].flatten(0, 1) for row, col in batch.corners])
    weights, logits, misread = learner(batch, windows)
    there = batch.present > 0.5
    log_attention = weights.mean(dim=1).clamp(min=1e-9).log()
    pointing = -(batch.targets * log_attention).sum(dim=-1)[there].mean() if there.any() else logits.sum() * 0.0
    presence = binary_cross_entropy_with_logits(logits, batch.present)
    alike = head_similarity(weights.transpose(1, 2))[there].mean() if there.any() else logits.sum() * 0.0
    loss = pointing + 2.0 * presence + diversity * alike + 0.5 * misread
    return loss, {"pointing": pointing.item(), "presence": presence.item(), "heads alike": alike.item(), "misread": misread.item()}
