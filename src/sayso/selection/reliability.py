"""P(the words were understood), from what the representation leaves unexplained and which reader read them.

Shares of sentences that were understood, by who read them and whether a word is left that nothing explains.
`scripts/fit_reliability.py` counts them on sentences of people with labels made by hand; reliability.yaml has the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.selection.evidence import Doubt
from sayso.yaml_source import read_plain

LIKELY = 0.5  # P(meaning | words) from which a reading that the rules do not share is the parser's

UNLIKELY = 0.1  # P of structures that say about the same as the rules, below which the parser finds their reading improbable


@dataclass(frozen=True, slots=True)
class Reliability:
    """Evidence of doubt about a clause → P(understood)."""

    agreed: float  # rules and parser read the same
    ruled: float  # the rules' reading, where the parser is not sure of another
    improbable: float  # the same, where the parser finds it improbable
    parsed: float  # the parser's reading, against the rules
    unexplained: float  # at most, with words that nothing explains
    hinted: float  # at most, of a need that was only hinted at

    @classmethod
    def shipped(cls) -> Reliability:
        """The numbers of reliability.yaml."""
        return _shipped()

    @classmethod
    def certain(cls) -> Reliability:
        """Every word counts as understood."""
        return cls(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)

    def __call__(self, evidence: Doubt) -> float:
        """P(the words of a clause with this evidence were understood), in (0, 1]."""
        support = evidence.support
        alone = self.parsed if support.parsed >= LIKELY else self.improbable if support.parsed < UNLIKELY else self.ruled
        found = self.agreed if support.agreed else alone
        return min(found, self.unexplained if evidence.unexplained else 1.0, self.hinted if evidence.hinted else 1.0)


@lru_cache(maxsize=1)
def _shipped() -> Reliability:
    held = read_plain(Path(__file__).with_name("reliability.yaml"))
    return Reliability(**{name: float(held[name]) for name in ("agreed", "ruled", "improbable", "parsed", "unexplained", "hinted")})
