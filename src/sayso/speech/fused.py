"""The default recogniser: Moonshine with the domain's n-gram, and pocketsphinx as the second opinion.

Both hear the whole utterance. The words that pocketsphinx heard are more likely in Moonshine's search, and are compared with the result:
two recognisers built so differently seldom make the same mistake.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from sayso.domain import Domain
from sayso.speech.confidence import ConfidenceModel, Evidence, load_calibration, log_odds
from sayso.speech.fusion import Fused, FusedDecoder, prepared
from sayso.speech.moonshine import Moonshine, packaged
from sayso.speech.pieces import read_pieces
from sayso.speech.recogniser import Recognition, normalised, pooled, with_best
from sayso.speech.sphinx import SphinxRecogniser
from sayso.speech.stopping.words import is_stop_text
from sayso.speech.word_ngram import word_ngram
from sayso.speech.wording import Opinion
from sayso.types import SAMPLE_RATE, FloatArray, TranscriptAlternative

LONGEST = 30.0  # s, the longest sound that Moonshine was trained on
FUSED_FEATURES = ("fit", "worst_fit", "sequence", "margin", "posterior", "agreement", "second")
LISTED = 5  # texts among which the best one has its share
SECTION = "fused_confidence"  # of config/speech.yaml
SECOND = 0.35  # P(pocketsphinx is right | the best text is wrong), where they differ: equation 44


@dataclass(frozen=True, slots=True)
class FusedEvidence:
    """What both recognisers heard, on which the confidence is based."""

    fused: Fused
    second: str  # pocketsphinx's best text
    second_path: Evidence  # on which its confidence is based
    second_log_odds: float  # of its confidence
    sequence: float  # ln P(best text) in the domain, without pocketsphinx's opinion

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in order."""
        return FUSED_FEATURES

    @property
    def heard(self) -> bool:
        """Whether there are any words."""
        return bool(self.fused.texts)

    def features(self) -> FloatArray:
        """(len(FUSED_FEATURES),), logs for each word except `worst_fit` and `posterior`, which are logs, and shares."""
        if not self.heard:
            return np.zeros(len(FUSED_FEATURES))
        best, free = self.fused.texts[0], self.fused.free
        total = float(np.logaddexp.reduce([text.score for text in self.fused.texts]))
        return np.array(
            [
                best.acoustic / best.count,
                best.worst,
                self.sequence / (best.count + 1),
                min(best.acoustic - free.acoustic, 0.0) / best.count,
                best.score - total,
                alike(best.text, self.second),
                self.second_log_odds,
            ]
        )


class FusedRecogniser:
    """Decodes an utterance: pocketsphinx while it goes on, Moonshine when it pauses. Not thread-safe."""

    def __init__(
        self, domain: Domain, alternatives: int = 5, calibration: ConfidenceModel | None = None, second: ConfidenceModel | None = None
    ) -> None:
        """`second` is the calibration of pocketsphinx; both default to config/speech.yaml.

        Builds the language models of the domain if they are not cached, which takes some seconds.

        Raises:
            ModelError: the package moonshine-voice is missing or altered, or config/speech.yaml has no weights.
        """
        self._moonshine = Moonshine()
        self._ngram = word_ngram(domain)
        self._decoder = FusedDecoder(self._moonshine, read_pieces(packaged("pieces")), self._ngram)
        self._sphinx = SphinxRecogniser(domain, calibration=second)
        self._beside = ThreadPoolExecutor(1, "pocketsphinx")
        self._domain, self._alternatives = domain, alternatives
        self.calibration = calibration or load_calibration(section=SECTION, names=FUSED_FEATURES)

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 at 16 kHz → alternatives and confidence."""
        if len(samples) > LONGEST * SAMPLE_RATE:
            return Recognition((), 0.0, f"the sound lasts {len(samples) / SAMPLE_RATE:.0f} s; no command is longer than {LONGEST:.0f} s")
        return self.recognition(self.evidence(samples))

    def begin(self) -> None:
        """An utterance begins."""
        self._sphinx.begin()

    def hear(self, samples: NDArray[np.int16]) -> None:
        """(N,) its next samples."""
        self._sphinx.hear(samples)

    def partial(self) -> str:
        """A first text of what it has heard so far, by pocketsphinx."""
        return self._sphinx.partial()

    def so_far(self) -> Recognition:
        """What it has heard so far."""
        return self.recognition(self._evidence())

    def recognition(self, evidence: FusedEvidence) -> Recognition:
        """Alternatives and confidence, from what both heard."""
        if not evidence.heard:
            return Recognition((), 0.0, "no words were recognised")
        confidence = self.calibration.confidence(evidence)
        rejected = self._stop_missed(evidence) or self.calibration.objection(evidence, confidence)
        return Recognition(self._likely(evidence, confidence), confidence, rejected)

    def evidence(self, samples: NDArray[np.int16]) -> FusedEvidence:
        """What both heard in a whole sound, without confidence or rejection."""
        self.begin()
        self.hear(samples)
        return self._evidence()

    def _evidence(self) -> FusedEvidence:
        # Its bindings hold Python's lock while they search, so only Moonshine's encoder runs at the same time: 10 to 40 ms less.
        samples = self._sphinx.sound
        second = self._beside.submit(self._sphinx.decoded)
        vectors = self._moonshine.vectors(prepared(samples))
        heard = second.result()
        fused = self._decoder(vectors, len(samples) / SAMPLE_RATE, Opinion(heard.texts))
        sequence = self._ngram.log_p(fused.texts[0].text) if fused.texts else 0.0
        text = heard.texts[0][0] if heard.texts else ""
        return FusedEvidence(fused, text, heard.evidence, log_odds(self._sphinx.calibration.confidence(heard.evidence)), sequence)

    def _likely(self, evidence: FusedEvidence, confidence: float) -> tuple[TranscriptAlternative, ...]:
        """The texts with pocketsphinx's among them, which takes nothing from a stop."""
        texts = likely_texts(evidence.fused, self.calibration, self._alternatives)
        if evidence.second and not any(is_stop_text(each.text, self._domain) for each in texts):
            texts = pooled(texts, evidence.second, SECOND * (1.0 - confidence), self._alternatives)
        certainty = self.calibration.certainty
        if certainty is None or texts[0].text != evidence.fused.texts[0].text:
            return texts
        return with_best(texts, p_best(evidence.fused, self.calibration, confidence), certainty.listed)

    def _stop_missed(self, evidence: FusedEvidence) -> str:
        """Why it may have been a stop that was taken for another command: no robot may drive off because of one."""
        others = (evidence.second, evidence.fused.free.text)
        if is_stop_text(evidence.fused.texts[0].text, self._domain) or not any(is_stop_text(text, self._domain) for text in others):
            return ""
        return "one of the two recognisers heard a stop"


def likely_texts(fused: Fused, calibration: ConfidenceModel, limit: int) -> tuple[TranscriptAlternative, ...]:
    """The best texts, at most `limit`, with their shares of the list."""
    return normalised([(text.text, text.score / calibration.temperature) for text in fused.texts], limit)


def p_best(fused: Fused, calibration: ConfidenceModel, confidence: float) -> float:
    """P(the best text is right | accepted)."""
    share = math.exp(likely_texts(fused, calibration, LISTED)[0].log_p)
    return share if calibration.certainty is None else calibration.certainty(share, confidence)


def alike(one: str, other: str) -> float:
    """Share of equal words, in [0, 1]."""
    return Levenshtein.normalized_similarity(one.split(), other.split())
