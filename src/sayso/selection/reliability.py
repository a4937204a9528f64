"""P(the words were understood), from what the representation leaves unexplained: a logistic regression on labelled sentences.

    P(understood | x) = σ(b − Σ_i w_i x_i),  w_i ≥ 0

The features x are counts of unexplained words and distances of names. `scripts/fit_reliability.py` fits the weights on sentences of people
with hand-made labels; reliability.yaml has them, and says which of them were set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from sayso.types import Clause

MOST = 2.0  # what very many unexplained words count


@dataclass(frozen=True, slots=True)
class Doubt:
    """The features of a clause; 0 for one that is fully explained."""

    left_over: float  # of n content words that nothing explains: MOST · (1 − 2^−n), so that the first counts most
    misnamed: float  # 1 − score of the worst name, in units of 0.05
    hint: float  # 1 for a need that was only hinted at: "I'm thirsty"
    strange: float  # 1 / (1 + distance below the out-of-scope limit in nats), 0 far below it


@dataclass(frozen=True, slots=True)
class Reliability:
    """Clause → P(understood)."""

    intercept: float
    weights: Mapping[str, float]

    @classmethod
    def shipped(cls) -> Reliability:
        """The fitted weights."""
        return _shipped()

    def __call__(self, clause: Clause) -> float:
        """P(the words of the clause were understood), in (0, 1)."""
        evidence = evidence_of(clause)
        doubt = sum(weight * float(getattr(evidence, name)) for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(doubt - self.intercept))


def evidence_of(clause: Clause) -> Doubt:
    """The features of a clause."""
    gaps = [1.0 - role.score for role in clause.roles if role.kind in ("place", "object", "person") and role.entity]
    return Doubt(
        left_over=MOST * (1.0 - 0.5 ** len(clause.left_over)),
        misnamed=max([gap for gap in gaps if gap > 0.051], default=0.0) / 0.05,
        hint=float(clause.modifiers.mood == "hint"),
        strange=1.0 / (1.0 + max(0.0, -clause.out_of_scope)) if math.isfinite(clause.out_of_scope) else 0.0,
    )


@lru_cache(maxsize=1)
def _shipped() -> Reliability:
    held = yaml.safe_load(files("sayso.selection").joinpath("reliability.yaml").read_text(encoding="utf-8"))
    return Reliability(float(held["intercept"]), {str(name): float(weight) for name, weight in held["weights"].items()})
