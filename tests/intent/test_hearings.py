"""What a recogniser's texts mean, and how probable each meaning is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import transcript
from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.intent.hearings import FEATURES, HearingModel, TextReading, hearings, misgivings
from sayso.types import IntentBelief

DOMAIN = load_domain()
UNWEIGHED = HearingModel(dict.fromkeys(FEATURES, 0.0))


@pytest.fixture(scope="module")
def classify() -> IntentClassifier:
    return IntentClassifier(DOMAIN, lm_weight=0.0)


@pytest.fixture(scope="module")
def unweighed() -> IntentClassifier:
    return IntentClassifier(DOMAIN, lm_weight=0.0, hearing=UNWEIGHED)


def against(classify: IntentClassifier, text: str) -> dict[str, float]:
    return dict(zip(FEATURES, misgivings(DOMAIN, classify.read(text)).tolist(), strict=True))


def shares(belief: IntentBelief) -> dict[str, float]:
    return {hearing.text: round(hearing.p, 3) for hearing in belief.hearings}


def test_texts_that_mean_the_same_are_one_hearing(unweighed: IntentClassifier) -> None:
    heard = transcript(("go to the book shelf", 0.4), ("go to the bookshelf", 0.3), ("go to the bed", 0.3))
    assert shares(unweighed(heard)) == {"go to the book shelf": 0.7, "go to the bed": 0.3}


def test_the_most_probable_meaning_wins_over_the_most_probable_text(unweighed: IntentClassifier) -> None:
    belief = unweighed(transcript(("go to the bed", 0.4), ("go to the book shelf", 0.3), ("go to the bookshelf", 0.3)))
    assert belief.text == "go to the book shelf"
    assert belief.clauses is belief.hearings[0].clauses


def test_a_typed_text_and_texts_of_one_meaning_are_certain(classify: IntentClassifier) -> None:
    assert classify(transcript(("go to the kitchen", 1.0))).hearings == ()
    assert classify(transcript(("go to the kitchen", 0.6), ("drive to the kitchen", 0.4))).hearings == ()


def test_an_alternative_with_another_number_of_clauses_is_a_hearing(unweighed: IntentClassifier) -> None:
    belief = unweighed(transcript(("go to the kitchen", 0.9), ("turn around and go to the kitchen", 0.1)))
    assert [len(hearing.clauses) for hearing in belief.hearings] == [1, 2]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("lift the cup", "lift the cap"),  # there is a cup, and no cap
        ("move backwards a bit", "move backwards a bit and move backwards a bit"),
        ("put the sponge on the desk", "put the sponge"),
    ],
)
def test_a_text_that_the_home_explains_is_likelier(classify: IntentClassifier, better: str, worse: str) -> None:
    found = shares(classify(transcript((worse, 0.5), (better, 0.5))))
    assert found[better] > 0.5


def test_the_home_does_not_overrule_a_clearly_heard_unknown_name(classify: IntentClassifier) -> None:
    found = shares(classify(transcript(("bring me the harmonica", 0.8), ("bring me the towel", 0.2))))
    assert next(iter(found)) == "bring me the harmonica"


def test_each_misgiving_is_counted(classify: IntentClassifier) -> None:
    assert set(against(classify, "bring me the red cup").values()) == {0.0}
    assert against(classify, "bring me the harmonica")["unlinked"] == 1.0
    assert against(classify, "put the cup there now and put the cup there now")["twice"] == 1.0
    assert against(classify, "the weather is nice today")["no_command"] == 1.0
    assert misgivings(DOMAIN, TextReading("", (), "nothing was said")).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("log_p", [np.nan, np.inf, -np.inf])
def test_an_invalid_probability_hides_no_text(classify: IntentClassifier, log_p: float) -> None:
    heard = transcript(("go to the kitchen", 0.9), ("go to the bed", 0.1))
    invalid = replace(heard.alternatives[1], log_p=log_p)
    belief = classify(replace(heard, alternatives=(heard.alternatives[0], invalid)))
    assert (belief.text, belief.hearings) == ("go to the kitchen", ())
    assert classify(replace(heard, alternatives=(invalid,))).text == "go to the bed"


@given(st.lists(st.floats(-30.0, 0.0), min_size=1, max_size=4))
def test_the_hearings_share_the_whole_probability(log_p: list[float]) -> None:
    readings = [TextReading(str(at), (), "unread") for at in range(len(log_p))]
    found = hearings(readings, np.array(log_p))
    assert sum(hearing.p for hearing in found) == pytest.approx(1.0)
    assert [hearing.p for hearing in found] == sorted((hearing.p for hearing in found), reverse=True)
