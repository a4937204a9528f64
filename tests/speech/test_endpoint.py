"""Endpointing, independent of how the sound is cut into chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from recordings import hiss, silence, sound
from sayso.errors import AudioError, ModelError
from sayso.speech import activity as network
from sayso.speech.activity import EnergyActivity, SileroActivity
from sayso.speech.endpoint import Endpointer, EndpointOptions, Utterance
from sayso.types import SAMPLE_RATE, AudioChunk

DETECTORS = ("silero", "energy")


def utterances(
    samples: np.ndarray, cuts: list[int] | None = None, options: EndpointOptions | None = None, start: float = 0.0
) -> list[Utterance]:
    endpointer = Endpointer(options)
    found, at = [], 0
    for piece in np.split(samples, sorted(cuts or [])):
        found += endpointer.feed(AudioChunk(piece, start + at / SAMPLE_RATE))
        at += len(piece)
    return found + endpointer.flush()


@pytest.mark.parametrize("detector", DETECTORS)
@examples(8)
@given(cuts=st.lists(st.integers(0, 50_000), max_size=60))
def test_chunk_boundaries_make_no_difference(detector: str, cuts: list[int]) -> None:
    samples = np.concatenate([sound("turn left"), silence(0.5), sound("stop")])
    options = EndpointOptions(detector=detector)
    whole, pieces = utterances(samples, options=options), utterances(samples, cuts, options)
    assert len(whole) == len(pieces) == 2
    for one, other in zip(whole, pieces, strict=True):
        assert np.array_equal(one.samples, other.samples)
        assert (other.started, other.ended) == pytest.approx((one.started, one.ended), abs=1e-6)


@pytest.mark.parametrize("detector", DETECTORS)
def test_the_end_of_speech_is_not_the_time_of_its_detection(detector: str) -> None:
    speech = sound("go to the kitchen")
    loud = np.flatnonzero(np.abs(speech.astype(float)) > 1500) / SAMPLE_RATE
    (utterance,) = utterances(np.concatenate([speech, silence(3.0)]), options=EndpointOptions(detector=detector), start=100.0)
    assert utterance.started == pytest.approx(100.0 + loud[0], abs=0.15)
    assert utterance.ended == pytest.approx(100.0 + loud[-1], abs=0.25)
    assert not utterance.cut


@pytest.mark.parametrize("detector", DETECTORS)
def test_an_utterance_is_reported_within_half_a_second_of_silence(detector: str) -> None:
    samples = np.concatenate([sound("turn left"), silence(2.0)])
    endpointer = Endpointer(EndpointOptions(detector=detector))
    for at in range(0, len(samples), 512):
        found = endpointer.feed(AudioChunk(samples[at : at + 512], at / SAMPLE_RATE))
        if found:
            assert (at + 512) / SAMPLE_RATE - found[0].ended <= 0.5
            return
    pytest.fail("no utterance")


@pytest.mark.parametrize("detector", DETECTORS)
def test_silence_is_no_utterance(detector: str) -> None:
    options = EndpointOptions(detector=detector)
    assert utterances(silence(3.0), options=options) == []
    assert utterances(np.zeros(48_000, np.int16), options=options) == []


def test_noise_is_no_utterance() -> None:
    assert utterances(np.concatenate([silence(1.0), hiss(3.0), silence(1.0)])) == []


def test_the_energy_detector_adapts_to_a_loud_fan() -> None:
    speech = sound("stop")
    samples = np.concatenate([hiss(6.0, 300.0), speech + hiss(len(speech) / SAMPLE_RATE, 300.0)])
    found = utterances(samples, options=EndpointOptions(detector="energy"))
    assert len(found) == 1
    assert found[0].started > 6.0


def test_long_utterances_are_cut() -> None:
    found = utterances(sound("bring me the red cup from the kitchen"), options=EndpointOptions(longest=0.8))
    assert found[0].cut
    assert len(found[0].samples) <= 0.85 * SAMPLE_RATE


def test_a_gap_in_the_sound_ends_the_utterance() -> None:
    speech = sound("go to the kitchen")
    middle = len(speech) // 2
    endpointer = Endpointer()
    assert endpointer.feed(AudioChunk(speech[:middle], 0.0)) == []
    assert endpointer.speaking
    (first,) = endpointer.feed(AudioChunk(silence(0.1), 60.0))
    assert first.ended <= middle / SAMPLE_RATE
    assert not endpointer.speaking


def test_flush_ends_the_utterance() -> None:
    speech = sound("stop")
    endpointer = Endpointer()
    last_loud = int(np.flatnonzero(np.abs(speech.astype(float)) > 1500)[-1])
    assert endpointer.feed(AudioChunk(speech[:last_loud], 5.0)) == []
    (utterance,) = endpointer.flush()
    assert 5.0 < utterance.started < utterance.ended <= 5.0 + len(speech) / SAMPLE_RATE
    assert endpointer.flush() == []


@pytest.mark.parametrize(
    "chunk",
    [AudioChunk(np.zeros(512, np.int16), 0.0, 44_100), AudioChunk(np.zeros((512, 2), np.int16), 0.0), AudioChunk(np.zeros(512), 0.0)],
    ids=["44.1 kHz", "stereo", "float"],
)
def test_other_sound_formats_are_refused(chunk: AudioChunk) -> None:
    with pytest.raises(AudioError, match="16000 Hz mono int16"):
        Endpointer(EndpointOptions(detector="energy")).feed(chunk)


def test_without_silero_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(network, "SILERO", tmp_path / "silero_vad.onnx")
    with pytest.raises(ModelError, match=r"silero_vad\.onnx is missing: install Sayso again, or choose the detector 'energy'"):
        Endpointer()


def test_an_altered_silero_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    altered = tmp_path / "silero_vad.onnx"
    altered.write_bytes(network.SILERO.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(network, "SILERO", altered)
    with pytest.raises(ModelError, match=r"is not the network of silero-vad 6\.2\.3"):
        Endpointer()


@pytest.mark.parametrize("activity", [SileroActivity(), EnergyActivity()], ids=DETECTORS)
def test_outputs_are_probabilities_and_reset_clears_the_state(activity) -> None:
    windows = np.concatenate([silence(0.32), hiss(0.32), np.full(5120, 32767, np.int16)])[:15_360].reshape(-1, 512)
    first = activity(windows)
    assert first.shape == (30,)
    assert ((first >= 0.0) & (first <= 1.0)).all()
    activity.reset()
    assert np.array_equal(activity(windows), first)
