"""`sayso bench grounding`: phrases about photographs have the right answers, and a quick run on small sets gives every row a value."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import matplotlib.cbook
import numpy as np
import pytest
from PIL import Image as Picture

from sayso.console.bench import load_benchmark
from sayso.errors import SaysoError
from sayso.training.data.photographs import MarkedThing, Photograph
from sayso.types import Image

grounding = load_benchmark(Path(__file__).resolve().parents[2] / "benchmarks" / "grounding.py")
phrases, finders, rows = (sys.modules[f"_grounding_{name}"] for name in ("phrases", "finders", "photographs"))
SMALLEST = 0.0033
LEFT_CUP, RIGHT_CUP, BOTTLE = (0.0, 200.0, 100.0, 300.0), (400.0, 200.0, 600.0, 400.0), (200.0, 0.0, 300.0, 200.0)


def photograph(*things: tuple[str, tuple[float, float, float, float]]) -> Photograph:
    return Photograph("a.jpg", Image(np.zeros((480, 640, 3), np.uint8), 0.0), tuple(MarkedThing(*each) for each in things))


def related(*things: tuple[str, tuple[float, float, float, float]]) -> dict[str, tuple[float, ...]]:
    asked = phrases.asked_about(photograph(*things), (), SMALLEST, {}, 3)
    return {each.phrase: each.right[0] for each in asked if "relation" in each.tags}


def test_relations_are_asked_where_nobody_can_doubt() -> None:
    assert related(("cup", RIGHT_CUP), ("cup", LEFT_CUP), ("bottle", BOTTLE)) == {
        "left cup": LEFT_CUP,
        "right cup": RIGHT_CUP,
        "biggest cup": RIGHT_CUP,
        "cup left of the bottle": LEFT_CUP,
    }
    assert related(("cup", LEFT_CUP), ("cup", (30.0, 200.0, 130.0, 300.0))) == {}  # beside each other, of one size
    assert related(("cup", LEFT_CUP)) == {}


def test_colors_are_asked_of_the_only_thing_of_a_kind() -> None:
    colors = {"a.jpg": {0: {"kind": "cup", "colors": ["red"], "doubtful": ["pink", "orange"]}, 1: {"kind": "bowl", "colors": ["white"]}}}
    photo = photograph(("cup", LEFT_CUP), ("bowl", BOTTLE), ("bowl", RIGHT_CUP))
    first, second = (each for each in phrases.asked_about(photo, (), SMALLEST, colors, 3) if "color" in each.tags)
    assert (first.phrase, first.right) == ("red cup", (LEFT_CUP,))
    assert second.right == ()
    assert second.phrase.split()[0] not in {"red", "pink", "orange"}


def answer(box: tuple[float, float, float, float] | None) -> object:
    found = finders.FoundBox(0.9, box) if box else None
    return finders.Answer(found, found, 0.9)


def test_an_answer_is_correct_if_it_is_the_box_or_rightly_none() -> None:
    there, absent = rows.Asked("cup", (LEFT_CUP,)), rows.Asked("dog", ())
    assert rows.correct(there, answer(LEFT_CUP))
    assert not rows.correct(there, answer(RIGHT_CUP))
    assert not rows.correct(there, answer(None))
    assert rows.correct(absent, answer(None))
    assert not rows.correct(absent, answer(LEFT_CUP))


def test_the_calibration_error_is_what_probabilities_are_off() -> None:
    assert rows._error([(0.9, True)] * 9 + [(0.9, False)]) == pytest.approx(0.0)
    assert rows._error([(0.9, True)] * 4 + [(0.9, False)] * 4) == pytest.approx(40.0)
    assert rows._error([]) is None


def test_colors_of_the_benchmark_are_of_other_pictures_than_those_of_the_training() -> None:
    from sayso.training.detector.fit import COLORS
    from sayso.yaml_source import read_plain

    assert not set(read_plain(rows.COLORS)) & set(read_plain(COLORS))


def write_set(folder: Path, name: str, split: str, kind: str) -> None:
    content = io.BytesIO()
    with Picture.open(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
        opened.convert("RGB").save(content, "JPEG")
    (folder / name).mkdir(parents=True)
    with zipfile.ZipFile(folder / name / "photographs.zip", "w") as made:
        made.writestr(f"{split}/a.jpg", content.getvalue())
        listed = {"file": f"{split}/a.jpg", "split": split, "things": [[kind, 10.0, 20.0, 510.0, 600.0]]}
        made.writestr("photographs.json", json.dumps([listed]))


@pytest.mark.long("runs a benchmark")
def test_a_quick_run_compares_the_detector_with_the_network_at_its_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    write_set(tmp_path, "coco128", "val2017", "person")
    write_set(tmp_path, "bottles_and_cups", "test", "bottle")
    write_set(tmp_path, "kitchen_containers", "all", "garlic")
    measured = {row.measure: row for row in grounding.run(quick=True, only="photographs")}
    assert [name for name, row in measured.items() if row.value is None and not name.startswith("clothes")] == []  # nobody here is named
    person = measured["COCO: a kind, the right box"]
    assert (person.value, person.n, person.baselines) == (100.0, 1, {"network at its word": 100.0})
    assert measured["kitchen: a noun without a class has no candidate, and is named"].value == 100.0


def test_a_set_that_does_not_exist_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SaysoError, match="has no set 'paintings'; it has: simulation, views, descriptions, photographs"):
        list(grounding.run(only="paintings"))
