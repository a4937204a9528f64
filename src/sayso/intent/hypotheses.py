"""The texts that a recogniser wavers between, weighed anew by what people say: P(t|audio) ∝ P_recogniser(t) · (P_LM(t) e^{γ|t|})^α.

|t| counts words. ln P of a text falls with each word, so that by itself it would always prefer the shorter of two texts; γ, about what a
word costs on average, makes up for that (the word-insertion constant of decoders). ln P divided by the number of words was not chosen:
it is no longer a factor of a posterior, and a long text full of commonplaces would hide one word that nobody says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.intent.reject import MAX_CHARACTERS
from sayso.types import FloatArray, Transcript, TranscriptAlternative

MOST = 8  # texts; of a longer list the rest is dropped, so that the time is bounded


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Weighs and reorders the alternatives of a transcript."""

    log_p: Callable[[Sequence[str]], FloatArray]  # of the language model: (N,) nats
    plain: PlainText  # puts the domain's names out of the way: they are no less likely than those that the model has met
    weight: float  # α; 0 leaves the recogniser's order
    per_word: float  # γ, nats

    def __call__(self, transcript: Transcript) -> Transcript:
        """The transcript with its alternatives in the new order, their probabilities normalised; one text alone stays as it is."""
        alternatives = transcript.alternatives[:MOST]
        if self.weight == 0.0 or len(alternatives) < 2:
            return transcript
        texts = [as_learnt(alternative.text, self.plain) for alternative in alternatives]
        words = np.array([len(text.split()) for text in texts])
        scores = np.array([alternative.log_p for alternative in alternatives])
        scores = scores + self.weight * (self.log_p(texts) + self.per_word * words)
        scores[words == 0] = -np.inf
        total = np.logaddexp.reduce(scores)
        if not np.isfinite(total):  # no words in any, or no probabilities
            return transcript
        scores = scores - total
        weighed = tuple(TranscriptAlternative(alternatives[at].text, float(scores[at])) for at in np.argsort(-scores, kind="stable"))
        return replace(transcript, alternatives=weighed)


def as_learnt(text: str, plain: PlainText) -> str:
    """The text as the language model is to read it: normalised, without commas, which recognisers do not write, with plain names."""
    return plain(normalise(text[:MAX_CHARACTERS]).replace(",", ""))
