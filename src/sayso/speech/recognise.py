"""The stage speech_to_text: the sound of one utterance → a Transcript, with pocketsphinx or with whisper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AudioError
from sayso.speech.heard import Recogniser, Recognition
from sayso.types import SAMPLE_RATE, Transcript

SILENT = 30.0  # int16 root mean square, −61 dBFS: nobody speaks so softly into a microphone
SHORTEST = 0.1  # s

Backend = Literal["pocketsphinx", "whisper"]


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """Which recogniser, and how."""

    backend: Backend = "pocketsphinx"
    alternatives: int = 5  # texts at most
    whisper_weights: Path | None = None  # a .pt file of openai-whisper; None: its own cache


class SpeechToText:
    """Sound of one utterance → Transcript. Loads its models once; to be called from one thread at a time."""

    def __init__(self, domain: Domain, options: SpeechOptions | None = None) -> None:
        """Raises ModelError where the recogniser's weights are missing."""
        self.options = options or SpeechOptions()
        self._recognise = _recogniser(domain, self.options)

    def __call__(self, samples: NDArray[np.int16], started: float = 0.0, utterance_id: str = "", ended: float | None = None) -> Transcript:
        """The texts that it may have been; `rejected` says why where none of them must be acted on.

        Args:
            samples: (N,) int16 mono at 16 kHz, one utterance, as an Endpointer yields it.
            started: s, when the speech began.
            utterance_id: carried on; made up where empty.
            ended: s, when the speech ended; by default, when the samples do.

        Raises:
            AudioError: the samples are not of that kind.
        """
        if samples.ndim != 1 or samples.dtype != np.int16:
            raise AudioError(f"speech_to_text wants (N,) int16 samples at {SAMPLE_RATE} Hz, not {samples.shape} {samples.dtype}")
        heard = _unheard(samples) or self._recognise(samples)
        stamp = started + len(samples) / SAMPLE_RATE if ended is None else ended
        return Transcript(utterance_id or uuid4().hex[:12], stamp, heard.alternatives, heard.confidence, started, heard.rejected)


def _recogniser(domain: Domain, options: SpeechOptions) -> Recogniser:
    if options.backend == "whisper":
        from sayso.speech.whisper import WhisperRecogniser

        return WhisperRecogniser(options.whisper_weights, options.alternatives)
    from sayso.speech.sphinx import SphinxRecogniser

    return SphinxRecogniser(domain, options.alternatives)


def _unheard(samples: NDArray[np.int16]) -> Recognition | None:
    """The rejection of what holds no speech for certain."""
    if len(samples) < SHORTEST * SAMPLE_RATE:
        return Recognition((), 0.0, "the sound is too short to be speech")
    if float(np.std(samples)) < SILENT:
        return Recognition((), 0.0, "silence")
    return None
