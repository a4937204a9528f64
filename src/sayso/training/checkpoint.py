"""Shared by all fits: checkpoints for interrupted runs, a warm-up and cosine learning rate, and gradient descent with both."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

_KEPT = 0.999  # decay of the running mean of the weights


class Checkpoint:
    """The state of a run's parts (network, optimiser, schedule …) and its step, in a file."""

    def __init__(self, path: Path, every: int, **parts: Any) -> None:
        """`every`: steps between two saved states; each part has `state_dict` and `load_state_dict`."""
        self.path, self.every, self._parts = path, every, parts

    def resume(self) -> int:
        """Restore the parts from the file; returns the number of steps done, 0 without a file."""
        if not self.path.exists():
            return 0
        held = torch.load(self.path, weights_only=True)
        for name, part in self._parts.items():
            part.load_state_dict(held[name])
        return int(held["step"])

    def keep(self, step: int, last: int) -> None:
        """Write the file after every `every` steps and after the last one. It is renamed into place, so it is always complete."""
        if step % self.every and step != last:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        torch.save({**{name: part.state_dict() for name, part in self._parts.items()}, "step": step}, partial)
        partial.replace(self.path)


def warm_cosine(step: int, steps: int, warm_up: int, least: float = 0.02) -> float:
    """The factor on the learning rate: a linear warm-up over `warm_up` steps, then half a cosine down to `least`."""
    return min(1.0, (step + 1) / warm_up) * max(least, 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps))))


def descend(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    steps: int,
    warm_up: int,
    checkpoint: tuple[Path, int],
    loss_of: Callable[[int], Tensor],
    report: Callable[[int, float], None],
) -> None:
    """Train the network in place by gradient descent; it ends with the running mean of its weights.

    Args:
        network: to train.
        optimiser: of its weights.
        steps: in total; an interrupted run continues from its checkpoint.
        warm_up: steps in which the learning rate rises.
        checkpoint: the file of the state, and the steps between two writes.
        loss_of: step → loss.
        report: called with the step and the loss after each step.
    """
    path, every = checkpoint
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: warm_cosine(step, steps, warm_up))
    average = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(_KEPT), use_buffers=True)
    kept = Checkpoint(path, every, network=network, optimiser=optimiser, schedule=schedule, average=average)
    first = kept.resume()
    network.train()
    for step in range(first, steps):
        loss = loss_of(step)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        average.update_parameters(network)
        report(step + 1, loss.item())
        kept.keep(step + 1, steps)
    network.load_state_dict(average.module.state_dict())
    network.eval()
