"""What both Whisper recognisers share: what of a beam is kept, in which order, and when nothing was said.

Whisper knows English and nothing of the home: it hears "go to the duck", and a name such as Carla is in none of its texts. So
pocketsphinx, which hears only sentences of the home, adds its own texts, and Whisper scores them on the same sound. Among all texts,

ln P(t) = ln P_whisper(t | audio) + λ (ln P_domain(t) + γ |t|) + μ ln P_pocketsphinx(t | audio), |t| in words.

Words outside the domain stay possible.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.numbers import number_words
from sayso.speech.confidence import load_calibration
from sayso.speech.domain_words import DomainWords
from sayso.speech.recogniser import Recognition, normalised
from sayso.speech.sphinx import SphinxRecogniser
from sayso.types import SAMPLE_RATE

BEAM = 8
# thresholds; without a remark, whisper's own
NO_SPEECH = 0.6  # above: no speech
LEAST_LOG_P = -1.0  # nats per token; below: the decoding failed
LEAST_AGREED = -2.5  # the same, where pocketsphinx accepts the same text: Whisper finds the names of a home unlikely
REPETITION = 2.4  # compression ratio of the text; above: it repeats itself, as on noise
# Fitted by sentences right on synthetic tuning voices with noise
LAMBDA, GAMMA, MU = 0.5, 2.0, 0.3
# nats per word in the domain; below: talk about other things. Commands of the same voices have −3.2 or more, "take the tupperware to the
# garage" has −4.9 where the home knows neither.
LEAST_LIKELY = -5.5
FARTHEST, UNHEARD = 15.0, 3.0  # nats of pocketsphinx: its least likely texts, and those that it did not hear at all
LONGEST = 30.0  # s, on which Whisper was trained
LEAST_CONTEXT, AFTER = 6.0, 2.0  # s that the encoder sees at least, and of silence after the sound


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One text of the beam."""

    text: str  # as Whisper writes it
    log_p: float  # nats, the sum over its tokens
    tokens: int

    @property
    def per_token(self) -> float:
        """Mean log-probability, nats."""
        return self.log_p / self.tokens


@dataclass(frozen=True, slots=True)
class Listened:
    """What Whisper makes of one utterance."""

    beam: Sequence[Hypothesis]
    no_speech: float  # probability
    score: Callable[[Sequence[str]], Sequence[Hypothesis]]  # of texts that are not in the beam, on the same sound


class TextChoice:
    """What Whisper makes of an utterance → Recognition, with the domain's opinion on the texts."""

    def __init__(self, domain: Domain | None, alternatives: int) -> None:
        """Without a domain, Whisper's own order. pocketsphinx knows English only."""
        self._alternatives = alternatives
        self._domain = DomainWords(domain) if domain is not None else None
        self._second = SphinxRecogniser(domain) if domain is not None and domain.language == "en" else None
        people = domain.people.values() if domain is not None else ()
        self._names = {word for person in people for name in person.names for word in name.split()} - {"you"}

    def __call__(self, samples: NDArray[np.int16], heard: Listened) -> Recognition:
        """Alternatives without case and punctuation, best first."""
        own: dict[str, Hypothesis] = {}
        scores: dict[str, float] = {}
        for each in sorted(heard.beam, key=lambda each: -each.log_p):
            text = spoken(each.text)
            if text:
                scores[text] = float(np.logaddexp(scores[text], each.log_p)) if text in scores else each.log_p
                own.setdefault(text, each)
        if not scores or (heard.no_speech > NO_SPEECH and max(each.per_token for each in own.values()) < LEAST_LOG_P):
            return Recognition((), 0.0, f"no speech in it (probability {heard.no_speech:.2f})")
        scores = _said_once(scores)
        other, agreed = self._other(samples)
        for text, each in zip(other, heard.score([written(text, self._names) for text in other]), strict=True):
            scores[text] = max(scores.get(text, each.log_p), each.log_p)
            own.setdefault(text, each)
        least = min(other.values(), default=0.0) - UNHEARD
        texts = normalised(
            [(text, score + self._likely(text) + MU * other.get(text, least)) for text, score in scores.items()], self._alternatives
        )
        best = own[texts[0].text]
        confidence = float(np.clip(np.exp(best.per_token), 0.0, 1.0))
        if agreed and texts[0].text == next(iter(other)) and best.per_token > LEAST_AGREED:
            return Recognition(texts, max(confidence, agreed))
        return Recognition(texts, confidence, _objection(best) or self._foreign(texts[0].text))

    def _likely(self, text: str) -> float:
        return LAMBDA * (self._domain(text) + GAMMA * len(text.split())) if self._domain is not None else 0.0

    def _foreign(self, text: str) -> str:
        """The objection that it is well-heard talk about other things than this home's."""
        per_word = self._domain(text) / (len(text.split()) + 1) if self._domain is not None else 0.0
        return f"not a sentence of this home ({per_word:.1f} nats a word)" if per_word < LEAST_LIKELY else ""

    def _other(self, samples: NDArray[np.int16]) -> tuple[dict[str, float], float]:
        """Pocketsphinx's texts with their log scores relative to the best one, and its confidence in that, 0 if it rejects it."""
        if self._second is None:
            return {}, 0.0
        decoding, calibration = self._second.decode(samples), load_calibration()
        texts, confidence = decoding.texts[:BEAM], calibration.confidence(decoding.evidence)
        accepted = not calibration.objection(decoding.evidence, confidence)
        return {text: max(score - texts[0][1], -FARTHEST) for text, score in texts}, confidence if accepted else 0.0


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


def written(text: str, names: Collection[str]) -> str:
    """The words as Whisper writes a sentence: "i want anna" → "I want Anna."."""
    words = [word.capitalize() if word in names or word == "i" or word.startswith("i'") else word for word in text.split()]
    sentence = " ".join(words)
    return f"{sentence[:1].upper()}{sentence[1:]}."


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
