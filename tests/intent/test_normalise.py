import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain.numbers import number_words
from sayso.intent.grammar import word_set
from sayso.intent.measures import heading, measure, usual_unit
from sayso.intent.normalise import UNITS, normalise
from sayso.intent.reject import MAX_WORDS, why_rejected

SPOKEN = {
    "turn left hundred and twenty degrees": "turn left 120 degrees",
    "the hundred cups": "the hundred cups",
    "stop on the 4th step": "stop on the 4th step",
    "Move ten meters!": "move 10 meters",
    "go at 18:30.": "go at 18:30",
    "at 6 p.m. or 7 a.m., go": "at 6 pm or 7 am, go",
    "bring me -2 cups": "bring me minus 2 cups",
    "at half past six": "at half past 6",
    "turn ninety degrees": "turn 90 degrees",
    "half a meter": "0.5 meters",
    "one and a half meters": "1.5 meters",
    "one meter": "1 meter",
    "two point five metres": "2.5 meters",
    "1.5m": "1.5 meters",
    "90°": "90 degrees",
    "one hundred and eighty degrees": "180 degrees",
    "turn one forty degrees": "turn 140 degrees",
    "one twenty five degrees": "125 degrees",
    "go one fifty feet": "go 150 feet",
    "wake me at six thirty": "wake me at 6 30",
    "a hundred centimetres": "100 centimeters",
    "three hundred sixty": "360",
    "forty-five seconds": "45 seconds",
    "twenty one two": "21 2",
    "half an hour": "0.5 hours",
    "two and a half minutes": "2.5 minutes",
    "the red one": "the red one",
    "a couple of steps": "2 steps",
    "five thousand and three": "5003",
    "Um, go to the the kitchen, uh, please.": "go to the kitchen, please",
    "don’t stop": "don't stop",
    "stop stop stop": "stop stop stop",
    "Robot: come. Here!": "robot, come, here",
    "  \t\n": "",
    "?!…": "",
}


@pytest.mark.parametrize(("spoken", "written"), SPOKEN.items())
def test_spoken_numbers_and_units_are_written_in_digits(spoken: str, written: str) -> None:
    assert normalise(spoken) == written


@given(st.integers(0, 9999).filter(lambda number: number != 1))
def test_every_number_in_words_becomes_its_digits(number: int) -> None:
    assert normalise(number_words(number)) == str(number)


WORDS = st.sampled_from(
    sorted(word_set("the a and half one two twenty hundred thousand point of quarter couple um go to red . , ! ' 3 2.5") | UNITS.keys())
)


@examples(300)
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join)))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "unit", "value", "si"),
    [
        ("move 10 meters", "meters", 10.0, "m"),
        ("50 centimeters back", "meters", 0.5, "m"),
        ("back about a metre", "meters", 1.0, "m"),
        ("turn 90 degrees", "degrees", math.pi / 2, "rad"),
        ("turn 90", "degrees", math.pi / 2, "rad"),
        ("turn around", "degrees", math.pi, "rad"),
        ("make a quarter turn left", "degrees", math.pi / 2, "rad"),
        ("do a full turn", "degrees", 2 * math.pi, "rad"),
        ("wait 2 minutes", "seconds", 120.0, "s"),
        ("wait a second", "seconds", 1.0, "s"),
        ("go forward a bit", "meters", 0.25, "m"),
    ],
)
def test_quantities_are_in_si_units(text: str, unit: str, value: float, si: str) -> None:
    found = measure(text, UNITS[unit])
    assert found is not None
    assert (found.value, found.unit) == (pytest.approx(value), si)


def test_a_clause_without_a_quantity_has_none() -> None:
    assert measure("move forward", UNITS["meters"]) is None
    assert heading("stop right now") is None


@pytest.mark.parametrize(
    ("text", "direction"),
    [("turn to the left", "left"), ("rotate counterclockwise", "left"), ("turn clockwise", "right"), ("back up", "backward"),
     ("go straight ahead", "forward"), ("go back to the left", "left"), ("turn west", "west"), ("face the south east", "southeast")],
)  # fmt: skip
def test_directions_are_recognised(text: str, direction: str) -> None:
    found = heading(text)
    assert found is not None
    assert found.direction == direction


def test_the_usual_unit_comes_from_the_examples() -> None:
    unit = usual_unit(["turn ninety degrees", "turn left", "rotate by 45 degrees", "turn for a second"])
    assert unit is UNITS["degrees"]
    assert usual_unit(["go home"]) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing was said"),
        ("   ", "nothing was said"),
        ("?!., …", "no words"),
        ("123 456", "no words"),
        ("um uh", "no words"),
        ("принеси мне красную чашку", "Latin"),
        ("给我拿杯子", "Latin"),
        ("bring mir bitte die rote Tasse aus der Küche", "English"),
        ("apporte moi la tasse rouge de la cuisine s'il te plait", "English"),
        ("word " * 10_000, "10,000 words"),
        ("go " * (MAX_WORDS + 1), "101 words"),
        ("x" * 5_000_000, "too long"),
    ],
)
def test_unusable_texts_are_rejected_with_a_reason(text: str, reason: str) -> None:
    rejection = why_rejected(text)
    assert reason in rejection
    assert "\n" not in rejection


@pytest.mark.parametrize("text", ["stop", "bring me a coke", "go to the café", "a", "go to the salle"])
def test_an_english_command_is_not_rejected(text: str) -> None:
    assert why_rejected(text) == ""
