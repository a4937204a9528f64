"""What the robot says when it is asked to greet somebody."""

from __future__ import annotations

import pytest

from loaded import default_classifier
from sayso.intent.classifier import IntentClassifier
from sayso.types import Transcript, TranscriptAlternative


@pytest.fixture(scope="module")
def classifier() -> IntentClassifier:
    return default_classifier()


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("say good night to grandma for me", "good night"),
        ("wish anna a happy birthday from us all", "a happy birthday"),
        ("wish ben a good evening from all of us", "a good evening"),
        ("say hello to anna", "hello"),
    ],
)
def test_who_sends_a_greeting_is_no_part_of_its_words(classifier: IntentClassifier, sentence: str, said: str) -> None:
    (clause,) = classifier(Transcript("t", 0.0, (TranscriptAlternative(sentence, 0.0),), 1.0)).clauses
    message = clause.role("message")
    assert message is not None
    assert message.text == said


@pytest.mark.parametrize(
    "sentence",
    ["take anna to the door and say goodbye", "find anna and say that dinner is ready", "bring anna the milk and say hello"],
)
def test_words_after_an_act_for_somebody_are_said_to_them(classifier: IntentClassifier, sentence: str) -> None:
    *_, last = classifier(Transcript("t", 0.0, (TranscriptAlternative(sentence, 0.0),), 1.0)).clauses
    recipient = last.role("recipient")
    assert recipient is not None
    assert recipient.entity == "anna"
