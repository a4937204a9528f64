"""The recognisers that the benchmark `speech` compares, all behind one interface, and Moonshine without the domain as their baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.errors import AbsentPackageError, SaysoError
from sayso.speech import moonshine
from sayso.speech.pieces import read_pieces
from sayso.speech.recognise import Backend, SpeechOptions, SpeechToText
from sayso.speech.whisper_texts import spoken
from sayso.types import SAMPLE_RATE, Transcript, TranscriptAlternative

Recognise = Callable[[NDArray[np.int16]], Transcript]
PLAIN = "moonshine unbiased"
NAMES = (*get_args(Backend), PLAIN)


@dataclass(frozen=True, slots=True)
class SpokenBackend:
    """A recogniser by its name, with a folder or file of weights if one was given."""

    name: str
    weights: Path | None = None

    def __call__(self, domain: Domain) -> Recognise:
        """The recogniser for the domain.

        Raises:
            SaysoError: its package or its weights are missing.
        """
        if self.name == PLAIN:
            return PlainMoonshine()
        options = SpeechOptions(backend=self.name)  # type: ignore[arg-type]
        return SpeechToText(domain, replace(options, whisper_weights=self.weights) if self.weights else options)


def chosen_backends(asked: str) -> list[SpokenBackend]:
    """All, or those asked for: "pocketsphinx,whisper=tiny.en.pt", the default first.

    Raises:
        SaysoError: there is no such backend.
    """
    names = [part.partition("=") for part in asked.split(",") if part.strip()] or [(name, "", "") for name in NAMES]
    for name, _, _ in names:
        if name not in NAMES:
            raise SaysoError(f"no backend '{name}'; known: {', '.join(NAMES)}")
    backends = [SpokenBackend(name, Path(weights) if weights else None) for name, _, weights in names]
    return sorted(backends, key=lambda backend: backend.name != SpeechOptions().backend)


def why_missing(backend: SpokenBackend, domain: Domain) -> Exception | None:
    """Why the backend cannot be measured; None if it can."""
    if backend.name in ("moonshine", PLAIN) and (why := moonshine.missing()):
        return AbsentPackageError(why)  # otherwise the stage would fall back on pocketsphinx, which would be measured twice
    try:
        backend(domain)
    except (SaysoError, ImportError) as missing:
        return missing
    return None


class PlainMoonshine:
    """Moonshine tiny, greedy, without the domain, its language model or a rejection: the published recogniser as it is."""

    def __init__(self) -> None:
        """Raises:
        ModelError: the package moonshine-voice is missing or of another version.
        """
        self._moonshine, self._pieces = moonshine.Moonshine(), read_pieces(moonshine.packaged("pieces"))

    def __call__(self, samples: NDArray[np.int16]) -> Transcript:
        """(N,) int16 at 16 kHz → one text; ln P is that of its tokens."""
        seconds = len(samples) / SAMPLE_RATE
        vectors = self._moonshine.vectors(samples.astype(np.float32) / 32768.0)
        tokens, log_p = self._moonshine.best(vectors, max(2, round(moonshine.TOKENS_PER_S * seconds)))
        text = spoken("".join(self._pieces[token] for token in tokens))
        alternatives = (TranscriptAlternative(text, float(log_p[np.arange(len(tokens)), tokens].sum())),) if text else ()
        return Transcript("", seconds, alternatives, 1.0 if text else 0.0)
