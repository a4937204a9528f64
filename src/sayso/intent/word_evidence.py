"""Evidence of single words for enrolled intents: "sweep" was in two of five examples of the user's own intent, and in one of 27 of `clean`.

The encoder knows a new intent from five sentences only, and its neighbours from many. The words that these sentences spell out are the
better evidence: naive Bayes over them, tempered, because the encoder has read the same words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from sayso.domain import Domain
from sayso.intent.fixed_words import fixed_in, stem
from sayso.types import FloatArray, Role

TEMPER = 0.5  # exponent of the likelihood: with 0.3 fewer sentences of other homes were executed, with 0.8 fewer shipped intents were right
UNSEEN = 0.05  # examples with a word that none has
SCOPE = 0.4  # nats less out of scope per nat of evidence, if the clause fills all required roles
MOST = 6.0  # nats of evidence that count
LINKED = 0.95  # least score of a role that counts as filled


class WordEvidence:
    """P(words | intent) of the words that the examples of enrolled intents spell out; it says nothing without enrolled intents."""

    def __init__(self, domain: Domain, intents: Sequence[str], enrolled: Collection[str]) -> None:
        """Count the words.

        Args:
            domain: provides the examples.
            intents: (K,) names, in the order of the classifier's probabilities.
            enrolled: those that were learnt from a few examples.
        """
        self._domain, self._intents = domain, tuple(intents)
        self._enrolled = np.array([intent in enrolled for intent in intents])
        said = {intent: [_stems(example) for example in domain.intents[intent].wordings] for intent in (intents if enrolled else ())}
        known = sorted({word for intent in enrolled for words in said[intent] for word in words})
        self._row = {word: row for row, word in enumerate(known)}
        counts = np.array([[sum(word in words for words in said[intent]) for intent in intents] for word in known], np.float64)
        totals = np.array([len(domain.intents[intent].wordings) for intent in intents], np.float64)
        self._log_p = np.log((counts.reshape(len(known), len(totals)) + UNSEEN) / (totals + 1.0))  # (W, K) ln P(word | intent)

    def __call__(self, text: str) -> FloatArray:
        """(K,) the tempered likelihood of the text's words, 1 for the best intent."""
        log_p = TEMPER * self._evidence(text)
        return np.asarray(np.exp(log_p - log_p.max(initial=-np.inf)), np.float64)

    def familiarity(self, text: str, intent: str, roles: Sequence[Role]) -> float:
        """Nats by which a clause is more in scope: an enrolled intent's words together with all of its required roles."""
        at = self._intents.index(intent)
        specs = self._domain.intents[intent].roles
        required = [name for name, spec in specs.items() if spec.required]
        filled = {role.name for role in roles if role.score >= LINKED and role.kind in specs[role.name].kinds}
        if not self._enrolled[at] or self._enrolled.all() or not filled.issuperset(required):
            return 0.0
        evidence = self._evidence(text)
        return SCOPE * float(np.clip(evidence[at] - evidence[~self._enrolled].mean(), 0.0, MOST))

    def _evidence(self, text: str) -> FloatArray:
        rows = sorted({self._row[word] for word in _stems(text) if word in self._row})
        return np.asarray(self._log_p[rows].sum(0), np.float64) if rows else np.zeros(len(self._intents))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, fixed_in((text,))))
