"""Rescores a recogniser's n-best texts with the command language model: P(t|audio) ∝ P_recogniser(t) · (P_LM(t) e^{γ|t|})^α.

|t| is the number of words. ln P falls with every word and alone would favour shorter texts. γ, about the average cost of a word,
compensates (the word-insertion constant of decoders). Dividing ln P by the number of words is no alternative: it would no longer be a
factor of a posterior, and many common words could hide an implausible one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.intent.reject import MAX_CHARACTERS
from sayso.types import FloatArray, Transcript, TranscriptAlternative

MOST = 8  # texts; the rest of a longer list is dropped to bound the run time


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Rescores and reorders the alternatives of a transcript."""

    log_p: Callable[[Sequence[str]], FloatArray]  # the language model, (N,) nats
    plain: PlainText  # replaces the domain's names, which are as likely as the names in the training data
    weight: float  # α; 0 keeps the recogniser's order
    per_word: float  # γ, nats

    def __call__(self, transcript: Transcript) -> Transcript:
        """The transcript with rescored, reordered and normalised alternatives; unchanged if there is only one text."""
        alternatives = transcript.alternatives[:MOST]
        if self.weight == 0.0 or len(alternatives) < 2:
            return transcript
        texts = [as_learnt(alternative.text, self.plain) for alternative in alternatives]
        words = np.array([len(text.split()) for text in texts])
        scores = np.array([alternative.log_p for alternative in alternatives])
        scores = scores + self.weight * (self.log_p(texts) + self.per_word * words)
        scores[words == 0] = -np.inf
        total = np.logaddexp.reduce(scores)
        if not np.isfinite(total):  # no text has words, or a probability is invalid
            return transcript
        scores = scores - total
        rescored = tuple(TranscriptAlternative(alternatives[at].text, float(scores[at])) for at in np.argsort(-scores, kind="stable"))
        return replace(transcript, alternatives=rescored)


def as_learnt(text: str, plain: PlainText) -> str:
    """The text in the form of the training data: normalised, without commas (recognisers write none), with plain names."""
    return plain(normalise(text[:MAX_CHARACTERS]).replace(",", ""))
