"""What both Whisper recognisers share: what of a beam is kept, in which order, and when nothing was said.

Whisper knows English and nothing of the home: it hears "go to the duck". The domain's trigram rescores its n-best list,
ln P(t) = ln P_whisper(t | audio) + λ (ln P_domain(t) + γ |t|), |t| in words. Words outside the domain stay possible.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.numbers import number_words
from sayso.speech.domain_words import DomainWords
from sayso.speech.recogniser import Recognition, normalised
from sayso.types import SAMPLE_RATE

BEAM = 8
# whisper's default thresholds
NO_SPEECH = 0.6  # above: no speech
LEAST_LOG_P = -1.0  # nats per token; below: the decoding failed
REPETITION = 2.4  # compression ratio of the text; above: it repeats itself, as on noise
LAMBDA, GAMMA = 0.3, 2.0
LONGEST = 30.0  # s, on which Whisper was trained
LEAST_CONTEXT, AFTER = 6.0, 2.0  # s that the encoder sees at least, and of silence after the sound


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One text of the beam."""

    text: str  # as Whisper writes it
    log_p: float  # nats, the sum over its tokens and the end
    tokens: int  # with the end

    @property
    def per_token(self) -> float:
        """Mean log-probability, nats."""
        return self.log_p / self.tokens


class TextChoice:
    """The beam of an utterance → Recognition, with the domain's opinion on its texts."""

    def __init__(self, domain: Domain | None, alternatives: int) -> None:
        """Without a domain, Whisper's own order."""
        self._alternatives = alternatives
        self._domain = DomainWords(domain) if domain is not None else None

    def __call__(self, beam: Sequence[Hypothesis], no_speech: float) -> Recognition:
        """Alternatives without case and punctuation, best first; `no_speech` is Whisper's probability of no speech."""
        heard: dict[str, Hypothesis] = {}
        scores: dict[str, float] = {}
        for each in sorted(beam, key=lambda each: -each.log_p):
            text = spoken(each.text)
            if text:
                scores[text] = float(np.logaddexp(scores[text], each.log_p)) if text in scores else each.log_p
                heard.setdefault(text, each)
        scores = _said_once(scores)
        if not scores or (no_speech > NO_SPEECH and max(each.per_token for each in beam) < LEAST_LOG_P):
            return Recognition((), 0.0, f"no speech in it (probability {no_speech:.2f})")
        texts = normalised([(text, score + self._likely(text)) for text, score in scores.items()], self._alternatives)
        best = heard[texts[0].text]
        return Recognition(texts, float(np.clip(np.exp(best.per_token), 0.0, 1.0)), _objection(best))

    def _likely(self, text: str) -> float:
        return LAMBDA * (self._domain(text) + GAMMA * len(text.split())) if self._domain is not None else 0.0


def _objection(best: Hypothesis) -> str:
    if best.per_token < LEAST_LOG_P:
        return f"the words are too doubtful ({best.per_token:.2f} nats a token)"
    written = best.text.encode()
    if len(written) / len(zlib.compress(written)) > REPETITION:
        return "it says the same over and over, as whisper does on noise"
    return ""


def plain(text: str) -> str:
    """The text in lower case without punctuation except apostrophes: "Go to the kitchen, please." → "go to the kitchen please"."""
    return " ".join(re.sub(r"[^\w' ]+|_", " ", text.lower().replace("’", "'")).split())


def spoken(text: str) -> str:
    """The plain text with its numbers in words, as the domain has them: "Turn 90 degrees." → "turn ninety degrees"."""
    return re.sub(r"\b\d{1,4}\b", lambda digits: number_words(int(digits[0])), plain(text))


def _said_once(scores: dict[str, float]) -> dict[str, float]:
    """The texts that do not say a part twice in a row, if there are any: with little silence after the speech, Whisper says it again."""
    return {text: score for text, score in scores.items() if not repeats(text.split())} or scores


def repeats(words: Sequence[str]) -> bool:
    """Whether a whole text is one part twice or more, or has a part of at least three words twice in a row."""
    size = len(words)
    if any(list(words) == (list(words[:n]) * size)[:size] for n in range(1, size // 2 + 1)):
        return True
    return any(words[at : at + n] == words[at + n : at + 2 * n] for n in range(3, size // 2 + 1) for at in range(size - 2 * n + 1))


def most_tokens(samples: NDArray[np.int16]) -> int:
    """More than anyone says in this time: a beam in a loop ends here."""
    return min(10 + 6 * len(samples) // SAMPLE_RATE, 224)


def in_context(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    """(N,) int16 → (M,) in [-1, 1], with silence up to the context that the encoder needs, at most 30 s.

    Whisper was trained on 30 s, and its encoder costs accordingly. With less than some silence after the speech it repeats the text.
    """
    seconds = min(max(len(samples) / SAMPLE_RATE + AFTER, LEAST_CONTEXT), LONGEST)
    sound = np.zeros(round(seconds * 50) * SAMPLE_RATE // 50, np.float32)  # the encoder's vectors are 20 ms apart
    cut = samples[: len(sound)].astype(np.float32) / 32768.0
    sound[: len(cut)] = cut
    return sound
