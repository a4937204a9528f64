"""Audio streams: files played like live speech, and a simulated microphone."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from recordings import recording, sound
from sayso.errors import AudioError
from sayso.speech.devices import InputDevice, Microphone, input_devices
from sayso.speech.endpoint import Endpointer
from sayso.speech.microphone import microphone, play
from sayso.types import SAMPLE_RATE
from sound_device import NoDevice, SoundCard


@examples(20)
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


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> SoundCard:
    made = SoundCard()
    monkeypatch.setitem(sys.modules, "sounddevice", made)
    return made


class Clock:
    """Time that passes when a test says so."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("sayso.speech.devices.time", made)
    return made


def test_without_portaudio_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(AudioError, match="apt install libportaudio2"):
        next(microphone())
    with pytest.raises(AudioError, match="apt install libportaudio2"):
        input_devices()


def test_without_a_device_the_error_says_what_to_do(computer: SoundCard) -> None:
    computer.device = None
    assert input_devices() == ()
    with pytest.raises(AudioError, match="no input device: plug a microphone in"):
        next(microphone())


def test_a_device_that_refuses_is_named(computer: SoundCard, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise NoDevice("Device\nunavailable", -9985)

    monkeypatch.setattr(computer, "InputStream", refuse)
    with pytest.raises(AudioError, match=r"microphone 'headset' cannot be used: .*Device unavailable.*sayso audio devices"):
        next(microphone("headset"))


def test_devices_are_listed_with_what_they_can_record(computer: SoundCard) -> None:
    assert input_devices() == (InputDevice(0, "USB array", "ALSA", 1, 16_000.0, (16_000,), default=True),)


def test_chunks_are_stamped_with_their_recording_time(computer: SoundCard, monkeypatch: pytest.MonkeyPatch) -> None:
    began = computer.InputStream.start
    monkeypatch.setattr(computer.InputStream, "start", lambda stream: (began(stream), computer.gives(7)))
    chunks = microphone(clock=lambda: 100.0)
    chunk = next(chunks)
    chunks.close()
    assert chunk.stamp == pytest.approx(100.0 - 512 / SAMPLE_RATE)
    assert np.array_equal(chunk.samples, np.full(512, 7, np.int16))
    assert not computer.open


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (44_100, 2), (48_000, 8), (192_000, 2)])
def test_a_device_that_records_nothing_but_its_own_format_is_converted(monkeypatch: pytest.MonkeyPatch, rate: int, channels: int) -> None:
    computer = SoundCard(rate, channels)
    monkeypatch.setitem(sys.modules, "sounddevice", computer)
    heard: list[np.ndarray[Any, Any]] = []
    source = Microphone("", heard.append, 0.04)
    for _ in range(25):
        computer.gives(1000)
    source.close()
    samples = np.concatenate(heard)
    assert source.format == f"{rate} Hz, {channels} channel{'s' if channels > 1 else ''}"
    assert SAMPLE_RATE * 0.9 < len(samples) <= SAMPLE_RATE
    assert abs(int(np.median(samples)) - 1000) <= 1


def test_one_channel_of_several_may_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    computer = SoundCard(16_000, 4)
    monkeypatch.setitem(sys.modules, "sounddevice", computer)
    heard: list[np.ndarray[Any, Any]] = []
    Microphone("", heard.append, 0.04, channel=2)
    stream = computer.open[-1]
    stream.callback(np.tile(np.array([0, 500], np.int16), (640, 1)), 640, None, None)
    assert (heard[0] == 500).all()
    with pytest.raises(AudioError, match="has 4 channels, not 5"):
        Microphone("", heard.append, 0.04, channel=5)


def test_a_lost_device_is_reported_and_opened_again_when_it_is_back(computer: SoundCard, clock: Clock) -> None:
    heard: list[np.ndarray[Any, Any]] = []
    source, plugged = Microphone("", heard.append, 0.04), computer.device
    computer.gives(5)
    assert source.deaf() == ""
    computer.device = None
    for _ in range(10):
        clock.now += 1.0
        state = source.deaf()
    assert "gives no sound: is it unplugged?" in state
    computer.device = plugged
    for _ in range(4):
        clock.now += 1.0
        source.deaf()
    computer.gives(5)
    assert source.deaf() == ""
    assert len(heard) == 2
    assert len(computer.open) == 1


def test_a_device_that_gives_zeros_is_reported(computer: SoundCard, clock: Clock) -> None:
    source = Microphone("", lambda _: None, 0.04)
    computer.gives(5)
    for _ in range(6):
        clock.now += 1.0
        computer.gives(0)
    assert "nothing but zeros" in source.deaf()
    computer.gives(5)
    assert source.deaf() == ""
