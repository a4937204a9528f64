"""Reads the sound of a bag: cuts and recognises utterances if the replay starts from sound, and keeps recent sound for the report."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.definitions import decoding
from sayso.bags.reading import Bag
from sayso.bags.sound import SoundTopicReader
from sayso.bags.topics import Topics
from sayso.errors import AudioError, SaysoError
from sayso.replay.segmentation import silences
from sayso.replay.stages import Stages
from sayso.replay.types import Slice
from sayso.types import SAMPLE_RATE, AudioChunk, Transcript

KEPT = 25.0  # s of sound: the longest utterance plus the time until its transcript
MARGIN = 0.3  # s of sound before and after the speech

Samples = NDArray[np.int16]
Spoken = tuple[Transcript, Samples, int]  # transcript, its sound, and when it was known (ns)


@dataclass(frozen=True, slots=True)
class _Piece:
    chunk: AudioChunk
    came: int  # ns


class AudioReader:
    """Turns messages of the sound topics into utterances. It resets in every silence, so that slices give the same result."""

    def __init__(self, bag: Bag, topics: Topics, stages: Stages, part: Slice | None, *, listening: bool, keeping: bool) -> None:
        self.topics: tuple[str, ...] = ("audio", "audio_info") if listening or keeping else ()
        self.took = 0.0  # s of recognition of the last utterance
        self._stages = stages
        self._listening = listening
        self._kept: deque[_Piece] | None = deque() if keeping else None
        self._silences = (
            deque(one for one in silences(bag, topics, stages.config) if part is None or part.start < one) if listening else deque()
        )
        self._hearing = SoundTopicReader()
        self._last = bag.start_time
        if part is not None and self.topics and topics["audio_info"]:
            for connection, _, raw in bag.messages(topics["audio_info"], None, part.start):
                self._hearing.info(bag.deserialize(raw, connection))
        self._endpointer: Any = None

    def take(self, topic: str, kind: str, message: Any, came: int) -> Iterator[Spoken]:
        """Take a message of one of `topics` and yield the utterances that end with it.

        Raises:
            SaysoError: the sound has an unsupported format.
        """
        with decoding(kind):
            if topic == "audio_info":
                self._hearing.info(message)
                return
            chunk = self._hearing(kind, message, came * 1e-9)
        self._last = came
        if self._kept is not None:
            self._kept.append(_Piece(chunk, came))
            while came - self._kept[0].came > KEPT * 1e9:
                self._kept.popleft()
        if self._listening:
            try:
                utterances = self._cutter().feed(chunk)
            except AudioError as unusable:
                raise SaysoError(str(unusable)) from None
            for utterance in utterances:
                yield self._recognised(utterance, came)

    def until(self, now: int) -> Iterator[Spoken]:
        """Yield the utterances that end in the silences before that time (ns)."""
        while self._silences and self._silences[0] <= now:
            yield from self._forget(self._silences.popleft())

    def end(self) -> Iterator[Spoken]:
        """Yield the utterances that are unfinished at the end of the bag."""
        yield from self._forget(self._last)

    def cut(self, started: float, ended: float) -> Samples:
        """The kept sound between two times (s), with MARGIN on both sides; empty if there is none."""
        pieces: list[Samples] = [np.zeros(0, np.int16)]
        for chunk in (piece.chunk for piece in self._kept or ()):
            first = max(round((started - MARGIN - chunk.stamp) * SAMPLE_RATE), 0)
            last = max(round((ended + MARGIN - chunk.stamp) * SAMPLE_RATE), 0)
            pieces.append(chunk.samples[first:last])
        return np.concatenate(pieces)

    def _forget(self, now: int) -> Iterator[Spoken]:
        self._hearing.rest()
        if self._endpointer is not None:
            for utterance in self._endpointer.flush():
                yield self._recognised(utterance, now)

    def _cutter(self) -> Any:
        if self._endpointer is None:
            from sayso.speech.endpoint import Endpointer, EndpointOptions

            self._endpointer = Endpointer(EndpointOptions(early=False), self._stages.recognise.ear())
        return self._endpointer

    def _recognised(self, utterance: Any, came: int) -> Spoken:
        recognise = self._stages.recognise  # loading it does not count as recognition
        began = time.perf_counter()
        name = f"a{round(utterance.started * 1000)}"  # named by its time, so that slices give the same name
        transcript = recognise.transcript(utterance, name)
        self.took = time.perf_counter() - began + (utterance.pause.took if utterance.pause is not None else 0.0)
        return transcript, utterance.samples, came
