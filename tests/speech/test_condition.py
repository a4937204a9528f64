"""What is said about bad sound, and that good sound is left in peace."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from recordings import SENTENCES, silence, sound
from sayso.speech.condition import SoundCondition
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE


def after(*samples: NDArray[np.int16]) -> tuple[SoundCondition, float]:
    """The state after these sounds, and the time."""
    condition, now = SoundCondition(), 50.0
    for piece in np.array_split(np.concatenate(samples), 20):
        now += len(piece) / SAMPLE_RATE
        condition.feed(piece, now)
    return condition, now


def test_nothing_is_said_about_the_recorded_sentences() -> None:
    for file in SENTENCES:
        condition, now = after(read_sound(file).samples)
        assert (condition.deaf(now), condition.poor()) == ("", "")


def test_before_the_first_sound_nothing_is_wrong() -> None:
    condition = SoundCondition()
    condition.feed(np.empty(0, np.int16), 1.0)
    assert (condition.deaf(100.0), condition.poor()) == ("", "")


def test_sound_that_ends_is_missed() -> None:
    condition, now = after(silence(1.0))
    assert condition.deaf(now + 1.0) == ""
    assert condition.deaf(now + 2.0) == "no sound for more than 1.5 s"
    assert condition.deaf(now + 1.0, 0.5) == "no sound for more than 0.5 s"


@pytest.mark.parametrize(("seconds", "deaf"), [(3.0, False), (8.0, True)])
def test_zeros_are_no_silence(seconds: float, deaf: bool) -> None:
    condition, now = after(silence(1.0), np.zeros(round(seconds * SAMPLE_RATE), np.int16))
    assert ("muted or unplugged" in condition.deaf(now)) == deaf


def test_clipped_speech_is_named() -> None:
    loud = np.clip(sound("go to the kitchen").astype(np.int32) * 20, -32768, 32767).astype(np.int16)
    assert "is clipped: lower the gain" in after(loud)[0].poor()


def test_an_offset_is_named() -> None:
    shifted = np.clip(sound("go to the kitchen").astype(np.int32) + 6000, -32768, 32767).astype(np.int16)
    assert "offset of +18%" in after(shifted)[0].poor()


def test_it_is_forgotten_after_some_seconds() -> None:
    assert after(np.full(SAMPLE_RATE, 32767, np.int16), silence(4.0))[0].poor() == ""
