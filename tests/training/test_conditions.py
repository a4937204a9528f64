"""Rooms, noises and microphones of the trials: each does to the sound what its table says."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.speech.language_model import corpus
from sayso.training.speech import tuning
from sayso.training.speech.conditions import RoomCondition, by_telephone, conditions, drawn
from sayso.training.speech.noise import noise
from sayso.training.speech.tuning import HELD_OUT, TUNING, condition_trials, spoken, talk_lines, words_alone
from sayso.training.speech.voices import Voice
from sayso.types import SAMPLE_RATE, FloatArray

SECOND = np.sin(2 * np.pi * 300 * np.arange(SAMPLE_RATE) / SAMPLE_RATE)
TALK = [SECOND, np.sin(2 * np.pi * 500 * np.arange(SAMPLE_RATE // 2) / SAMPLE_RATE)]
SPEAKERS = pytest.mark.skipif(not (shutil.which("flite") and shutil.which("espeak-ng")), reason="flite or espeak-ng is not installed")


def chance() -> np.random.Generator:
    return np.random.default_rng(5)


def named(name: str) -> RoomCondition:
    return next(each for each in conditions() if each.name == name)


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data sets with forty sentences of talk in each part."""
    parts = {part: [[f"the parliament of {part[4:]} met {number} times {'again ' * number}", "oos"] for number in range(8)] for part in
             ("oos_train", "oos_test")}  # fmt: skip
    (tmp_path / "clinc150").mkdir()
    (tmp_path / "clinc150" / "data_full.json").write_text(json.dumps(parts), encoding="utf-8")
    for part in ("train", "test"):
        folder = tmp_path / "banking77" / part
        folder.mkdir(parents=True)
        texts = [f"my {part} account {letter * 3} was charged" for letter in "abcdefghijklmnopqrstuvwxyz"]
        (folder / "seq.in").write_text("\n".join(texts), encoding="utf-8")
        (folder / "label").write_text("\n".join("charge" for _ in texts), encoding="utf-8")
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    monkeypatch.setattr(tuning, "corpus", lambda _: home_corpus())
    return tmp_path


@cache
def home_corpus() -> tuple[str, ...]:
    """The default home's, which takes seconds to draw."""
    return tuple(corpus(load_domain()))


@pytest.mark.parametrize("kind", ["room", "babble", "kitchen", "music"])
@examples(10)
@given(seed=st.integers(0, 1_000), length=st.integers(2_000, 40_000))
def test_every_noise_has_unit_power_and_the_length_asked_for(kind: str, seed: int, length: int) -> None:
    sound = noise(kind, length, TALK, np.random.default_rng(seed))  # type: ignore[arg-type]
    assert sound.shape == (length,)
    assert np.mean(np.square(sound)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("condition", conditions(), ids=lambda each: each.name)
def test_the_same_draw_gives_the_same_sound(condition: RoomCondition) -> None:
    sounds = [condition(SECOND, TALK, chance()) for _ in range(2)]
    assert sounds[0].dtype == np.int16
    assert np.array_equal(*sounds)


@pytest.mark.parametrize(("name", "snr"), [("20 dB", 20.0), ("12 dB", 12.0), ("6 dB", 6.0)])
def test_speech_and_noise_have_the_ratio_of_the_table(name: str, snr: float) -> None:
    quiet = replace(named(name), noise=("room",), distance=0.0)
    sound = quiet(SECOND, TALK, chance()).astype(float)
    pause, voice = sound[: SAMPLE_RATE // 2], sound[SAMPLE_RATE : SAMPLE_RATE * 3 // 2]
    assert 10 * np.log10(voice.var() / pause.var() - 1) == pytest.approx(snr, abs=1.5)


def test_three_metres_away_the_echoes_are_louder_than_the_voice() -> None:
    click: FloatArray = np.zeros(SAMPLE_RATE)
    click[0] = 1.0

    def echoes_to_voice(distance: float) -> float:
        sound = replace(named("3 m"), snr=(90.0,), distance=distance)(click, TALK, chance()).astype(float)
        peak = int(np.abs(sound).argmax()) if distance < 1.0 else int(0.6 * SAMPLE_RATE)
        return float(np.square(sound[peak + 1 : peak + SAMPLE_RATE]).sum() / sound[peak] ** 2)

    assert echoes_to_voice(3.0) > 5.0
    assert echoes_to_voice(0.3) < 0.5


def test_a_telephone_passes_only_its_band() -> None:
    def passed(hertz: float) -> float:
        return float(np.abs(np.fft.rfft(by_telephone(white))[int(hertz) - 50 : int(hertz) + 50]).mean())

    white = chance().standard_normal(SAMPLE_RATE)
    assert passed(1_000) > 6 * passed(100)  # what is left is the noise of 8 bits
    assert passed(1_000) > 6 * passed(6_000)


def test_a_loud_voice_is_clipped_and_a_quiet_one_is_not() -> None:
    loud, quiet = (np.abs(named(name)(SECOND, TALK, chance()).astype(int)) for name in ("clipped", "quiet"))
    assert 0.02 < (loud == 32767).mean() < 0.8
    assert 32767 * 10 ** (-35 / 20) < quiet.max() < 32767 * 10 ** (-23 / 20)


def test_conditions_are_drawn_as_often_as_their_shares_say() -> None:
    generator = chance()
    draws = [drawn(generator).name for _ in range(600)]
    total = sum(each.share for each in conditions())
    for each in conditions():
        assert draws.count(each.name) / 600 == pytest.approx(each.share / total, abs=0.06)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("hall: {share: 1, noise: crowd, snr: [6], echo: [1, 2], distance: 1}", "crowd"),
        ("hall: {share: 1, noise: room, snr: [6], echo: [1, 2], distance: 1, wind: 3}", "wind"),
    ],
)
def test_a_table_with_an_unknown_noise_or_field_is_refused(tmp_path: Path, line: str, named: str) -> None:
    path = tmp_path / "conditions.yaml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(SaysoError, match=rf"conditions.yaml: 'hall'.*{named}"):
        conditions(path)


def test_no_voice_talk_or_word_of_the_fit_is_measured(talk: Path) -> None:
    home = load_domain()
    assert not {*TUNING.quick, *TUNING.human} & {*HELD_OUT.quick, *HELD_OUT.human}
    assert not {*talk_lines(home, TUNING)} & {*talk_lines(home, HELD_OUT)}
    assert not {*words_alone(home, TUNING)} & {*words_alone(home, HELD_OUT)}


def test_talk_and_words_are_no_sentences_of_the_home(talk: Path) -> None:
    home = load_domain()
    known = {word for line in home_corpus() for word in line.split()}
    for text in (*talk_lines(home, TUNING), *words_alone(home, TUNING)):
        assert set(text.split()) - known
        assert len(text.split()) <= 14


@SPEAKERS
def test_trials_have_commands_talk_and_noise_and_are_the_same_in_each_run(talk: Path) -> None:
    first, second = (list(condition_trials(load_domain(), TUNING, 4)) for _ in range(2))
    assert {each.source for each in first} >= {"command", "commands", "unrelated", "noise"}
    assert all(bool(each.text) == (each.source in ("command", "commands")) for each in first)
    assert [(each.text, each.condition) for each in first] == [(each.text, each.condition) for each in second]
    assert all(np.array_equal(one.samples, other.samples) for one, other in zip(first, second, strict=True))


@SPEAKERS
def test_quick_voices_are_not_kept() -> None:
    assert len(spoken("stop", Voice("flite", "slt"), 1.0)) > SAMPLE_RATE // 5
