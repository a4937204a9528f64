"""The stage speech_to_text: sound of one utterance → Transcript, with Moonshine and pocketsphinx together, or with another recogniser."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AudioError
from sayso.speech.condition import LIMIT
from sayso.speech.ending import SentenceEnd
from sayso.speech.endpoint import Utterance
from sayso.speech.ongoing import OngoingEar
from sayso.speech.recogniser import OngoingRecogniser, Recogniser, Recognition
from sayso.speech.word_ngram import WordNgram, word_ngram
from sayso.types import SAMPLE_RATE, Transcript

SILENT = 30.0  # int16 root mean square, −61 dBFS; speech is always louder
SHORTEST = 0.1  # s
CLIPPED = 0.3  # share of samples at the limits; beyond it, synthetic voices gave 1 right and 3 wrong commands in 40

Backend = Literal["moonshine", "pocketsphinx", "whisper", "faster_whisper"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """Choice and parameters of the recogniser."""

    backend: Backend = "moonshine"  # with pocketsphinx beside it; pocketsphinx alone where its package is missing
    alternatives: int = 5  # maximum number of texts
    whisper_weights: Path | None = None  # openai-whisper: a .pt file, None: from its cache; faster-whisper: a folder


class SpeechToText:
    """Sound of one utterance → Transcript. Loads its models once; not thread-safe."""

    def __init__(self, domain: Domain, options: SpeechOptions | None = None) -> None:
        """Raises ModelError if the recogniser's weights are missing."""
        self.options, self._domain = options or SpeechOptions(), domain
        self.recognise = _recogniser(domain, self.options)

    def ear(self) -> OngoingEar | None:
        """Recognises while a person speaks, for an Endpointer; None for Whisper, which needs the whole sentence."""
        if not isinstance(self.recognise, OngoingRecogniser):
            return None
        return OngoingEar(self.recognise, SentenceEnd(self._ngram))

    @cached_property
    def _ngram(self) -> WordNgram:
        return word_ngram(self._domain)

    def transcript(self, utterance: Utterance, utterance_id: str = "") -> Transcript:
        """The transcript of an utterance, whose text its Ear may know already."""
        known = utterance.pause.recognition if utterance.pause is not None else None
        return self(utterance.samples, utterance.started, utterance_id, utterance.ended, known)

    def __call__(
        self,
        samples: NDArray[np.int16],
        started: float = 0.0,
        utterance_id: str = "",
        ended: float | None = None,
        known: Recognition | None = None,
    ) -> Transcript:
        """The transcript of one utterance; `rejected` says why it must not be acted on.

        Args:
            samples: (N,) int16 mono at 16 kHz, one utterance from an Endpointer.
            started: s, start of the speech.
            utterance_id: copied to the transcript; generated if empty.
            ended: s, end of the speech; default: the end of the samples.
            known: what was recognised in the samples, if that was done before.

        Raises:
            AudioError: the samples have another shape or type.
        """
        if samples.ndim != 1 or samples.dtype != np.int16:
            raise AudioError(f"speech_to_text needs (N,) int16 samples at {SAMPLE_RATE} Hz, not {samples.shape} {samples.dtype}")
        result = _no_speech(samples) or known or self.recognise(samples)
        if not result.rejected and float((np.abs(samples.astype(np.int32)) >= LIMIT).mean()) > CLIPPED:  # a shouted "stop" keeps its text
            result = replace(result, rejected="the sound is clipped: lower the gain of the microphone")
        stamp = started + len(samples) / SAMPLE_RATE if ended is None else ended
        return Transcript(utterance_id or uuid4().hex[:12], stamp, result.alternatives, result.confidence, started, result.rejected)


def _recogniser(domain: Domain, options: SpeechOptions) -> Recogniser:
    if options.backend == "whisper":
        from sayso.speech.whisper import WhisperRecogniser

        return WhisperRecogniser(options.whisper_weights, options.alternatives, domain)
    if options.backend == "faster_whisper":
        from sayso.speech.faster_whisper import FasterWhisperRecogniser

        return FasterWhisperRecogniser(options.whisper_weights, options.alternatives, domain)
    if domain.language != "en":
        why = "%s knows English only, the domain is in '%s': take the backend whisper or faster_whisper"
        _LOG.warning(why, options.backend, domain.language)
    if options.backend == "moonshine":
        from sayso.speech import moonshine

        missing = moonshine.missing()
        if not missing:
            from sayso.speech.fused import FusedRecogniser

            return FusedRecogniser(domain, options.alternatives)
        _LOG.warning("%s; until then pocketsphinx recognises alone", missing)
    from sayso.speech.sphinx import SphinxRecogniser

    return SphinxRecogniser(domain, options.alternatives)


def _no_speech(samples: NDArray[np.int16]) -> Recognition | None:
    """A rejection if the sound certainly contains no speech."""
    if len(samples) < SHORTEST * SAMPLE_RATE:
        return Recognition((), 0.0, "the sound is too short to be speech")
    if float(np.std(samples)) < SILENT:
        return Recognition((), 0.0, "silence")
    return None
