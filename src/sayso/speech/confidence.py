"""How sure the recogniser is that it heard a sentence of the domain, and not a cough, the radio or other talk.

A trigram model made of commands turns any sound into the likeliest command. What gives a false one away: its words fit the sound
worse than the best phones would, some of its words far worse (pocketsphinx counts acoustic scores against the best one of each frame,
so they are likelihood ratios already; a second pass with a loop of phones was tried, took as long again and told no more); its words
follow each other as no sentence does; and other words would have done as well. A logistic regression weighs these; `sayso train
speech` fits it and writes config/speech.yaml.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import yaml

from sayso.errors import ModelError
from sayso.paths import config_dir
from sayso.types import FloatArray

FEATURES = ("fit", "worst_fit", "sequence", "worst_sequence", "posterior")  # order of the weights


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word of the best path; "<sil>" and its like among them."""

    text: str
    first: int  # frame
    last: int  # frame, inclusive
    acoustic: float  # ln of the likelihood ratio to the best-fitting sound in each frame, summed
    language: float  # ln of the trigram's probability
    posterior: float  # ln of its share of the lattice

    @property
    def spoken(self) -> bool:
        """Whether it is a word, not a pause or a noise."""
        return not self.text.startswith(("<", "[", "++"))

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """The best path, from which the confidence follows."""

    words: tuple[RecognisedWord, ...]

    def features(self) -> FloatArray:
        """(len(FEATURES),), natural logs per frame or per word; zeros where there is no word."""
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
class ConfidenceModel:
    """P(sentence of the domain | evidence) = 1 / (1 + exp(−(w · f + b))), and where to draw the line."""

    weights: tuple[float, ...]  # (len(FEATURES),)
    bias: float
    threshold: float  # below it an utterance is rejected
    typical: tuple[float, ...]  # (len(FEATURES),) mean of the features of true commands: to say what is wrong with a false one

    def confidence(self, evidence: Evidence) -> float:
        """In [0, 1]; 0 where no word was recognised."""
        if not any(word.spoken for word in evidence.words):
            return 0.0
        score = float(np.dot(self.weights, evidence.features())) + self.bias
        return 1.0 / (1.0 + math.exp(-max(min(score, 500.0), -500.0)))

    def objection(self, evidence: Evidence, confidence: float) -> str:
        """Why it is rejected, in words for a person; empty where it is not."""
        if confidence >= self.threshold:
            return ""
        if not any(word.spoken for word in evidence.words):
            return "no words were recognised"
        losses = np.multiply(self.weights, np.subtract(self.typical, evidence.features()))
        reason = _REASONS[FEATURES[int(np.argmax(losses))]]
        return f"not a sentence of this home: {reason} (confidence {confidence:.2f}, {self.threshold:.2f} needed)"


_REASONS = {
    "fit": "the words fit the sound badly",
    "worst_fit": "one of the words fits the sound badly",
    "sequence": "no sentence has its words in this order",
    "worst_sequence": "no sentence has two of its words next to each other",
    "posterior": "it could as well be something else",
}


@lru_cache(maxsize=1)
def load_calibration(path: Path | None = None) -> ConfidenceModel:
    """The weights in config/speech.yaml.

    Raises:
        ModelError: the file is missing or is not what `sayso train speech` writes.
    """
    path = path or config_dir() / "speech.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))["confidence"]
        weights = tuple(float(data["weights"][name]) for name in FEATURES)
        typical = tuple(float(data["typical"][name]) for name in FEATURES)
        return ConfidenceModel(weights, float(data["bias"]), float(data["threshold"]), typical)
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as broken:
        reason = " ".join(f"{type(broken).__name__}: {broken}".split())
        raise ModelError(f"{path}: no calibration of the recogniser in it ({reason}); run `sayso train speech`") from None
