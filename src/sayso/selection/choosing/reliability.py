r"""P(the words were understood), from what supports the meaning and what it leaves unexplained.

    P(understood) = σ(w₀ + w₁ a + (w₂ + w₃ a) c + w₄ s),   c = −ln(1 − P(meaning | words) + ε)

a is 1 if the intent head agrees with the parser, s if it is one of several clauses. `scripts/fit_reliability.py` fits the weights on
people's sentences that trained nothing, and counts how often a sentence with unexplained words was understood. reliability.yaml has
all numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.selection.choosing.evidence import Doubt
from sayso.types import Support
from sayso.yaml_source import read_plain

EPSILON = 0.003  # what a P(meaning) of 1 leaves to doubt


@dataclass(frozen=True, slots=True)
class Reliability:
    """Evidence of doubt about a clause → P(understood)."""

    bias: float
    agreed: float  # weight of the intent head's agreement
    certainty: float  # weight of c
    certainty_agreed: float  # the same, where it agrees
    several: float  # weight of there being other clauses
    unexplained: float  # at most, with words that nothing explains
    untold: float  # at most, with attributes that the home doesn't know, of the only thing of its kind
    hinted: float  # at most, of a need that was only hinted at

    @classmethod
    def shipped(cls) -> Reliability:
        """The numbers of reliability.yaml."""
        return _shipped()

    @classmethod
    def certain(cls) -> Reliability:
        """Every word counts as understood."""
        return cls(math.inf, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)

    def __call__(self, evidence: Doubt) -> float:
        """P(the words of a clause with this evidence were understood), in (0, 1]."""
        weights = (self.agreed, self.certainty, self.certainty_agreed, self.several)
        held = features(evidence.support, several=evidence.several)
        found = 1.0 / (1.0 + math.exp(-self.bias - sum(weight * feature for weight, feature in zip(weights, held, strict=True))))
        limits = ((self.unexplained, evidence.unexplained), (self.untold, evidence.untold), (self.hinted, evidence.hinted))
        return min(found, *(limit for limit, holds in limits if holds), 1.0)


def features(support: Support, *, several: bool) -> tuple[float, float, float, float]:
    """a, c, a c and s."""
    certainty = -math.log(max(1.0 - support.parsed, 0.0) + EPSILON)
    return float(support.agreed), certainty, support.agreed * certainty, float(several)


@lru_cache(maxsize=1)
def _shipped() -> Reliability:
    held = read_plain(Path(__file__).with_name("reliability.yaml"))
    return Reliability(**{name: float(held[name]) for name in Reliability.__dataclass_fields__})
