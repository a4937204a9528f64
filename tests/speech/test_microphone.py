"""Audio streams: files played like live speech, and a simulated microphone."""

from __future__ import annotations

import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings import recording, sound
from sayso.errors import AudioError
from sayso.speech.endpoint import Endpointer
from sayso.speech.microphone import microphone, play
from sayso.types import SAMPLE_RATE


@settings(max_examples=20, deadline=None)
@given(chunk=st.floats(0.001, 3.0), silence=st.floats(0.0, 1.0), start=st.floats(0.0, 1e6))
def test_a_played_file_is_complete_and_correctly_stamped(chunk: float, silence: float, start: float) -> None:
    pieces = list(play(recording("stop"), start, chunk=chunk, silence=silence))
    heard = np.concatenate([piece.samples for piece in pieces])
    samples = sound("stop")
    assert np.array_equal(heard[: len(samples)], samples)
    assert len(heard) == len(samples) + round(silence * SAMPLE_RATE)
    at = np.cumsum([0, *(len(piece.samples) for piece in pieces)])[:-1]
    assert [piece.stamp for piece in pieces] == pytest.approx(list(start + at / SAMPLE_RATE))


def test_a_played_sentence_ends_by_itself() -> None:
    endpointer = Endpointer()
    found = [utterance for chunk in play(recording("turn left")) for utterance in endpointer.feed(chunk)]
    assert len(found) == 1


def test_playback_keeps_the_pace() -> None:
    began = time.monotonic()
    seconds = sum(len(chunk.samples) for chunk in play(recording("stop"), pace=20.0)) / SAMPLE_RATE
    assert time.monotonic() - began >= seconds / 20.0


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="no such file"):
        next(play(tmp_path / "nothing.wav"))


class _NoDevice(Exception):
    """Stands for sounddevice.PortAudioError."""


def _sounddevice(stream: object) -> types.ModuleType:
    module = types.ModuleType("sounddevice")
    module.PortAudioError = _NoDevice  # type: ignore[attr-defined]
    module.InputStream = stream  # type: ignore[attr-defined]
    return module


def test_without_portaudio_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(AudioError, match="apt install libportaudio2"):
        next(microphone())


def test_a_missing_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise _NoDevice("Error querying\ndevice -1")

    monkeypatch.setitem(sys.modules, "sounddevice", _sounddevice(refuse))
    with pytest.raises(AudioError, match=r"microphone 'headset' cannot be used: Error querying device -1"):
        next(microphone("headset"))


def test_chunks_are_stamped_with_their_recording_time(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Stream:
        active = True

        def __init__(self, *, callback, blocksize: int, **_options: object) -> None:
            self.callback, self.blocksize = callback, blocksize

        def __enter__(self) -> None:
            self.callback(np.full((self.blocksize, 1), 7, np.int16), self.blocksize, None, None)

        def __exit__(self, *_error: object) -> None:
            closed.append(True)

    monkeypatch.setitem(sys.modules, "sounddevice", _sounddevice(Stream))
    chunks = microphone(clock=lambda: 100.0)
    chunk = next(chunks)
    chunks.close()
    assert chunk.stamp == pytest.approx(100.0 - 512 / SAMPLE_RATE)
    assert np.array_equal(chunk.samples, np.full(512, 7, np.int16))
    assert closed
