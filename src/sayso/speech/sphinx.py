"""pocketsphinx with the domain's trigram model: the default recogniser, offline and always available."""

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

SHIFT = 1024.0  # pocketsphinx stores path and language scores divided by this, and reports exp(score / 1024)
TINY = 5e-324  # stands for scores reported as 0
ACOUSTIC_SCALE = 20.0  # factor by which its acoustic scores are overconfident (its `ascale`)
N_BEST = 60  # paths to read; many differ only in pauses
# Language weights in its three passes. It scores the sound in every second frame only: 30 % less time, and as many sentences right.
DECODER = {"lw": 8.0, "fwdflatlw": 10.0, "bestpathlw": 11.0, "ds": 2}


@dataclass(frozen=True, slots=True)
class Decoding:
    """The decoder's result."""

    texts: tuple[tuple[str, float], ...]  # (words, log score), best first
    evidence: Evidence


class SphinxRecogniser:
    """Decodes a whole utterance at once; like pocketsphinx, not thread-safe."""

    def __init__(self, domain: Domain, alternatives: int = 5, calibration: ConfidenceModel | None = None) -> None:
        """Builds the language model of the domain if it is not cached, which takes some seconds."""
        from pocketsphinx import Decoder

        model = language_model(domain)
        self._decoder: Any = Decoder(lm=str(model.arpa), dict=str(model.dictionary), loglevel="FATAL", **DECODER)
        self._alternatives = alternatives
        self.calibration = calibration or load_calibration()

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → alternatives and confidence."""
        decoding = self.decode(samples)
        if not decoding.texts:
            return Recognition((), 0.0, "no words were recognised")
        confidence = self.calibration.confidence(decoding.evidence)
        return Recognition(
            normalised(decoding.texts, self._alternatives), confidence, self.calibration.objection(decoding.evidence, confidence)
        )

    def decode(self, samples: NDArray[np.int16]) -> Decoding:
        """Texts and evidence, without confidence or rejection."""
        decoder = self._decoder
        with warnings.catch_warnings():  # declared unnecessary, but without it earlier noise changes the scores
            warnings.simplefilter("ignore", DeprecationWarning)
            decoder.start_stream()
        decoder.start_utt()
        decoder.process_raw(samples.tobytes(), no_search=False, full_utt=True)
        decoder.end_utt()
        best = decoder.hyp()
        if best is None or not best.hypstr:
            return Decoding((), Evidence(()))
        return Decoding(self._n_best(best.hypstr), Evidence(tuple(_word(part) for part in decoder.seg())))

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
