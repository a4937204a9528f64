"""A whole sound → a transcript of each utterance in it: the endpointer, then the recogniser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sayso.speech.endpoint import Ear, Endpointer, EndpointOptions
from sayso.types import AudioChunk, Transcript


def transcripts(
    sound: AudioChunk,
    recognise: Callable[..., Transcript],
    options: EndpointOptions | None = None,
    name: str = "sound",
    ear: Ear | None = None,
) -> Iterator[Transcript]:
    """The utterances in order, with ids NAME-1, NAME-2, …; a rejected one, NAME-0, where the sound holds no speech.

    `recognise` is a SpeechToText. Its `ear` waits for more where a sentence breaks off, as it does with a microphone.

    Raises:
        AudioError: the sound is not 16 kHz mono int16.
    """
    endpointer = Endpointer(options or EndpointOptions(early=False), ear)
    utterances = endpointer.feed(sound) + endpointer.flush()
    for number, utterance in enumerate(utterances, 1):
        known = utterance.pause.recognition if utterance.pause is not None else None
        yield recognise(utterance.samples, utterance.started, f"{name}-{number}", utterance.ended, known)
    if not utterances:
        yield Transcript(f"{name}-0", sound.stamp + len(sound.samples) / sound.sample_rate, (), 0.0, rejected="no speech in it")
