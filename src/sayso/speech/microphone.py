"""Streams of audio chunks: from a microphone, or from files played like live speech."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

import numpy as np

from sayso.speech.devices import Microphone
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE, AudioChunk

CHUNK = 0.032  # s, the endpointer's window
_CHECKED = 0.5  # s between two looks at the state of the microphone


def microphone(
    device: str = "", channel: int = 0, clock: Callable[[], float] = time.time, trouble: Callable[[str], None] = lambda _: None
) -> Generator[AudioChunk, None, None]:
    """Chunks from a microphone, endlessly; close the generator to release the device. A lost device is opened again when it is back.

    Args:
        device: its number or a part of its name, as listed by `sayso audio devices`; empty for the system's default.
        channel: the only one to use, counted from 1; 0: the mean of all.
        clock: source of the stamps.
        trouble: told why nothing is heard, or why speech is hard to recognise, whenever that changes; empty when all is well.

    Raises:
        AudioError: PortAudio or the device is missing, or it cannot be used.
    """
    recorded: queue.SimpleQueue[AudioChunk] = queue.SimpleQueue()
    source = Microphone(device, lambda samples: recorded.put(AudioChunk(samples, clock() - len(samples) / SAMPLE_RATE)), CHUNK, channel)
    told, checked = "", time.monotonic()
    try:
        while True:
            with suppress(queue.Empty):
                yield recorded.get(timeout=_CHECKED)
            if time.monotonic() - checked >= _CHECKED:
                now = source.deaf() or source.poor()
                if now != told:
                    trouble(now)
                told, checked = now, time.monotonic()
    finally:
        source.close()


def play(
    path: Path | str, start: float = 0.0, pace: float = 0.0, chunk: float = CHUNK, silence: float = 1.0
) -> Generator[AudioChunk, None, None]:
    """The chunks of a sound file, stamped from `start` on, followed by some silence so that the last utterance ends.

    Args:
        path: any file that `read_sound` reads.
        start: stamp of the first sample, s.
        pace: speed relative to real time; 0 does not wait at all.
        chunk: length of each chunk, s.
        silence: duration after the end, s; it has the low noise of a sound card, since no microphone gives zeros.

    Raises:
        AudioError: as read_sound.
    """
    noise = np.random.default_rng(0).integers(-2, 3, round(silence * SAMPLE_RATE)).astype(np.int16)
    sound = np.concatenate([read_sound(path).samples, noise])
    size = max(round(chunk * SAMPLE_RATE), 1)
    began = time.monotonic()
    for at in range(0, len(sound), size):
        piece = sound[at : at + size]
        if pace > 0:  # a chunk is available once its last sample was recorded
            time.sleep(max(began + (at + len(piece)) / SAMPLE_RATE / pace - time.monotonic(), 0.0))
        yield AudioChunk(piece, start + at / SAMPLE_RATE)
