"""P(the words were understood), from what the representation leaves unexplained: a logistic regression on labelled sentences.

    P(understood | x) = σ(b − Σ_i w_i x_i),  w_i ≥ 0

`evidence` has the features x, each 0 or 1: words that nothing explains or that left no trace, and names that fit badly.
`scripts/fit_reliability.py` fits the weights on sentences of people with hand-made labels; reliability.yaml has them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.selection.evidence import Doubt
from sayso.yaml_source import read_plain


@dataclass(frozen=True, slots=True)
class Reliability:
    """Evidence of doubt about a clause → P(understood)."""

    intercept: float
    weights: Mapping[str, float]

    @classmethod
    def shipped(cls) -> Reliability:
        """The fitted weights."""
        return _shipped()

    def __call__(self, evidence: Doubt) -> float:
        """P(the words of a clause with this evidence were understood), in (0, 1)."""
        features = evidence.features
        doubt = sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(doubt - self.intercept))


@lru_cache(maxsize=1)
def _shipped() -> Reliability:
    held = read_plain(Path(__file__).with_name("reliability.yaml"))
    return Reliability(float(held["intercept"]), {str(name): float(weight) for name, weight in held["weights"].items()})
