"""A whole sound → a transcript of each utterance in it: the endpointer, then the recogniser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sayso.speech.endpoint import Endpointer, EndpointOptions
from sayso.types import AudioChunk, Transcript


def transcripts(
    sound: AudioChunk, recognise: Callable[..., Transcript], options: EndpointOptions | None = None, name: str = "sound"
) -> Iterator[Transcript]:
    """The utterances in order, with ids NAME-1, NAME-2, …; a rejected one, NAME-0, where the sound holds no speech.

    Raises:
        AudioError: the sound is not 16 kHz mono int16.
    """
    endpointer = Endpointer(options)
    utterances = endpointer.feed(sound) + endpointer.flush()
    for number, utterance in enumerate(utterances, 1):
        yield recognise(utterance.samples, utterance.started, f"{name}-{number}", utterance.ended)
    if not utterances:
        yield Transcript(f"{name}-0", sound.stamp + len(sound.samples) / sound.sample_rate, (), 0.0, rejected="no speech in it")
