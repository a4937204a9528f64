"""Every content word of a clause is explained, or left over and named."""

from __future__ import annotations

import pytest

from loaded import default_classifier
from sayso.intent import IntentClassifier
from sayso.types import Transcript, TranscriptAlternative


@pytest.fixture(scope="module")
def classify() -> IntentClassifier:
    return default_classifier()


def left_over(classify: IntentClassifier, text: str) -> tuple[str, ...]:
    belief = classify(Transcript("u", 0.0, (TranscriptAlternative(text, 0.0),), 1.0))
    return tuple(word for clause in belief.clauses for word in clause.left_over)


@pytest.mark.parametrize(
    "text",
    [
        "could you please bring me the red cup from the kitchen",
        "go to the kitchen in five minutes",
        "bring me the cup next to the bread, but not the red one",
        "if the phone is in the bedroom bring it to me",
        "put all the books on the desk",
        "turn left by 90 degrees",
        "wait for ten seconds",
        "put the red book back down on the desk",
        "put the red cup on top of the desk",
        "go near the couch",
        "turn the lamp on",
        "open up the fridge",
    ],
)
def test_all_words_of_a_clear_command_are_explained(classify: IntentClassifier, text: str) -> None:
    assert left_over(classify, text) == ()


@pytest.mark.parametrize(
    ("text", "word"),
    [("bring me the toilet paper", "toilet"), ("bring me the red plastic cup", "plastic"), ("bring me the cup with sugar", "sugar")],
)
def test_a_word_that_nothing_explains_is_left_over(classify: IntentClassifier, text: str, word: str) -> None:
    assert word in left_over(classify, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("put the red book next to the couch", "next to"),
        ("put the red book in front of the couch", "in front of"),
        ("put the red book under the desk", "under"),
        ("leave the keys by the sink", "by"),
        ("go behind the couch", "behind"),
        ("open the fridge a bit", "bit"),
    ],
)
def test_where_or_how_far_the_robot_cannot_do_it_is_left_over(classify: IntentClassifier, text: str, words: str) -> None:
    found = " ".join(left_over(classify, text))
    assert found
    assert words.startswith(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("open the left door of the wardrobe", "left"),
        ("open the top drawer of the filing cabinet", "top"),
        ("open the second drawer of the nightstand", "second"),
        ("close the other door", "other"),
        ("switch off the right lamp", "right"),
        ("go to the second bedroom", "second"),
    ],
)
def test_which_one_of_several_is_left_over_where_the_home_has_one(classify: IntentClassifier, text: str, words: str) -> None:
    assert " ".join(left_over(classify, text)) == words


@pytest.mark.parametrize(
    "text", ["open the front door", "go to the nearest bedroom", "first go to the kitchen", "turn left", "switch the lamp off"]
)
def test_an_order_among_no_others_and_a_name_are_explained(classify: IntentClassifier, text: str) -> None:
    assert not left_over(classify, text)
