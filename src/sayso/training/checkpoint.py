"""What fits share: a checkpoint from which an interrupted run goes on, a learning rate that rises and falls, and descent by both."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

_KEPT = 0.999  # share of the averaged weights that a step leaves as they are


class Checkpoint:
    """The state of a run's parts (network, optimiser, schedule …) and its step, in a file."""

    def __init__(self, path: Path, every: int, **parts: Any) -> None:
        """`every`: steps between two states that are kept; each part has `state_dict` and `load_state_dict`."""
        self.path, self.every, self._parts = path, every, parts

    def resume(self) -> int:
        """Put the parts into the state that the file holds; the number of steps done, 0 where there is no file."""
        if not self.path.exists():
            return 0
        held = torch.load(self.path, weights_only=True)
        for name, part in self._parts.items():
            part.load_state_dict(held[name])
        return int(held["step"])

    def keep(self, step: int, last: int) -> None:
        """After that many steps of `last`: write the file where it is time to. Renamed into place, so that it is never half a state."""
        if step % self.every and step != last:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        torch.save({**{name: part.state_dict() for name, part in self._parts.items()}, "step": step}, partial)
        partial.replace(self.path)


def warm_cosine(step: int, steps: int, warm_up: int, least: float = 0.02) -> float:
    """The share of the learning rate: it rises over `warm_up` steps and falls along half a cosine, to no less than `least`."""
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
    """Gradient descent, in place; the network ends with the running mean of its weights.

    Args:
        network: what learns.
        optimiser: of its weights.
        steps: altogether; an interrupted run goes on where it was.
        warm_up: steps of them in which the learning rate rises.
        checkpoint: where the state is kept, and steps between two of them.
        loss_of: the loss of that step.
        report: told the step and the loss, each step.
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
