"""Recognition confidence: P(the sound was a sentence of the domain), rather than a cough, the radio or other talk.

A trigram model of commands turns any sound into the most likely command. A false one shows in three ways: its words, or some of them,
fit the sound much worse than the best phones; its word sequence is improbable; and other words fit as well. (pocketsphinx reports
acoustic scores relative to the best one of each frame, so they are already likelihood ratios. A second pass with a phone loop doubled
the run time without improvement.) A logistic regression combines these features; `sayso train speech` fits it and writes
config/speech.yaml.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from sayso.errors import DomainError, ModelError
from sayso.paths import config_dir
from sayso.types import FloatArray
from sayso.yaml_source import read_plain

SURE = 8.0  # limit of log odds, which are too large where a recogniser errs
FEATURES = ("fit", "worst_fit", "sequence", "worst_sequence", "posterior")  # of pocketsphinx, order of the weights


class SoundEvidence(Protocol):
    """What a recogniser found, on which a confidence is based."""

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in order."""
        ...

    @property
    def heard(self) -> bool:
        """Whether there are any words."""
        ...

    def features(self) -> FloatArray:
        """(len(names),)."""
        ...


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word of the best path, or a filler such as "<sil>"."""

    text: str
    first: int  # frame
    last: int  # frame, inclusive
    acoustic: float  # ln of the likelihood ratio to the best score of each frame, summed over frames
    language: float  # ln of the trigram probability
    posterior: float  # ln of the lattice posterior

    @property
    def spoken(self) -> bool:
        """Whether it is a word, not a pause or noise."""
        return not self.text.startswith(("<", "[", "++"))

    @property
    def frames(self) -> int:
        """Duration in frames."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """The best path, on which the confidence is based."""

    words: tuple[RecognisedWord, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in order."""
        return FEATURES

    @property
    def heard(self) -> bool:
        """Whether there are any words."""
        return any(word.spoken for word in self.words)

    def features(self) -> FloatArray:
        """(len(FEATURES),), natural logs per frame or per word; zeros if there are no words."""
        words = [word for word in self.words if word.spoken]
        if not words:
            return np.zeros(len(FEATURES))
        frames = sum(word.frames for word in words)
        fits = [word.acoustic / word.frames for word in words]
        languages = [word.language for word in words]
        return np.array(
            [
                sum(word.acoustic for word in words) / frames,
                min(fits),
                sum(languages) / len(words),
                min(languages),
                sum(word.posterior for word in words) / len(words),
            ]
        )


@dataclass(frozen=True, slots=True)
class Certainty:
    """P(the best text is right | accepted) from its share of the list and the confidence, both as log odds.

    A list of texts says too much or too little about its own best one: the right text may not be in it.
    """

    share: float  # weight of the log odds of the best text among the listed ones
    confidence: float  # weight of the log odds of the confidence
    bias: float
    listed: float  # P(another of the list is right | the best is not); the rest is for texts that are not listed

    def __call__(self, share: float, confidence: float) -> float:
        """In [0, 1]."""
        return 1.0 / (1.0 + math.exp(-(self.share * log_odds(share) + self.confidence * log_odds(confidence) + self.bias)))


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """P(sentence of the domain | evidence) = 1 / (1 + exp(−(w · f + b))), with a rejection threshold."""

    weights: tuple[float, ...]  # of the evidence's features
    bias: float
    threshold: float  # confidence below which an utterance is rejected
    typical: tuple[float, ...]  # mean features of true commands, for explaining a rejection
    temperature: float = 1.0  # by which log scores of texts are divided to get P(text | audio)
    certainty: Certainty | None = None  # None: the texts' probabilities are those of the scores alone

    def confidence(self, evidence: SoundEvidence) -> float:
        """In [0, 1]; 0 if no word was recognised."""
        if not evidence.heard:
            return 0.0
        score = float(np.dot(self.weights, evidence.features())) + self.bias
        return 1.0 / (1.0 + math.exp(-max(min(score, 500.0), -500.0)))

    def objection(self, evidence: SoundEvidence, confidence: float) -> str:
        """The reason for a rejection, for a person; empty if the utterance is accepted."""
        if confidence >= self.threshold:
            return ""
        if not evidence.heard:
            return "no words were recognised"
        losses = np.multiply(self.weights, np.subtract(self.typical, evidence.features()))
        reason = _REASONS[evidence.names[int(np.argmax(losses))]]
        return f"not a sentence of this home: {reason} (confidence {confidence:.2f}, {self.threshold:.2f} needed)"


def log_odds(p: float) -> float:
    """Ln(p / (1 − p)), within ±SURE."""
    bounded = min(max(p, 1e-9), 1.0 - 1e-9)
    return min(max(math.log(bounded / (1.0 - bounded)), -SURE), SURE)


_REASONS = {
    "fit": "the words fit the sound badly",
    "worst_fit": "one of the words fits the sound badly",
    "sequence": "no sentence has its words in this order",
    "worst_sequence": "no sentence has two of its words next to each other",
    "posterior": "it could as well be something else",
    "margin": "other words fit the sound better",
    "agreement": "the two recognisers heard different words",
    "second": "the second recogniser heard no command",
}


@lru_cache(maxsize=4)
def load_calibration(path: Path | None = None, section: str = "confidence", names: tuple[str, ...] = FEATURES) -> ConfidenceModel:
    """The weights of these features in a section of config/speech.yaml.

    Raises:
        ModelError: the file is missing or was not written by `sayso train speech`.
    """
    path = path or config_dir() / "speech.yaml"
    try:
        data = read_plain(path)[section]
        weights = tuple(float(data["weights"][name]) for name in names)
        typical = tuple(float(data["typical"][name]) for name in names)
        certainty = Certainty(**{name: float(value) for name, value in data["certainty"].items()}) if "certainty" in data else None
        temperature = float(data.get("temperature", 1.0))
        return ConfidenceModel(weights, float(data["bias"]), float(data["threshold"]), typical, temperature, certainty)
    except (DomainError, KeyError, TypeError, ValueError, OverflowError) as broken:
        reason = " ".join(f"{type(broken).__name__}: {broken}".split())
        raise ModelError(f"{path}: no calibration of the recogniser found ({reason}); run `sayso train speech`") from None
