"""What happens around the robot while it carries out a command: skills that fail on purpose, and what people do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sayso.types import SkillCall

EARLY, LATE = 0.5, 8.0  # s: when an interrupted skill fails


@dataclass(frozen=True, slots=True)
class Troubles:
    """Deliberate faults: skills that fail at a random moment."""

    interrupted: Mapping[str, float] = field(default_factory=dict)  # skill → probability

    def moment(self, call: SkillCall, rng: np.random.Generator) -> float:
        """After how many seconds this call fails; infinity if it does not."""
        return float(rng.uniform(EARLY, LATE)) if rng.random() < self.interrupted.get(call.name, 0.0) else math.inf


@dataclass(frozen=True, slots=True)
class Company:
    """What people do while the robot carries out a command."""

    walks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # person → places of the domain to walk to
    told_after: float = 30.0  # s: then the person ends a skill that goes on until it is told to end
    when_followed: bool = False  # they set out when the robot begins to follow them, and not at once
    asks: str = ""  # what is asked when the robot wants to hear a question; empty: nothing
