"""`sayso bench speech`: its scores count right, and every row of a run has a value or a reason."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.console.bench import Row
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.paths import config_dir, project_root
from sayso.speech.files import read_sound
from sayso.training.speech.train import edits
from sayso.types import Transcript, TranscriptAlternative

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
WORDS = st.lists(st.sampled_from(("bring", "me", "the", "cup", "tupperware")), max_size=6).map(" ".join)


def loaded(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert specification
    assert specification.loader
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


speech, latency = loaded("speech"), loaded("latency")
import _speech_rooms as rooms  # noqa: E402
import _speech_rows as rows  # noqa: E402
import _speech_sets as sets  # noqa: E402
import _speech_text as texts  # noqa: E402

HOME = load_domain()
BAR = load_domain(project_root() / "examples" / "coffee" / "coffee.yaml")


def heard(kind: str, said: str, *alternatives: tuple[str, float], rejected: str = "") -> rows.HeardClip:
    listed = tuple(TranscriptAlternative(text, math.log(p)) for text, p in alternatives)
    return rows.HeardClip(sets.SpokenClip(kind, (), said), (Transcript("", 0.0, listed, 1.0, rejected=rejected),))


@given(said=WORDS, heard=WORDS)
def test_word_errors_are_the_least_number_of_edits(said: str, heard: str) -> None:
    errors = texts.word_errors(said, heard)
    assert (errors.errors, errors.words) == (edits(said.split(), heard.split()), len(said.split()))


@given(said=WORDS, heard=WORDS)
def test_known_words_have_no_more_errors_than_all_words(said: str, heard: str) -> None:
    known = texts.known_word_errors(said, heard, ("tupperware",))
    assert known.errors <= texts.word_errors(said, heard).errors
    assert known.words == sum(word != "tupperware" for word in said.split())


@pytest.mark.parametrize(
    ("guess", "errors"),
    [
        ("bring me the tupperware", 0),
        ("bring me the top ware", 0),
        ("bring me the", 0),
        ("bring the tupperware", 1),
        ("bring the cup me", 2),
        ("please bring me the tupperware", 1),
    ],
)
def test_what_became_of_an_unknown_word_is_no_error(guess: str, errors: int) -> None:
    assert texts.known_word_errors("bring me the tupperware", guess, ("tupperware",)) == texts.WordErrors(errors, 3)


def test_spelling_is_no_error() -> None:
    assert texts.word_errors("turn ninety degrees", "Turn 90 degrees.") == texts.WordErrors(0, 3)


def test_slots_are_read_with_the_longest_value_and_compared_exactly() -> None:
    read = texts.SlotReader(BAR, "order")
    order = read("can i have a medium medium roast 8 ounce iced mocha with a little bit of soy milk and sugar")
    assert order == {"size": "medium", "roast": "medium roast", "drink": "iced mocha", "milk": "a little bit of soy milk", "sugar": "sugar"}
    assert texts.same_slots({"drink": "latte", "size": "eight ounce"}, read("an 8 ounce latte"))
    assert not texts.same_slots({"drink": "latte"}, read("an eight ounce latte"))
    assert not texts.same_slots({"drink": "latte", "milk": "some milk"}, read("a latte with milk"))


def test_the_bar_expects_every_value_of_the_recorded_orders() -> None:
    roles = BAR.intents["order"].roles
    assert {name: len(role.values) for name, role in roles.items()} == {
        "drink": 10, "size": 7, "roast": 3, "shots": 3, "milk": 36, "sugar": 18,
    }  # fmt: skip
    assert set(sets.settings()["slots"].values()) == set(roles)


@pytest.mark.parametrize("snr", [24.0, 6.0])
def test_noise_is_mixed_at_the_level_of_the_loudest_frames(snr: float) -> None:
    chance = np.random.default_rng(0)
    speech, noise = 3_000.0 * chance.standard_normal(16_000), 70.0 * chance.standard_normal(16_000)
    mixed = sets.mixed(speech, noise, snr).astype(float)
    part = np.linalg.lstsq(np.stack([speech, noise], axis=1), mixed, rcond=None)[0]
    levels = [sets._loudest(part[0] * speech), sets._loudest(part[1] * noise)]
    assert 10.0 * math.log10(levels[0] / levels[1]) == pytest.approx(snr, abs=0.1)


def test_a_limit_takes_sounds_evenly_from_the_whole_list() -> None:
    assert sets.spread(list(range(10)), 3) == [0, 3, 6]
    assert sets.spread([1, 2], 5) == [1, 2]


def test_calibration_error_is_the_distance_of_the_said_from_the_share_that_is_right() -> None:
    clips = [heard("single", "go", ("go" if at < 6 else "stop", 0.8), ("no", 0.2)) for at in range(10)]
    error, *bins = rows.calibration_rows({"a": clips, "b": clips[:6]})
    assert error.value == pytest.approx(0.2)
    assert error.baselines["b"] == pytest.approx(0.2)
    assert [row.n for row in bins] == [10]
    assert bins[0].value == pytest.approx(60.0)
    assert bins[0].baselines["said"] == pytest.approx(80.0)


def test_an_honest_recogniser_has_an_error_by_chance_that_falls_with_the_number_of_texts() -> None:
    few, many = (rows.by_chance(np.linspace(0.3, 0.99, n)) for n in (50, 5_000))
    assert 0.05 < few < 0.2
    assert many < 0.02
    assert rows.by_chance(np.ones(20)) == 0.0


def test_a_stop_that_is_accepted_as_go_is_counted() -> None:
    clips = [heard("stop", "stop", ("stop", 1.0)), heard("stop", "stop", ("go", 1.0)), heard("stop", "stop", ("go", 1.0), rejected="noise")]
    measured = {row.measure: row.value for row in rows.word_rows({"a": clips}, HOME)}
    assert measured['word "stop": heard as a stop'] == pytest.approx(100 / 3)
    assert measured['word "stop": accepted as "go"'] == pytest.approx(100 / 3)


@pytest.fixture(scope="module")
def commands() -> Iterator[dict[str, Row]]:
    names = ("bring_me_the_red_cup", "turn_left", "go_to_the_dock")
    files = [config_dir() / "sentences" / f"{name}.flac" for name in names]
    clips = [sets.SpokenClip("single", sets.endpointed(read_sound(file).samples), file.stem.replace("_", " ")) for file in files]
    measured = speech.recognised(clips, HOME, speech.chosen_backends("pocketsphinx"), "test")
    yield {row.measure: row for row in rows.command_rows(measured, HOME, len(clips))}


@pytest.mark.long("runs a benchmark")
def test_every_row_has_a_value_or_a_reason(commands: dict[str, Row]) -> None:
    assert len(commands) > 10
    assert all((row.value is None) == bool(row.reason) for row in commands.values())
    assert commands["several: right word for word"].reason


@pytest.mark.long("runs a benchmark")
def test_recorded_sentences_are_scored_by_words_and_by_meaning(commands: dict[str, Row]) -> None:
    assert commands["single: right word for word"].n == 3
    assert commands["single: word error rate"].n == 11
    right, meant = commands["single: right word for word"].value, commands["single and several: intents and roles right"].value
    assert 0 < right <= meant
    assert commands["commands cut or missed by the endpointer"].value == 0


@pytest.mark.parametrize(
    ("said", "alternatives", "fate"),
    [
        ("pick up the pan", [("pick up the pan", 1.0)], "right"),
        ("pick up the pan", [("pick up the pen", 0.6), ("pick up the pan", 0.4)], "asked"),
        ("pick up the pan", [("pick up the pen", 1.0)], "wrong"),
        ("pick up the pan", [("pick up the ball", 0.6), ("pick up the pen", 0.4)], "misasked"),
        ("pick up the pan", [("the weather is nice today", 1.0)], "rejected"),
        ("clean the fridge", [("clean the fridge", 1.0)], "right"),  # declined, as it would be if it was typed
        ("clean the fridge", [("go to the fridge", 1.0)], "wrong"),
        ("bring me the cup", [("bring me the cup", 1.0)], "asked"),  # which cup
    ],
)
def test_a_command_is_judged_by_what_is_decided(said: str, alternatives: list[tuple[str, float]], fate: str) -> None:
    clip = heard("single", said, *alternatives)
    found = {row.measure: row.value for row in rows.command_rows({"moonshine": [clip]}, HOME, 1)}
    assert [name for name, measure in rows.FATES.items() if found[measure.name] == 100.0] == [fate]


def test_a_recogniser_that_is_not_installed_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (row,) = speech.run(backends=f"whisper={tmp_path / 'none.pt'}")
    assert row.measure == "whisper: installed"
    assert "none.pt" in row.reason


@pytest.mark.long("runs a benchmark")
def test_the_fall_back_is_not_measured_in_the_place_of_moonshine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.speech.moonshine.missing", lambda: "the package moonshine-voice is not installed")
    measured = list(speech.run(only="commands", backends="moonshine unbiased"))
    assert [(row.value, row.reason) for row in measured] == [(None, "the package moonshine-voice is not installed")]


def test_a_recogniser_that_fails_does_not_end_the_comparison() -> None:
    def fails(_domain: object) -> object:
        def recognise(_samples: object) -> Transcript:
            raise RuntimeError("no memory")

        return recognise

    fails.name = "broken"  # type: ignore[attr-defined]
    clip = sets.SpokenClip("single", (np.zeros(10, np.int16),), "stop")
    broken = speech.recognised([clip], HOME, [fails], "test")
    (row,) = rows.failure_rows(broken, "commands")
    assert row.value == pytest.approx(100.0)
    assert "no memory" in broken["broken"][0].transcripts[0].rejected


def test_an_order_that_is_rejected_is_not_taken() -> None:
    clips = [heard("clean", "", ("get me a latte", 1.0), rejected=why) for why in ("", "noise")]
    clips = [rows.HeardClip(sets.SpokenClip("clean", (), slots={"drink": "latte"}), each.transcripts) for each in clips]
    measured = {row.measure: row.value for row in rows.order_rows({"a": clips}, BAR) if row.value is not None}
    assert measured["orders, clean: accepted, all slots right"] == pytest.approx(50.0)
    assert measured["orders, clean: all slots right, also if rejected"] == pytest.approx(100.0)


def test_unknown_sets_and_backends_are_errors() -> None:
    with pytest.raises(SaysoError, match="no set 'ears'"):
        next(speech.run(only="ears"))
    with pytest.raises(SaysoError, match="no backend 'siri'"):
        next(speech.run(backends="siri"))
    with pytest.raises(SaysoError, match="never tuned on"):
        next(speech.run(wrong=True))


def test_a_missing_recording_is_an_error_and_not_a_shorter_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    latency._spoken_files()
    monkeypatch.setattr(latency, "SPOKEN", ("go_to_the_moon",))
    with pytest.raises(SaysoError, match=r"go_to_the_moon\.flac"):
        latency._spoken_files()


def test_each_room_has_its_own_rows_and_p_text_is_over_all_rooms() -> None:
    clips = [
        heard("3 m", "go", ("go", 0.9)),
        heard("3 m", "stop", ("go", 0.8)),
        heard("3 m", "stop", ("stop", 0.8), rejected="noise"),
        heard("quiet", "go", ("go", 0.7)),
    ]
    found = {row.measure: row for row in rooms.room_rows({"moonshine": clips})}
    assert found["rooms, 3 m: right word for word"].value == pytest.approx(200 / 3)
    assert found["rooms, 3 m: accepted and right"].value == pytest.approx(100 / 3)
    assert found["rooms, 3 m: accepted though a word is wrong"].value == pytest.approx(100 / 3)
    assert found["rooms, quiet: right word for word"].value == 100.0
    assert found["rooms: calibration error of P(text), accepted commands, 15 bins"].n == 3
