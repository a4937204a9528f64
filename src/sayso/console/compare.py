"""`sayso transcribe --compare`: what every installed recogniser hears in the same sound, with its confidence and time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from sayso.errors import ModelError
from sayso.speech import moonshine
from sayso.speech.files import read_sound
from sayso.speech.recognise import Backend, SpeechOptions, SpeechToText
from sayso.speech.utterances import transcripts

if TYPE_CHECKING:
    from sayso.domain import Domain
    from sayso.speech.endpoint import EndpointOptions
    from sayso.types import Transcript


class TimedRecogniser:
    """A recogniser that notes how long the last utterance took."""

    def __init__(self, recognise: SpeechToText) -> None:
        self._recognise = recognise
        self.seconds = 0.0  # of the last utterance

    def __call__(self, *utterance: Any) -> Transcript:
        """As SpeechToText."""
        start = time.perf_counter()
        transcript = self._recognise(*utterance)
        self.seconds = time.perf_counter() - start
        return transcript


class SideBySide:
    """All recognisers that can be loaded, and why the others cannot."""

    def __init__(self, domain: Domain, options: SpeechOptions, weights: Sequence[Path]) -> None:
        """`weights`: of Whisper, a .pt file, and of faster-whisper, a folder; either may be absent."""
        self.recognisers: dict[str, TimedRecogniser] = {}
        self.skipped: dict[str, str] = {}
        for backend in get_args(Backend):
            if backend == "moonshine" and (why := moonshine.missing()):  # pocketsphinx would stand in for it, and be shown twice
                self.skipped[backend] = why
                continue
            own = next((path for path in weights if path.is_dir() == (backend == "faster_whisper")), None)
            try:
                recognise = SpeechToText(domain, replace(options, backend=backend, whisper_weights=own))
            except ModelError as missing:
                self.skipped[backend] = str(missing)
            else:
                self.recognisers[backend] = TimedRecogniser(recognise)

    def heard(self, file: Path, options: EndpointOptions) -> Iterator[tuple[str, Transcript, float]]:
        """Utterance by utterance: each recogniser's name, its transcript, and the time in s that it took.

        Raises:
            AudioError: the file cannot be read.
        """
        sound = read_sound(file)
        every = [transcripts(sound, recognise, options, file.stem) for recognise in self.recognisers.values()]
        for together in zip(*every, strict=True):
            for (backend, recognise), transcript in zip(self.recognisers.items(), together, strict=True):
                yield backend, transcript, recognise.seconds
