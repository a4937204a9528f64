"""Where spotter and verifier doubt that somebody said stop, a published recogniser is asked what was said; without it they decide alone."""

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
from sayso.speech.files import as_heard
from sayso.speech.moonshine import END, FILES, FOLDER, Moonshine, packaged
from sayso.speech.stopping import recogniser as stop_recogniser
from sayso.speech.stopping.recogniser import NUMBERS, POINT, WORDS, Numbers, StopRecogniser, write_numbers
from sayso.speech.stopping.spotter import StopSpotter
from sayso.speech.stopping.verifier import SEEN, StopVerifier, prepared
from sayso.training.speech.voices import Voice, speak
from sayso.training.stop.config import load_stop_config
from sayso.training.stop.sounds import trimmed
from sayso.types import SAMPLE_RATE, AudioChunk

RECOGNISER = StopRecogniser()
MOONSHINE = Moonshine()
SAID = np.concatenate([hiss(0.7), sound("stop"), hiss(0.4)])


class Told(StopRecogniser):
    """Says always the same, and keeps what it was asked about."""

    def __init__(self, answer: float) -> None:
        self.numbers, self.answer, self.asked = RECOGNISER.numbers, answer, list[tuple[float, NDArray[np.int16]]]()

    def in_doubt(self, p_stop: float) -> bool:
        return RECOGNISER.in_doubt(p_stop)

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        self.asked.append((p_stop, samples))
        return self.answer


class Doubtful(StopVerifier):
    """Says always the same."""

    def __init__(self, answer: float) -> None:
        self.asked_from, self.threshold, self.delay, self.answer = 0.1, 0.4, 0.0, answer

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        return self.answer


def ended(sentence: str) -> NDArray[np.int16]:
    """Its last two seconds, and a little of the room after it."""
    return np.concatenate([hiss(1.0), sound(sentence), hiss(0.15)])[-SEEN:]


def text(tokens: list[int]) -> str:
    """Of the package's table: each token's length in a byte or two, then the token."""
    table, at, words = (packaged("decoder").parent / "tokenizer.bin").read_bytes(), 0, []
    while at < len(table):
        length, at = table[at], at + 1
        if length >= 128:
            length, at = length - 128 + 128 * table[at], at + 1
        words.append(table[at : at + length])
        at += length
    return b"".join(words[token] for token in tokens).decode().replace("▁", " ")


def test_a_spoken_stop_is_the_likeliest_text_and_another_command_is_far_from_it() -> None:
    assert RECOGNISER.log_ratio(ended("stop")) > -1.0
    for sentence in ("bring me the cup", "come here", "find the phone"):
        assert RECOGNISER.log_ratio(ended(sentence)) < -5.0


def test_its_tokens_are_the_words_of_stopping_and_the_point() -> None:
    assert {text([token]).strip().lower() for token in WORDS} == {"stop", "halt", "hold"}
    assert text([POINT]) == "."


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_halt_is_a_stop_though_it_is_mostly_written_hold_but_hold_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def heard(phrase: str) -> NDArray[np.int16]:
        said = trimmed(speak(phrase, Voice("flite", "kal16")).astype(np.float32))
        return np.concatenate([hiss(1.0), as_heard(0.3 * said / np.abs(said).max(), SAMPLE_RATE), hiss(0.15)])[-SEEN:]

    assert RECOGNISER.log_ratio(heard("okay, halt")) > -1.0
    assert RECOGNISER.log_ratio(heard("hold it")) < -4.0
    monkeypatch.setattr(stop_recogniser, "WORDS", [word for word in WORDS if "hold" not in text([word]).lower()])
    assert RECOGNISER.log_ratio(heard("okay, halt")) < -4.0


def test_what_was_said_is_the_likeliest_text() -> None:
    tokens, _ = MOONSHINE.best(MOONSHINE.vectors(prepared(ended("bring me the cup").astype(np.float32))))
    assert tokens[-1] == END
    assert text(tokens[:-1]).lower().endswith("the cup.")  # two seconds of it


def test_how_likely_the_next_token_is_does_not_depend_on_whether_the_text_is_read_at_once_or_token_by_token() -> None:
    vectors = MOONSHINE.vectors(prepared(ended("bring me the cup").astype(np.float32)))
    tokens, rows = MOONSHINE.best(vectors)
    read_at_once = np.exp(MOONSHINE.after(vectors, tokens[:-1]))
    np.testing.assert_allclose(read_at_once, np.exp(rows[1:]), atol=0.1)  # its 8 bits are scaled by all that is read at once
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0, atol=1e-6)


def test_its_weighted_log_ratio_is_added_to_the_log_odds_of_the_two() -> None:
    told = RECOGNISER.numbers
    for sentence in ("stop", "come here"):
        samples = ended(sentence)
        ratio = min(max(RECOGNISER.log_ratio(samples), told.least), 0.0)
        p = RECOGNISER(0.3, samples)
        assert np.log(p / (1 - p)) == pytest.approx(np.log(0.3 / 0.7) + told.weight * (ratio - told.none), abs=1e-6)


def test_it_is_asked_only_where_the_two_are_in_doubt_and_hears_what_they_heard() -> None:
    low, high = RECOGNISER.numbers.asked
    for sure in (low / 2, (1 + high) / 2):
        told = Told(0.5)
        scores = StopSpotter(path=model_path("stop.onnx"), verifier=Doubtful(sure), recogniser=told).scores(SAID)
        assert not told.asked
        assert scores.max() >= min(sure, 0.099)
    told = Told(0.77)
    scores = StopSpotter(path=model_path("stop.onnx"), verifier=Doubtful(0.5), recogniser=told).scores(SAID)
    assert {p for p, _ in told.asked} == {0.5}
    assert all(len(heard) <= SEEN for _, heard in told.asked)
    assert (scores == np.float32(0.77)).sum() == len(told.asked) > 0


def test_it_is_not_asked_again_while_what_it_says_would_not_be_reported() -> None:
    told = Told(0.99)
    spotter = StopSpotter(path=model_path("stop.onnx"), verifier=Doubtful(0.5), recogniser=told)
    asked, reports = [0], 0
    for at in range(0, len(SAID) - 640, 640):
        reports += len(spotter.feed(AudioChunk(SAID[at : at + 640], at / SAMPLE_RATE)))
        asked.append(len(told.asked))
    assert reports == 1
    assert asked[-1] == 1


def test_what_it_takes_back_does_not_stop_the_robot() -> None:
    for answer, stops in ((0.001, False), (0.99, True)):
        spotter = StopSpotter(path=model_path("stop.onnx"), verifier=Doubtful(0.5), recogniser=Told(answer))
        assert (spotter.scores(SAID).max() >= spotter.threshold) == stops


def test_the_threshold_is_that_of_all_three() -> None:
    assert StopSpotter().threshold == RECOGNISER.numbers.threshold
    assert StopSpotter(0.7).threshold == 0.7


def test_without_the_package_the_two_decide_at_their_own_threshold_and_it_is_said_how_to_bring_it(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_silence_and_the_loudest_sample_are_no_trouble() -> None:
    for samples in ([], [7], [0] * 100, [-32768, 5] * 1000):
        assert 0.0 < RECOGNISER(0.5, np.array(samples, np.int16)) < 1.0


@pytest.mark.parametrize("spoilt", ["", "weight: [", "weight: 1.0", "- 3", "asked: 4", "asked: [1, 2]\nweight: much", None])
def test_numbers_that_cannot_be_read_are_refused_with_the_command_that_makes_them(tmp_path: Path, spoilt: str | None) -> None:
    path = tmp_path / NUMBERS
    if spoilt is not None:
        path.write_text(spoilt)
    with pytest.raises(ModelError, match="sayso train stop"):
        StopRecogniser(path)


def test_numbers_are_read_as_they_were_written_and_those_that_are_shipped_are_the_configuration_s(tmp_path: Path) -> None:
    numbers = Numbers((0.05, 0.9), 0.5, -9.0, -1.0, 0.25, 0.1)
    write_numbers(numbers, tmp_path / NUMBERS)
    assert StopRecogniser(tmp_path / NUMBERS).numbers == numbers
    told = load_stop_config().recogniser
    shipped = RECOGNISER.numbers
    assert (shipped.asked, shipped.weight, shipped.least, shipped.none) == (told.asked, told.weight, told.least, told.none)
