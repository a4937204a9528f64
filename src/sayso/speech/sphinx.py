"""pocketsphinx with the domain's trigram model: offline, always available, and at work while the person speaks.

It needs the mean of the cepstra, by which it tells a loud voice or a dull microphone from the words. That of the whole utterance is known
too late, so it takes that of the first second.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.speech.confidence import ConfidenceModel, Evidence, RecognisedWord, load_calibration
from sayso.speech.language_model import language_model
from sayso.speech.recogniser import Recognition, normalised
from sayso.types import SAMPLE_RATE, FloatArray

SHIFT = 1024.0  # pocketsphinx stores path and language scores divided by this, and reports exp(score / 1024)
TINY = 5e-324  # stands for scores reported as 0
ACOUSTIC_SCALE = 20.0  # factor by which its acoustic scores are overconfident (its `ascale`)
N_BEST = 60  # paths to read; many differ only in pauses
# Language weights in its three passes. It scores the sound in every second frame only: 30 % less time, and as many sentences right.
DECODER = {"lw": 8.0, "fwdflatlw": 10.0, "bestpathlw": 11.0, "ds": 2}
FIRST = SAMPLE_RATE  # samples before the search begins
BLOCK = 512  # samples that are searched at a time
WINDOW, HOP, PRIOR = 410, 160, 500  # samples of a frame, and from one to the next; frames that a given mean counts for
# Mean cepstra of commands in the tuning voices: a single second holds too few different sounds, so both means count the same, except in the
# first coefficient, the loudness.
TYPICAL = np.array([61.86, -0.05, -0.95, 10.52, -3.86, -1.23, 0.25, -8.51, -2.7, -2.02, 2.88, 0.85, -3.91])
OWN = np.array([1.0, *[0.5] * (len(TYPICAL) - 1)])  # share of the first second


@dataclass(frozen=True, slots=True)
class Decoding:
    """The decoder's result."""

    texts: tuple[tuple[str, float], ...]  # (words, log score), best first
    evidence: Evidence


class SphinxRecogniser:
    """Decodes an utterance, at once or while it goes on; like pocketsphinx, not thread-safe."""

    def __init__(self, domain: Domain, alternatives: int = 5, calibration: ConfidenceModel | None = None) -> None:
        """Builds the language model of the domain if it is not cached, which takes some seconds."""
        from pocketsphinx import Decoder

        model = language_model(domain)
        self._decoder: Any = Decoder(lm=str(model.arpa), dict=str(model.dictionary), loglevel="FATAL", **DECODER)
        self._alternatives = alternatives
        self.calibration = calibration or load_calibration()
        self._searched = 0  # samples, since the beginning of the search that goes on
        self.begin()

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → alternatives and confidence."""
        return self._recognition(self.decode(samples))

    def begin(self) -> None:
        """An utterance begins; one that was not finished is given up."""
        if self._searched:
            self._decoder.end_utt()
        self.sound: NDArray[np.int16] = np.empty(0, np.int16)  # all of it
        self._searched = 0

    def hear(self, samples: NDArray[np.int16]) -> None:
        """(N,) its next samples. After `decoded`, the search begins again."""
        self.sound = np.concatenate([self.sound, samples])
        if len(self.sound) >= FIRST:
            self._search()

    def partial(self) -> str:
        """The most likely text so far; empty in the first second."""
        best = self._decoder.hyp() if self._searched else None
        return " ".join(_spelled(word) for word in best.hypstr.split()) if best is not None else ""

    def so_far(self) -> Recognition:
        """What it has heard so far."""
        return self._recognition(self.decoded())

    def decode(self, samples: NDArray[np.int16]) -> Decoding:
        """Texts and evidence of a whole sound, without confidence or rejection."""
        self.begin()
        self.hear(samples)
        return self.decoded()

    def decoded(self) -> Decoding:
        """Texts and evidence of what it has heard so far."""
        if len(self.sound) < BLOCK:
            return Decoding((), Evidence(()))
        self._search()
        self._search_block(self.sound[self._searched :])
        self._decoder.end_utt()
        self._searched = 0
        best = self._decoder.hyp()
        if best is None or not best.hypstr:
            return Decoding((), Evidence(()))
        return Decoding(self._n_best(best.hypstr), Evidence(tuple(_word(part) for part in self._decoder.seg())))

    def _recognition(self, decoding: Decoding) -> Recognition:
        if not decoding.texts:
            return Recognition((), 0.0, "no words were recognised")
        confidence = self.calibration.confidence(decoding.evidence)
        return Recognition(
            normalised(decoding.texts, self._alternatives), confidence, self.calibration.objection(decoding.evidence, confidence)
        )

    def _start(self, first: NDArray[np.int16]) -> None:
        """Begin a search, given the sound whose mean cepstra count."""
        mean = OWN * self._cepstra(first) + (1.0 - OWN) * TYPICAL
        self._listen_anew()
        self._decoder.set_cmn(",".join(f"{value:.4f}" for value in mean))
        self._decoder.start_utt()

    def _search(self) -> None:
        """Search the complete blocks that are new: always the same ones, since their length makes a difference."""
        if not self._searched:
            self._start(self.sound[:FIRST])
        while len(self.sound) - self._searched >= BLOCK:
            self._search_block(self.sound[self._searched : self._searched + BLOCK])
            self._searched += BLOCK

    def _search_block(self, block: NDArray[np.int16]) -> None:
        if len(block):
            self._decoder.process_raw(block.tobytes(), no_search=False, full_utt=False)

    def _cepstra(self, samples: NDArray[np.int16]) -> FloatArray:
        """(13,) their mean over the sound. The decoder counts what it was given before as PRIOR frames: here, zeros."""
        self._listen_anew()
        self._decoder.set_cmn(",".join("0" * len(TYPICAL)))
        self._decoder.start_utt()
        self._decoder.process_raw(samples.tobytes(), no_search=True, full_utt=False)
        mean = np.array([float(value) for value in self._decoder.get_cmn(True).split(",")])
        self._decoder.end_utt()
        frames = max((len(samples) - WINDOW) // HOP + 1, 1)
        return mean * (PRIOR + frames) / frames

    def _listen_anew(self) -> None:
        with warnings.catch_warnings():  # declared unnecessary, but without it earlier noise changes the scores
            warnings.simplefilter("ignore", DeprecationWarning)
            self._decoder.start_stream()

    def _n_best(self, best: str) -> tuple[tuple[str, float], ...]:
        """Texts with the log of the sum of their paths' scores; always includes the best path's text."""
        scores: dict[str, float] = {}
        for path, _ in zip(self._decoder.nbest(), range(N_BEST), strict=False):
            if path is None:
                break
            text = " ".join(_spelled(word) for word in path.hypstr.split())
            if text:
                score = SHIFT * math.log(max(path.score, TINY)) / ACOUSTIC_SCALE
                scores[text] = float(np.logaddexp(scores[text], score)) if text in scores else score
        top = max(scores.values(), default=0.0)
        scores[best] = max(scores.get(best, top), top)  # the n-best search is approximate, the best path exact
        return tuple(sorted(scores.items(), key=lambda item: -item[1]))


def _word(part: Any) -> RecognisedWord:
    """The segment with its scores as natural logs; the bindings return exp(acoustic score) and exp(language score / 1024)."""
    acoustic, language, posterior = (math.log(max(score, TINY)) for score in (part.ascore, part.lscore, part.prob))
    return RecognisedWord(
        _spelled(part.word), part.start_frame, part.end_frame, acoustic, SHIFT * language / DECODER["bestpathlw"], posterior
    )


def _spelled(word: str) -> str:
    """The word without its pronunciation number: "the(2)" → "the"."""
    return word.split("(", 1)[0]
