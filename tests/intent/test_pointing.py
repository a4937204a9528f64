"""Words for pointing, in one form; what only sounds like pointing stays as it is."""

import pytest

from sayso.domain import load_domain
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.normalise import normalise
from sayso.intent.pointing import indicated

NAMES = Gazetteer(load_domain())


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("point at the cup", "indicate the cup"),
        ("please point to the fridge", "please indicate the fridge"),
        ("point your arm at the lamp", "indicate the lamp"),
        ("point towards the kitchen", "indicate the kitchen"),
        ("point to where the milk is", "indicate the milk"),
        ("point out the red cup", "indicate the red cup"),
        ("point out where the keys are", "indicate the keys"),
        ("point the red cup out", "indicate the red cup"),
        ("could you point it out", "could you indicate it"),
        ("go to the kitchen and point at the milk", "go to the kitchen and indicate the milk"),
        ("don't point at anna", "don't indicate anna"),
        ("show me where the keys are", "indicate the keys"),
        ("show us the red cup please", "indicate the red cup please"),
        ("show me the cup on the desk", "indicate the cup on the desk"),
        ("show me where anna is", "indicate anna"),
        ("show ben where the keys are", "indicate the keys to ben"),
        ("can you show anna where the milk is please", "can you indicate the milk to anna please"),
    ],
)
def test_pointing_is_one_verb_in_whatever_words(said: str, read: str) -> None:
    assert indicated(normalise(said), NAMES) == read


@pytest.mark.parametrize(
    "said",
    [
        "what is the point of that",
        "point taken",
        "i want to point out that the cup is dirty",
        "at this point the milk is gone",
        "move one point five meters",
        "show me the way to the kitchen",  # there the robot guides
        "show me where the fridge is",
        "show ben where the fridge is",
        "show me the flights to boston",
        "show me what you are holding",
        "find the person pointing to the left",
    ],
)
def test_other_sentences_stay_as_they_are(said: str) -> None:
    assert indicated(normalise(said), NAMES) == normalise(said)
