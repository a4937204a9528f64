"""The sound of the last utterances, to be played again."""

from __future__ import annotations

from collections import OrderedDict, deque

import numpy as np

from sayso.speech.wav import wav_of
from sayso.types import SAMPLE_RATE, AudioChunk

REMEMBERED = 30.0  # s of sound before an utterance is recognised
KEPT = 30  # utterances
AROUND = 0.2  # s before and after the speech


class Sounds:
    """Keeps the last seconds of sound, and cuts utterances out of them. Times are seconds of ROS time."""

    def __init__(self) -> None:
        self._chunks: deque[AudioChunk] = deque()
        self._utterances: OrderedDict[str, bytes] = OrderedDict()

    def feed(self, chunk: AudioChunk) -> None:
        """Remember a piece of sound. One that is older than the last is of a clock that was set back: it begins anew."""
        if self._chunks and chunk.stamp < self._chunks[-1].stamp:
            self._chunks.clear()
        self._chunks.append(chunk)
        while self._chunks[-1].stamp - self._chunks[0].stamp > REMEMBERED:
            self._chunks.popleft()

    def cut(self, utterance_id: str, started: float, ended: float) -> bool:
        """Keep the sound between these times. False if there is none: the sentence was typed."""
        within = [chunk for chunk in self._chunks if started - AROUND < _end(chunk) and chunk.stamp < ended + AROUND]
        if not within:
            return False
        self._utterances[utterance_id] = wav_of(np.concatenate([chunk.samples for chunk in within]))
        while len(self._utterances) > KEPT:
            self._utterances.popitem(last=False)
        return True

    def wav(self, utterance_id: str) -> bytes | None:
        """The sound file of an utterance, None if it is not kept."""
        return self._utterances.get(utterance_id)


def _end(chunk: AudioChunk) -> float:
    return chunk.stamp + len(chunk.samples) / SAMPLE_RATE
