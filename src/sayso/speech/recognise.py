"""The stage speech_to_text: sound of one utterance → Transcript, with the recogniser of your choice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AudioError
from sayso.speech.recogniser import Recogniser, Recognition
from sayso.types import SAMPLE_RATE, Transcript

SILENT = 30.0  # int16 root mean square, −61 dBFS; speech is always louder
SHORTEST = 0.1  # s

Backend = Literal["pocketsphinx", "whisper", "faster_whisper"]


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """Choice and parameters of the recogniser."""

    backend: Backend = "pocketsphinx"
    alternatives: int = 5  # maximum number of texts
    whisper_weights: Path | None = None  # openai-whisper: a .pt file, None: from its cache; faster-whisper: a folder


class SpeechToText:
    """Sound of one utterance → Transcript. Loads its models once; not thread-safe."""

    def __init__(self, domain: Domain, options: SpeechOptions | None = None) -> None:
        """Raises ModelError if the recogniser's weights are missing."""
        self.options = options or SpeechOptions()
        self._recognise = _recogniser(domain, self.options)

    def __call__(self, samples: NDArray[np.int16], started: float = 0.0, utterance_id: str = "", ended: float | None = None) -> Transcript:
        """The transcript of one utterance; `rejected` says why it must not be acted on.

        Args:
            samples: (N,) int16 mono at 16 kHz, one utterance from an Endpointer.
            started: s, start of the speech.
            utterance_id: copied to the transcript; generated if empty.
            ended: s, end of the speech; default: the end of the samples.

        Raises:
            AudioError: the samples have another shape or type.
        """
        if samples.ndim != 1 or samples.dtype != np.int16:
            raise AudioError(f"speech_to_text needs (N,) int16 samples at {SAMPLE_RATE} Hz, not {samples.shape} {samples.dtype}")
        result = _no_speech(samples) or self._recognise(samples)
        stamp = started + len(samples) / SAMPLE_RATE if ended is None else ended
        return Transcript(utterance_id or uuid4().hex[:12], stamp, result.alternatives, result.confidence, started, result.rejected)


def _recogniser(domain: Domain, options: SpeechOptions) -> Recogniser:
    if options.backend == "whisper":
        from sayso.speech.whisper import WhisperRecogniser

        return WhisperRecogniser(options.whisper_weights, options.alternatives, domain)
    if options.backend == "faster_whisper":
        from sayso.speech.faster_whisper import FasterWhisperRecogniser

        return FasterWhisperRecogniser(options.whisper_weights, options.alternatives, domain)
    from sayso.speech.sphinx import SphinxRecogniser

    return SphinxRecogniser(domain, options.alternatives)


def _no_speech(samples: NDArray[np.int16]) -> Recognition | None:
    """A rejection if the sound certainly contains no speech."""
    if len(samples) < SHORTEST * SAMPLE_RATE:
        return Recognition((), 0.0, "the sound is too short to be speech")
    if float(np.std(samples)) < SILENT:
        return Recognition((), 0.0, "silence")
    return None
