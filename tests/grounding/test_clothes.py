"""The colour of what a person wears on the upper body, in a photograph."""

from pathlib import Path

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.grounding.describe import DescriptionGrounder
from sayso.grounding.detector import Detector
from sayso.grounding.detector.boxes import Boxes
from sayso.grounding.detector.clothes import upper_body
from sayso.grounding.detector.colors import palette
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.types import Image
from sayso.yaml_source import read_plain

TUNING = Path("src/sayso/training/detector/clothes.yaml")
MEASURING = Path("benchmarks/_grounding_clothes.yaml")
BOXES = ((20.0, 20.0, 120.0, 300.0), (200.0, 20.0, 300.0, 300.0))


@pytest.fixture
def two_people(monkeypatch: pytest.MonkeyPatch) -> DescriptionGrounder:
    """The detector with two people in fixed places."""
    detector = Detector()
    scores = np.zeros((2, len(detector.calibration.classes)))
    scores[:, 0] = 0.8
    monkeypatch.setattr(detector, "propose", lambda image: Boxes(np.array(BOXES), scores))
    return DescriptionGrounder(detector, AnswerDescriber(load_domain()))


def picture() -> Image:
    """On the left red above and blue below, on the right blue above and red below, before a grey wall."""
    rgb = np.full((320, 320, 3), 150, np.uint8)
    for (left, top, right, bottom), above, below in zip(BOXES, ((190, 30, 30), (40, 70, 180)), ((40, 70, 180), (190, 30, 30)), strict=True):
        middle = round((top + bottom) / 2)
        rgb[round(top) : middle, round(left) : round(right)] = above
        rgb[middle : round(bottom), round(left) : round(right)] = below
    return Image(rgb, 0.0)


@pytest.mark.parametrize(
    ("phrase", "box"),
    [
        ("the person in the red shirt", 0),
        ("the woman wearing a blue jacket", 1),
        ("the man with the red coat", 0),
    ],
)
def test_a_person_is_told_by_what_is_worn_above(two_people: DescriptionGrounder, phrase: str, box: int) -> None:
    found = two_people(picture(), phrase)
    assert found.verdict == "one"
    assert found.things[0].box == BOXES[box]
    assert not found.unknown


def test_nobody_wears_a_color_that_is_not_there(two_people: DescriptionGrounder) -> None:
    assert two_people(picture(), "the person in the green shirt").verdict == "absent"


def test_each_person_has_the_color_as_an_attribute(two_people: DescriptionGrounder) -> None:
    (look,) = two_people.backend.look(picture(), ["person"])
    assert {candidate.box: candidate.color for candidate in look.candidates} == {BOXES[0]: "red", BOXES[1]: "blue"}


def test_trousers_are_not_judged_and_that_is_said(two_people: DescriptionGrounder) -> None:
    assert two_people(picture(), "the person in black trousers").unknown == ("black", "trousers")


def test_of_a_half_hidden_person_the_lower_part_of_the_box_shows_the_clothes() -> None:
    assert upper_body((0.0, 0.0, 10.0, 40.0)) == pytest.approx((1.0, 6.0, 9.0, 20.0))
    assert upper_body((0.0, 0.0, 10.0, 10.0)) == pytest.approx((1.0, 4.0, 9.0, 9.5))


def test_no_photograph_is_both_tuned_and_measured_on() -> None:
    tuning, measuring = (read_plain(path) for path in (TUNING, MEASURING))
    assert not set(tuning) & set(measuring)
    names = set(palette()[0])
    for listed in (tuning, measuring):
        for people in listed.values():
            for seen in people.values():
                assert {*seen["colors"], *seen.get("doubtful", ())} <= names
