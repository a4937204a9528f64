"""Fitting the grounding network: steps of gradient descent, with checkpoints from which an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from sayso.nn import head_similarity
from sayso.training.grounder_batches import Batch, Batches
from sayso.training.grounder_config import GrounderConfig
from sayso.training.grounder_network import PATCH, GroundingNetwork

CHECKPOINT_EVERY = 100  # steps
Report = Callable[[int, dict[str, float]], None]


def fit(network: GroundingNetwork, batches: Batches, config: GrounderConfig, checkpoint: Path, report: Report) -> None:
    """Train the network in place; goes on from the checkpoint if there is one.

    Args:
        network: freshly made.
        batches: where the examples come from.
        config: steps, learning rate, weight of the heads' diversity.
        checkpoint: file that holds network, optimiser and step.
        report: is told the step and the losses, each step.
    """
    optimiser = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.learning_rate, total_steps=config.steps + 1, pct_start=0.1)
    network.to(memory_format=torch.channels_last)
    network.train()
    first = _resume(checkpoint, network, optimiser, schedule)
    places = network.positions(240 // PATCH, 320 // PATCH)
    for step in range(first, config.steps):
        # Seeded by the step: a run that was interrupted draws what it would have drawn.
        rng = np.random.default_rng((config.seed, step))
        torch.manual_seed(config.seed * 1_000_003 + step)
        loss, parts = losses(network, batches.draw(rng), places, config.diversity)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        report(step + 1, parts)
        if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == config.steps:
            _save(checkpoint, network, optimiser, schedule, step + 1)
    network.eval()


def losses(network: GroundingNetwork, batch: Batch, places: Tensor, diversity: float) -> tuple[Tensor, dict[str, float]]:
    """What is to be made small: attention off the thing, a wrong belief that it is there, heads that all look alike.

    Args:
        network: the network.
        batch: B pictures with p phrases each.
        places: (rows, cols, d) positions of the whole frame's patches.
        diversity: weight of the heads' similarity.
    """
    rows, cols = (side // PATCH for side in batch.pictures.shape[2:])
    windows = torch.stack([places[row : row + rows, col : col + cols].flatten(0, 1) for row, col in batch.corners])
    weights, logits = network(batch.pictures, batch.words, windows)
    there = batch.present > 0.5
    log_attention = weights.mean(dim=1).clamp(min=1e-9).log()
    pointing = -(batch.targets * log_attention).sum(dim=-1)[there].mean() if there.any() else logits.sum() * 0.0
    presence = binary_cross_entropy_with_logits(logits, batch.present)
    alike = head_similarity(weights.transpose(1, 2))[there].mean() if there.any() else logits.sum() * 0.0
    loss = pointing + 2.0 * presence + diversity * alike
    return loss, {"pointing": pointing.item(), "presence": presence.item(), "heads alike": alike.item()}


def _resume(
    checkpoint: Path, network: GroundingNetwork, optimiser: torch.optim.Optimizer, schedule: torch.optim.lr_scheduler.LRScheduler
) -> int:
    if not checkpoint.exists():
        return 0
    held = torch.load(checkpoint, weights_only=True)
    network.load_state_dict(held["network"])
    optimiser.load_state_dict(held["optimiser"])
    schedule.load_state_dict(held["schedule"])
    return int(held["step"])


def _save(
    checkpoint: Path,
    network: GroundingNetwork,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    step: int,
) -> None:
    partial = checkpoint.with_suffix(".partial")
    held = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(), "step": step}
    torch.save(held, partial)
    partial.replace(checkpoint)
