"""The public data sets are read in their published formats, and the rules of tuning.yaml give their sentences intents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import SaysoError
from sayso.intent.learning import kept_for_calibration
from sayso.training.data import corpora
from sayso.training.data.corpora import Frame, Framed, Labelled
from sayso.training.data.hearing import as_heard
from sayso.training.encoder.tasks import intended, load_tuning

TAGE = """input,tage_output,seq2seq_output
put the book on the chair,0 0 Placing ; 2 2 Theme; 5 5 Goal,-
take my phone and place it on the bench,0 0 Picking ; 1 2 Theme| 4 4 Placing ; 5 5 Theme; 8 8 Goal -4 4 Relation,-
"""
HURIC = [
    {
        "sent": "bring me the cup",
        "tokens": ["bring", "me", "the", "cup"],
        "frames": [{"name": "Bringing", "lu": [0], "fe": [["Beneficiary", [1]], ["Theme", [2, 3]]]}],
    }
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    for name in ("tage", "huric", "alfred", "snips/train"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tage/train.csv").write_text(TAGE)
    (tmp_path / "huric/huric_en.json").write_text(json.dumps(HURIC))
    step = {"split": "train", "text": "Pick up the pan.", "action": "PickupObject", "args": ["pan"]}
    (tmp_path / "alfred/steps.jsonl.gz").write_bytes(gzip.compress(json.dumps(step).encode() + b"\n"))
    (tmp_path / "snips/train/seq.in").write_text("play a song\nbook a table\n")
    (tmp_path / "snips/train/label").write_text("PlayMusic\nBookRestaurant\n")
    return tmp_path


def test_tage_gives_each_request_of_a_sentence_with_its_words(data: Path) -> None:
    first, second = corpora.tage("train")
    assert first.frames == (Frame("Placing", {"Theme": "book", "Goal": "chair"}),)
    assert [frame.name for frame in second.frames] == ["Picking", "Placing"]
    assert second.frames[0].elements == {"Theme": "my phone"}
    assert second.frames[1].elements == {"Theme": "it", "Goal": "bench"}


def test_the_other_data_sets_give_sentences_with_their_labels(data: Path) -> None:
    assert corpora.huric()[0].frames[0].elements == {"Beneficiary": "me", "Theme": "the cup"}
    assert corpora.alfred("train") == (Labelled("Pick up the pan.", "PickupObject"),)
    assert corpora.alfred("valid_seen") == ()
    assert corpora.lines("snips", "train")[1] == Labelled("book a table", "BookRestaurant")


def test_missing_or_inconsistent_data_are_named(data: Path) -> None:
    with pytest.raises(SaysoError, match=r"banking77.*SAYSO_DATA"):
        corpora.lines("banking77", "train")
    (data / "snips/train/label").write_text("PlayMusic\n")
    with pytest.raises(SaysoError, match="2 sentences, but 1 labels"):
        corpora.lines("snips", "train")


@pytest.mark.parametrize(
    ("text", "frame", "intent"),
    [
        ("bring me the cup", Frame("Bringing", {"Beneficiary": "me", "Theme": "the cup"}), "bring"),
        ("carry the mug to the sink", Frame("Bringing", {"Theme": "the mug", "Goal": "to the sink"}), "put"),
        ("bring it to me", Frame("Bringing", {"Theme": "it", "Goal": "to me"}), "bring"),
        ("switch the radio off", Frame("Changing_operational_state", {"Theme": "the radio"}), "switch_off"),
        ("open the door", Frame("Closure", {"Theme": "the door"}), "open"),
        ("there is bread on the desk", Frame("Being_located", {"Theme": "bread"}), ""),
    ],
)
def test_a_frame_becomes_the_intent_that_it_stands_for(text: str, frame: Frame, intent: str) -> None:
    assert intended([Framed(text, (frame,))], load_tuning()) == [Labelled(text, intent)]


def test_sentences_with_two_frames_or_without_an_intent_are_left_out() -> None:
    attaching, placing = Frame("Attaching", {}), Frame("Placing", {})
    assert intended([Framed("connect the wire", (attaching,)), Framed("do both", (placing, placing))], load_tuning()) == []


@given(st.text("abcde ", max_size=40), st.integers())
def test_a_changed_sentence_is_not_empty_and_repeatable(text: str, seed: int) -> None:
    text = " ".join(text.split())
    assert as_heard(text, Random(seed)) == as_heard(text, Random(seed))
    assert bool(as_heard(text, Random(seed))) == bool(text)


def test_only_its_words_decide_whether_a_template_is_held_out() -> None:
    kept = [template for template in (f"bring {number}" for number in range(600)) if kept_for_calibration(template)]
    assert 60 < len(kept) < 150


def test_an_invalid_setting_is_refused_by_name(tmp_path: Path) -> None:
    wrong = tmp_path / "tuning.yaml"
    wrong.write_text("steps: 0\n")
    with pytest.raises(SaysoError, match=r"tuning\.yaml: "):
        load_tuning(wrong)
