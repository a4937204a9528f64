"""The sound of an utterance is kept, however the clock jumps."""

from __future__ import annotations

import io
import wave

import numpy as np

from sayso.types import AudioChunk
from sayso.web.sounds import KEPT, REMEMBERED, Sounds


def second(at: float, value: int = 1) -> AudioChunk:
    return AudioChunk(np.full(16000, value, np.int16), at)


def test_a_typed_sentence_has_no_sound() -> None:
    sounds = Sounds()
    sounds.feed(second(0.0))
    assert not sounds.cut("u", 50.0, 51.0)
    assert sounds.wav("u") is None


def test_the_file_is_a_wav_of_the_speech_and_a_little_around_it() -> None:
    sounds = Sounds()
    for at in range(10):
        sounds.feed(second(float(at), at))
    assert sounds.cut("u", 3.5, 4.5)
    with wave.open(io.BytesIO(sounds.wav("u") or b"")) as file:
        assert (file.getframerate(), file.getnchannels(), file.getnframes()) == (16000, 1, 32000)


def test_a_clock_that_is_set_back_does_not_mix_old_sound_in() -> None:
    sounds = Sounds()
    sounds.feed(second(100.0, 1))
    sounds.feed(second(3.0, 2))
    assert not sounds.cut("old", 100.0, 101.0)
    assert sounds.cut("new", 3.0, 4.0)


def test_only_the_last_sound_and_the_last_sentences_are_kept() -> None:
    sounds = Sounds()
    for at in range(int(REMEMBERED) + 20):
        sounds.feed(second(float(at)))
    assert not sounds.cut("early", 2.0, 3.0)
    for number in range(KEPT + 1):
        assert sounds.cut(str(number), 40.0, 41.0)
    assert sounds.wav("0") is None
    assert sounds.wav("1") is not None
