"""Streams of audio chunks: from a microphone, or from files played like live speech."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from sayso.errors import AudioError
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE, AudioChunk

CHUNK = 0.032  # s, the endpointer's window


def microphone(device: str | int | None = None, clock: Callable[[], float] = time.time) -> Iterator[AudioChunk]:
    """Chunks from a microphone, endlessly; close the generator to release the device.

    Args:
        device: its number or a part of its name, as listed by `python -m sounddevice`; None for the system's default.
        clock: source of the stamps.

    Raises:
        AudioError: PortAudio or the device is missing, it cannot record 16 kHz mono, or it was disconnected.
    """
    try:
        import sounddevice
    except (ImportError, OSError) as missing:
        raise AudioError(f"no microphone can be used: {_one_line(missing)}; run `apt install libportaudio2`") from None
    recorded: queue.SimpleQueue[AudioChunk] = queue.SimpleQueue()

    def keep(samples: np.ndarray[tuple[int, int], np.dtype[np.int16]], frames: int, _times: object, _status: object) -> None:
        recorded.put(AudioChunk(samples[:, 0].copy(), clock() - frames / SAMPLE_RATE))

    try:
        stream = sounddevice.InputStream(
            samplerate=SAMPLE_RATE, channels=1, dtype="int16", blocksize=round(CHUNK * SAMPLE_RATE), device=device, callback=keep
        )
    except (sounddevice.PortAudioError, ValueError) as unusable:
        wanted = "the default microphone" if device is None else f"the microphone '{device}'"
        raise AudioError(f"{wanted} cannot be used: {_one_line(unusable)}; `python -m sounddevice` lists the devices") from None
    with stream:
        while True:
            try:
                yield recorded.get(timeout=1.0)
            except queue.Empty:
                if not stream.active:
                    raise AudioError("the microphone was disconnected; plug it in and start again") from None


def play(path: Path | str, start: float = 0.0, pace: float = 0.0, chunk: float = CHUNK, silence: float = 1.0) -> Iterator[AudioChunk]:
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


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
