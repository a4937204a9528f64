"""The stop training: labels at the end of the word, the same result for any chunks, and correct counts."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.errors import SaysoError
from sayso.speech.stopping.features import BANDS
from sayso.speech.stopping.spotter import STRIDE, StopSpotter, decided_at
from sayso.training.stop.clips import FROM, NEVER, UNTIL, bank, clip, targets
from sayso.training.stop.config import PARTS, Part, StopConfig, load_stop_config
from sayso.training.stop.measure import LEAD, MeasuredSound, delays, false_stops, in_quiet, lowest_threshold, moments
from sayso.training.stop.sounds import SESSIONS, SpokenPhrase, hard_phrase, plain_sentences, save, saved, stop_phrase, trimmed

pytestmark = pytest.mark.long("trains or exports a network")

CONFIG = load_stop_config()


def tone(seconds: float, kind: str = "sentence", end: int | None = None, recorded: bool = False) -> SpokenPhrase:
    samples = (0.3 * np.sin(np.arange(int(seconds * 16000)) / 5)).astype(np.float32)
    return SpokenPhrase(samples, kind, "stop" if kind == "stop" else "go", "somebody", end, recorded)  # type: ignore[arg-type]


def test_no_voice_and_no_session_is_in_two_parts() -> None:
    voices = [voice for part in PARTS for voice, _ in CONFIG.speakers(part)]
    assert len(voices) == len(set(voices)) > 60
    halves = [{half for voice, _ in CONFIG.speakers(part) if voice.program == "kokoro" for half in voice.name.split("+")} for part in PARTS]
    assert sum(map(len, halves)) == len(set().union(*halves)) > 40
    sessions = [date for dates in SESSIONS.values() for date in dates]
    assert len(sessions) == len(set(sessions))
    sentences = [set(plain_sentences(part)) for part in PARTS]
    assert sum(map(len, sentences)) > 6000
    assert len(sentences[0] & sentences[2]) < 0.02 * len(sentences[2])


def test_stop_phrases_contain_the_word_and_plain_sentences_do_not() -> None:
    chance = random.Random(0)
    stops = [stop_phrase(CONFIG, chance) for _ in range(300)]
    assert all(any(word in text for word in CONFIG.words) for text in stops)
    assert not any("stop" in text for part in PARTS for text in plain_sentences(part))
    said = [hard_phrase(CONFIG, chance) for _ in range(500)]
    assert any(text.startswith("don't stop") for text in said)
    assert any("stop the music" in text for text in said)


def test_phrases_of_neural_voices_are_drawn_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.training.stop import train as stop

    for recordings in ("recorded_words", "recorded_talk", "noises"):
        monkeypatch.setattr(stop, recordings, lambda part: [])
    said = [replace(tone(0.5, "stop", 8000), voice=voice) for voice in ("flite slt", "kokoro af_bella")]
    assert [each.neural for each in said] == [False, True]
    drawn = [each.voice for each in stop._bank(CONFIG, said).sounds["stop"]]
    assert drawn == ["flite slt"] + CONFIG.voices["train"]["kokoro"].times * ["kokoro af_bella"]
    assert len(drawn) > 2


def test_a_stop_is_labelled_after_its_end_and_a_revoked_one_is_not() -> None:
    stop = tone(0.5, "stop", 8000)
    made_of = bank([stop, tone(1.2), SpokenPhrase(stop.samples, "hard", "don't stop", "somebody")], [])
    ends = [clip(made_of, CONFIG.seconds, np.random.default_rng(index))[1] for index in range(60)]
    fire, weight = targets(np.array(ends, np.float32), 79)
    times = np.array([decided_at(index) for index in range(79)])
    for (end, word), wanted, counts in zip(ends, fire, weight, strict=True):
        expected = (times >= end + FROM) & (times <= end + UNTIL) if end != NEVER else np.zeros(79, bool)
        assert (wanted[0].astype(bool) == expected).all()
        assert counts[0][wanted[0] > 0].all()
        assert end in (word, NEVER)
    taken_back = [(end, word) for end, word in ends if end == NEVER and word != NEVER]
    assert taken_back
    assert sum(end != NEVER for end, _ in ends) > 10


@examples(10)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_the_network_gives_the_same_result_in_pieces(pieces: list[int]) -> None:
    import torch

    from sayso.training.stop.network import StopNetwork

    torch.manual_seed(0)
    network = StopNetwork((4, 6), 8, 3, (1, 2, 4)).eval()
    frames = torch.randn(1, STRIDE * sum(pieces), BANDS)
    with torch.no_grad():
        whole = network(frames)[0]
        before, memory = network.blank()
        parts = []
        for part in torch.split(frames, [STRIDE * each for each in pieces], dim=1):
            logits, before, memory = network(part, before, memory)
            parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, dim=2), whole, atol=1e-5, rtol=1e-4)


def test_an_exported_network_runs_and_an_interrupted_training_continues(tmp_path: Path) -> None:
    import torch

    from sayso.training.stop.fit import Course, clips_once, fit, odds_by_loss
    from sayso.training.stop.network import StopNetwork, export

    config = CONFIG.model_copy(update={"again": CONFIG.again.model_copy(update={"clips": 6}), "batch": 4, "seconds": 2.0})
    member = CONFIG.members[-1]
    made_of = bank([tone(0.5, "stop", 8000), tone(1.2), tone(0.4, "hard")], [])
    features, ends = clips_once(made_of, config, tmp_path, lambda done, total: None)
    steps: list[int] = []
    weights = []
    for _ in range(2):
        torch.manual_seed(0)
        network = StopNetwork((3, 4), 4, 2, (1,))
        fit(network, features, ends, config, member, Course(3, 1e-3), tmp_path, lambda step, loss: steps.append(step))
        odds = odds_by_loss(network, features, ends, config.batch)
        fit(network, features, ends, config, member, Course(2, 1e-4, odds), tmp_path, lambda step, loss: steps.append(3 + step))
        weights.append(network.last.weight.detach().clone())
    assert steps == [1, 2, 3, 4, 5]  # the second run had nothing to do
    assert torch.equal(*weights)
    export([network, network], {"threshold": 0.4, "delay": 0.1}, tmp_path / "stop.onnx")
    spotter = StopSpotter(path=tmp_path / "stop.onnx")
    assert spotter.threshold == 0.4
    assert len(spotter.scores(np.zeros(16000, np.int16))) == 24


def test_interrupted_clips_are_mixed_again_and_then_cached(tmp_path: Path) -> None:
    from sayso.training.stop.fit import clips_once

    config = CONFIG.model_copy(update={"again": CONFIG.again.model_copy(update={"clips": 4}), "seconds": 2.0})
    made_of = bank([tone(0.5, "stop", 8000), tone(1.2), tone(0.4, "hard")], [])

    def interrupted(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clips_once(made_of, config, tmp_path, interrupted)
    mixed: list[int] = []
    first = clips_once(made_of, config, tmp_path, lambda done, total: mixed.append(done))
    again = clips_once(made_of, config, tmp_path, lambda done, total: mixed.append(done))
    assert mixed == [1, 2, 3, 4]
    assert first[0].shape == (4, 49 * STRIDE, BANDS)
    assert all(np.abs(clip.astype(np.float32)).max() > 0.1 for clip in first[0])
    for before, after in zip(first, again, strict=True):
        np.testing.assert_array_equal(before, after)


def test_a_network_trains_in_all_its_runs_and_continues(tmp_path: Path) -> None:
    import torch

    from sayso.training.stop.fit import clips_once
    from sayso.training.stop.train import fit_member

    small = {"front": (3, 4), "channels": 4, "kernel": 2, "dilations": (1,), "batch": 4, "seconds": 2.0, "clips": 5}
    again = CONFIG.again.model_copy(update={"clips": 6, "runs": tuple(run.model_copy(update={"steps": 2}) for run in CONFIG.again.runs)})
    config = CONFIG.model_copy(update={**small, "again": again})
    member = CONFIG.members[-1].model_copy(update={"steps": 3})
    made_of = bank([tone(0.5, "stop", 8000), tone(1.2), tone(0.4, "hard")], [])
    features, ends = clips_once(made_of, config, tmp_path, lambda done, total: None)
    steps: list[int] = []
    network = fit_member(config, member, features, ends, tmp_path, lambda step, loss: steps.append(step))
    assert steps == [1, 2, 3, 4, 5, 6, 7, 8, 9]  # 3, and 2 in each of the three further runs
    steps.clear()
    resumed = fit_member(config, member, features, ends, tmp_path, lambda step, loss: steps.append(step))
    assert steps == []
    assert torch.equal(resumed.last.weight, network.last.weight)


def test_clips_with_errors_are_drawn_more_often_and_none_is_left_out() -> None:
    import torch

    from sayso.training.stop.fit import odds_by_loss
    from sayso.training.stop.network import StopNetwork

    torch.manual_seed(0)
    network = StopNetwork((3, 4), 4, 2, (1,))
    network.last.bias.data.fill_(-6.0)  # almost certainly no stop
    features = np.random.default_rng(0).normal(0, 1, (10, 40 * STRIDE, BANDS)).astype(np.float16)
    ends = np.full((10, 2), NEVER, np.float32)
    ends[3] = 0.5
    odds = odds_by_loss(network, features, ends, batch=4)
    assert odds.sum() == pytest.approx(1.0)
    assert odds.argmax() == 3
    assert odds[3] > 0.4
    assert (np.delete(odds, 3) >= 0.5 / 10).all()


def test_a_model_of_several_networks_gives_their_mean(tmp_path: Path) -> None:
    import torch

    from sayso.training.stop.network import StopNetwork, export

    torch.manual_seed(1)
    networks = [StopNetwork((4, 6), 8, 3, (1, 2)).eval() for _ in range(2)]
    sound = (np.random.default_rng(0).normal(0, 3000, 24000)).astype(np.int16)
    said = []
    for name, members in (("first", networks[:1]), ("second", networks[1:]), ("both", networks)):
        path = tmp_path / f"{name}.onnx"
        export(members, {"threshold": 0.5, "delay": 0.0}, path)
        spotter = StopSpotter(path=path)
        said.append(np.concatenate([spotter.scores(piece) for piece in np.split(sound, 3)]))
    first, second, both = said
    assert not np.allclose(first, second, atol=1e-3)
    np.testing.assert_allclose(both, (first + second) / 2, atol=1e-5)


def test_phrases_are_cached_until_the_pitch_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.training.stop import sounds as stop_sounds

    asked = []

    def spoken(config: StopConfig, part: Part, report: object) -> list[SpokenPhrase]:
        asked.append(config.pitch)
        return [tone(0.5)]

    monkeypatch.setattr(stop_sounds, "spoken", spoken)
    higher = CONFIG.model_copy(update={"pitch": (1.0, 2.0)})
    for config in (CONFIG, CONFIG, higher, CONFIG):
        stop_sounds.spoken_once(config, "tuning", tmp_path, lambda done, total: None)
    assert asked == [CONFIG.pitch, higher.pitch]


def test_background_speech_only_adds_power() -> None:
    from sayso.training.stop.fit import _heard_before

    chance = np.random.default_rng(0)
    front, back = (chance.normal(0, 1, (16, 40, BANDS)).astype(np.float32) for _ in range(2))
    mixed = _heard_before(front, back, (5.0, 25.0), chance)
    assert (mixed >= front - 1e-5).all()
    louder = (mixed - front).mean(axis=(1, 2)) > 1e-3
    assert 4 < louder.sum() < 16  # behind some there is nothing


def test_spoken_phrases_are_saved_and_read(tmp_path: Path) -> None:
    sounds = [tone(0.3, "stop", 4800), tone(0.5)]
    save(sounds, tmp_path / "sounds.npz")
    for before, after in zip(sounds, saved(tmp_path / "sounds.npz"), strict=True):
        assert (before.kind, before.text, before.voice, before.end) == (after.kind, after.text, after.voice, after.end)
        np.testing.assert_allclose(after.samples, before.samples, atol=1e-4)


def test_silence_around_a_phrase_is_removed() -> None:
    sound = np.pad(tone(0.5).samples, (3200, 4800))
    assert abs(len(trimmed(sound)) - 8000) <= 320


@pytest.mark.parametrize("breath", [0.0, 0.1, 0.4])
def test_a_stop_ends_at_a_fixed_time_after_its_vowel(breath: float) -> None:
    def loud(seconds: float, level: float) -> np.ndarray:
        return level * np.sin(np.arange(int(seconds * 16000)) / 5)

    sound = np.concatenate([loud(0.2, 0.3), loud(0.05, 0.001), loud(0.02, 0.2), loud(breath, 0.01)]).astype(np.float32)
    stop = SpokenPhrase(sound, "stop", "stop", "somebody", len(sound))
    taken_back = SpokenPhrase(sound, "hard", "don't stop!", "somebody")
    assert stop.word_end == taken_back.word_end == pytest.approx(0.28 * 16000, abs=320)
    assert next(in_quiet([stop])).end == LEAD + (stop.word_end or 0) / 16000  # where it is learnt it is measured
    assert next(in_quiet([taken_back])).end is None
    assert SpokenPhrase(sound, "hard", "the shop", "somebody").word_end is None
    assert SpokenPhrase(sound, "stop", "stop", "05-08", 4000, recorded=True).word_end == 4000


def test_a_word_is_detected_once_and_only_near_its_end() -> None:
    scores = np.zeros(75, np.float32)
    scores[30:34] = 0.9  # 1.24 s and on
    scores[60] = 0.9
    assert moments(scores, 0.5) == [decided_at(30), decided_at(60)]
    heard = [MeasuredSound(np.zeros(48000, np.int16), 1.1, tone(3.0)), MeasuredSound(np.zeros(48000, np.int16), 0.1, tone(3.0))]
    found = delays([(each, scores) for each in heard], 0.5)
    assert found == [pytest.approx(decided_at(30) - 1.1), None]


def test_the_threshold_is_the_lowest_within_the_hourly_limit() -> None:
    others = []
    for peak in (0.2, 0.4, 0.6, 0.8):
        scores = np.zeros(75, np.float32)
        scores[30] = peak
        others.append((MeasuredSound(np.zeros(48000, np.int16), None, tone(900.0)), scores))  # an hour altogether
    threshold = lowest_threshold(others, per_hour=1.0)
    assert threshold == pytest.approx(0.61)
    assert false_stops(others, threshold) == 1


def test_a_missing_synthesiser_is_named_with_the_packages_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.training.stop.train import train_stop

    monkeypatch.setattr(shutil, "which", lambda program: None if program == "pico2wave" else "/usr/bin/true")
    with pytest.raises(SaysoError, match="apt install libttspico-utils"):
        train_stop()
