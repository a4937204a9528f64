"""Sound as it comes in: from a microphone, or from files played as if someone spoke."""

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
    """Chunks from a microphone for ever; close the generator to release it.

    Args:
        device: its number or a part of its name, as `python -m sounddevice` lists them; None for the system's default.
        clock: what the stamps are taken from.

    Raises:
        AudioError: PortAudio is missing, there is no such device, it cannot record 16 kHz mono, or it went away.
    """
    try:
        import sounddevice
    except (ImportError, OSError) as missing:
        raise AudioError(f"no sound from a microphone: {_one_line(missing)}; run `apt install libportaudio2`") from None
    heard: queue.SimpleQueue[AudioChunk] = queue.SimpleQueue()

    def keep(samples: np.ndarray[tuple[int, int], np.dtype[np.int16]], frames: int, _times: object, _status: object) -> None:
        heard.put(AudioChunk(samples[:, 0].copy(), clock() - frames / SAMPLE_RATE))

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
                yield heard.get(timeout=1.0)
            except queue.Empty:
                if not stream.active:
                    raise AudioError("the microphone went away; plug it in and start again") from None


def play(path: Path | str, start: float = 0.0, pace: float = 0.0, chunk: float = CHUNK, silence: float = 1.0) -> Iterator[AudioChunk]:
    """The chunks of a sound file with stamps from `start` on, and some silence after it, so that the last utterance ends.

    Args:
        path: any file that `read_sound` reads.
        start: stamp of the first sample, s.
        pace: how many times faster than real time; 0 does not wait at all.
        chunk: length of each piece, s.
        silence: s of it after the end: the low noise of a sound card rather than zeros, which no microphone gives.

    Raises:
        AudioError: as read_sound.
    """
    hush = np.random.default_rng(0).integers(-2, 3, round(silence * SAMPLE_RATE)).astype(np.int16)
    sound = np.concatenate([read_sound(path).samples, hush])
    size = max(round(chunk * SAMPLE_RATE), 1)
    began = time.monotonic()
    for at in range(0, len(sound), size):
        piece = sound[at : at + size]
        if pace > 0:  # a chunk is there when its last sample has been heard
            time.sleep(max(began + (at + len(piece)) / SAMPLE_RATE / pace - time.monotonic(), 0.0))
        yield AudioChunk(piece, start + at / SAMPLE_RATE)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
