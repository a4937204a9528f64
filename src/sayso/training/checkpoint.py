"""What every fit shares: a checkpoint from which an interrupted run goes on, and a learning rate that rises and falls."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch


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
