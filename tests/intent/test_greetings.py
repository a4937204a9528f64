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
