"""Hand-made transcripts and intent beliefs, to test later stages alone."""

from __future__ import annotations

import math

import numpy as np

from sayso.domain import Domain
from sayso.types import Clause, IntentBelief, Role, Transcript, TranscriptAlternative

CUPS = (("red_cup", 0.95), ("blue_cup", 0.95), ("white_cup", 0.95))


def transcript(*heard: tuple[str, float], confidence: float = 1.0, rejected: str = "") -> Transcript:
    """A transcript of these texts with their probabilities, best first."""
    return Transcript("u", 0.0, tuple(TranscriptAlternative(text, math.log(p)) for text, p in heard), confidence, rejected=rejected)


def role(name: str, text: str, *candidates: tuple[str, float] | str, kind: str = "object", value: float = float("nan")) -> Role:
    """A role whose words fit these entities (score 1 if none is given)."""
    scored = tuple(candidate if isinstance(candidate, tuple) else (candidate, 1.0) for candidate in candidates)
    entity, score = scored[0] if scored else ("", 0.0)
    return Role(name, text, 0, len(text), entity, kind, score, scored, value)


def clause(domain: Domain, intents: dict[str, float] | str, *roles: Role, out_of_scope: float = -5.0, negated: bool = False) -> Clause:
    """A clause with these P(k|c); the other intents share the rest equally."""
    given = {intents: 0.97} if isinstance(intents, str) else intents
    rest = (1.0 - sum(given.values())) / max(1, len(domain.intents) - len(given))
    p = np.array([given.get(intent, rest) for intent in domain.intents])
    return Clause("words", 0, 5, tuple(domain.intents)[int(p.argmax())], p, roles, out_of_scope, negated)


def belief(domain: Domain, *clauses: Clause, rejected: str = "") -> IntentBelief:
    """The belief over an utterance with these clauses."""
    return IntentBelief("u1", 12.5, "words", tuple(domain.intents), clauses, rejected)
