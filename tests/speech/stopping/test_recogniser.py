"""A published recogniser decides on doubtful stops; without it, spotter and verifier decide alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recordings import hiss, sound
from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech import moonshine
from sayso.speech.files import to_16k_mono
from sayso.speech.moonshine import END, FILES, FOLDER, Moonshine, packaged
from sayso.speech.stopping import recogniser as stop_recogniser
from sayso.speech.stopping.recogniser import POINT, SETTINGS, WORDS, RecogniserSettings, StopRecogniser, write_settings
from sayso.speech.stopping.spotter import StopSpotter
from sayso.speech.stopping.verifier import SEEN, StopVerifier, prepared
from sayso.training.speech.voices import Voice, speak
from sayso.training.stop.config import load_stop_config
from sayso.training.stop.sounds import trimmed
from sayso.types import SAMPLE_RATE, AudioChunk

RECOGNISER = StopRecogniser()
MOONSHINE = Moonshine()
SAID = np.concatenate([hiss(0.7), sound("stop"), hiss(0.4)])


class FixedRecogniser(StopRecogniser):
    """Always gives the same answer, and records its inputs."""

    def __init__(self, answer: float) -> None:
        self.settings, self.answer, self.asked = RECOGNISER.settings, answer, list[tuple[float, NDArray[np.int16]]]()

    def in_doubt(self, p_stop: float) -> bool:
        return RECOGNISER.in_doubt(p_stop)

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        self.asked.append((p_stop, samples))
        return self.answer


class FixedVerifier(StopVerifier):
    """Always gives the same answer."""

    def __init__(self, answer: float) -> None:
        self.asked_from, self.threshold, self.delay, self.answer = 0.1, 0.4, 0.0, answer

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        return self.answer


def ended(sentence: str) -> NDArray[np.int16]:
    """The last two seconds of the sentence, with some room noise after it."""
    return np.concatenate([hiss(1.0), sound(sentence), hiss(0.15)])[-SEEN:]


def text(tokens: list[int]) -> str:
    """Decode tokens with the package's table, which holds each token's length in one or two bytes, then the token."""
    table, at, words = (packaged("decoder").parent / "tokenizer.bin").read_bytes(), 0, []
    while at < len(table):
        length, at = table[at], at + 1
        if length >= 128:
            length, at = length - 128 + 128 * table[at], at + 1
        words.append(table[at : at + length])
        at += length
    return b"".join(words[token] for token in tokens).decode().replace("▁", " ")


def test_stop_is_the_most_probable_text_and_other_commands_are_far_from_it() -> None:
    assert RECOGNISER.log_ratio(ended("stop")) > -1.0
    for sentence in ("bring me the cup", "come here", "find the phone"):
        assert RECOGNISER.log_ratio(ended(sentence)) < -5.0


def test_its_tokens_are_the_stop_words_and_the_full_stop() -> None:
    assert {text([token]).strip().lower() for token in WORDS} == {"stop", "halt", "hold"}
    assert text([POINT]) == "."


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_halt_is_a_stop_although_transcribed_as_hold_but_hold_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def recorded(phrase: str) -> NDArray[np.int16]:
        speech = trimmed(speak(phrase, Voice("flite", "kal16")).astype(np.float32))
        return np.concatenate([hiss(1.0), to_16k_mono(0.3 * speech / np.abs(speech).max(), SAMPLE_RATE), hiss(0.15)])[-SEEN:]

    assert RECOGNISER.log_ratio(recorded("okay, halt")) > -1.0
    assert RECOGNISER.log_ratio(recorded("hold it")) < -4.0
    monkeypatch.setattr(stop_recogniser, "WORDS", [word for word in WORDS if "hold" not in text([word]).lower()])
    assert RECOGNISER.log_ratio(recorded("okay, halt")) < -4.0


def test_the_spoken_sentence_is_the_most_probable_text() -> None:
    tokens, _ = MOONSHINE.best(MOONSHINE.vectors(prepared(ended("bring me the cup").astype(np.float32))))
    assert tokens[-1] == END
    assert text(tokens[:-1]).lower().endswith("the cup.")  # the last two seconds


def test_decoding_at_once_equals_decoding_token_by_token() -> None:
    vectors = MOONSHINE.vectors(prepared(ended("bring me the cup").astype(np.float32)))
    tokens, rows = MOONSHINE.best(vectors)
    read_at_once = np.exp(MOONSHINE.after(vectors, tokens[:-1]))
    np.testing.assert_allclose(read_at_once, np.exp(rows[1:]), atol=0.1)  # 8-bit activations are scaled over the whole input
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0, atol=1e-6)


def test_adds_the_weighted_log_ratio_to_the_log_odds() -> None:
    settings = RECOGNISER.settings
    for sentence in ("stop", "come here"):
        samples = ended(sentence)
        ratio = min(max(RECOGNISER.log_ratio(samples), settings.least), 0.0)
        p = RECOGNISER(0.3, samples)
        assert np.log(p / (1 - p)) == pytest.approx(np.log(0.3 / 0.7) + settings.weight * (ratio - settings.none), abs=1e-6)


def test_runs_only_in_doubt_and_on_the_same_sound() -> None:
    low, high = RECOGNISER.settings.asked
    for sure in (low / 2, (1 + high) / 2):
        recogniser = FixedRecogniser(0.5)
        scores = StopSpotter(path=model_path("stop.onnx"), verifier=FixedVerifier(sure), recogniser=recogniser).scores(SAID)
        assert not recogniser.asked
        assert scores.max() >= min(sure, 0.099)
    recogniser = FixedRecogniser(0.77)
    scores = StopSpotter(path=model_path("stop.onnx"), verifier=FixedVerifier(0.5), recogniser=recogniser).scores(SAID)
    assert {p for p, _ in recogniser.asked} == {0.5}
    assert all(len(recorded) <= SEEN for _, recorded in recogniser.asked)
    assert (scores == np.float32(0.77)).sum() == len(recogniser.asked) > 0


def test_does_not_run_while_detections_are_not_reported() -> None:
    recogniser = FixedRecogniser(0.99)
    spotter = StopSpotter(path=model_path("stop.onnx"), verifier=FixedVerifier(0.5), recogniser=recogniser)
    asked, reports = [0], 0
    for at in range(0, len(SAID) - 640, 640):
        reports += len(spotter.feed(AudioChunk(SAID[at : at + 640], at / SAMPLE_RATE)))
        asked.append(len(recogniser.asked))
    assert reports == 1
    assert asked[-1] == 1


def test_a_detection_that_it_rejects_does_not_stop_the_robot() -> None:
    for answer, stops in ((0.001, False), (0.99, True)):
        spotter = StopSpotter(path=model_path("stop.onnx"), verifier=FixedVerifier(0.5), recogniser=FixedRecogniser(answer))
        assert (spotter.scores(SAID).max() >= spotter.threshold) == stops


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_a_stop_in_a_noisy_room_stops_the_robot_and_phrases_with_the_word_do_not() -> None:
    def spoken(phrase: str, noise: float) -> NDArray[np.int16]:
        speech = trimmed(speak(phrase, Voice("flite", "kal16")).astype(np.float32))
        said = np.pad(to_16k_mono(0.3 * speech / np.abs(speech).max(), SAMPLE_RATE), (SAMPLE_RATE, SAMPLE_RATE))
        return np.round(said + hiss(len(said) / SAMPLE_RATE, noise)).astype(np.int16)

    spotter = StopSpotter()
    for noise in (20.0, 600.0):
        for phrase in ("stop", "robot, stop!", "please don't stop", "stop by the kitchen", "switch the green bowl on"):
            spotter.reset()
            heard = spotter.feed(AudioChunk(spoken(phrase, noise), 0.0))
            assert bool(heard) == (phrase in ("stop", "robot, stop!")), phrase


def test_the_threshold_is_the_joint_one() -> None:
    assert StopSpotter().threshold == RECOGNISER.settings.threshold
    assert StopSpotter(0.7).threshold == 0.7


def test_without_the_package_the_others_decide_and_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not StopSpotter().missing
    monkeypatch.setattr(moonshine, "PACKAGE", "no_such_package")
    alone = StopSpotter()
    assert "pip install --no-deps moonshine-voice==0.1.0" in alone.missing
    assert alone.threshold == StopVerifier().threshold
    assert alone.scores(SAID).max() >= alone.threshold


def test_another_version_of_the_package_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "decoder", (FILES["decoder"][0], "0" * 64))
    assert "is not the decoder of moonshine-voice 0.1.0" in StopSpotter().missing
    monkeypatch.setitem(FILES, "decoder", ("renamed.ort", FILES["decoder"][1]))
    assert f"{FOLDER}/renamed.ort" in StopSpotter().missing


def test_silence_and_the_loudest_sample_are_no_problem() -> None:
    for samples in ([], [7], [0] * 100, [-32768, 5] * 1000):
        assert 0.0 < RECOGNISER(0.5, np.array(samples, np.int16)) < 1.0


@pytest.mark.parametrize("content", ["", "weight: [", "weight: 1.0", "- 3", "asked: 4", "asked: [1, 2]\nweight: much", None])
def test_unreadable_settings_are_refused_with_the_remedy(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / SETTINGS
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match="sayso train stop"):
        StopRecogniser(path)


def test_settings_are_restored_and_the_shipped_ones_match_the_configuration(tmp_path: Path) -> None:
    settings = RecogniserSettings((0.05, 0.9), 0.5, -9.0, -1.0, 0.25, 0.1)
    write_settings(settings, tmp_path / SETTINGS)
    assert StopRecogniser(tmp_path / SETTINGS).settings == settings
    configured = load_stop_config().recogniser
    shipped = RECOGNISER.settings
    assert (shipped.asked, shipped.weight, shipped.least, shipped.none) == (
        configured.asked,
        configured.weight,
        configured.least,
        configured.none,
    )
