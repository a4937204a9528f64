"""Acts with people in other words than the examples': serving, getting acquainted, reporting a count; and where somebody is met."""

from __future__ import annotations

import pytest

from sayso.intent.colloquial import in_plain_words
from sayso.intent.meaning.rewording import reworded


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("provide drinks to all the guests in the kitchen", "give something to drink to everyone in the kitchen"),
        ("serve snacks to everyone", "give something to eat to everyone"),
        ("distribute the cups to all the children", "give the cups to all the children"),
        ("get acquainted with anna at the desk", "meet anna at the desk"),
        ("please pinpoint the keys", "please find the keys"),
        ("count the drinks at the desk and report to me", "tell me how many drinks are at the desk"),
        ("answer a question to anna", "tell a question to anna"),
    ],
)
def test_plain_words(said: str, meant: str) -> None:
    assert in_plain_words(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "provide a plan to the committee",
        "serve the cake to anna",
        "count the cups on the counter",
        "give anna the drinks",
        "the count of monte christo",
        "i will answer the question tomorrow",
    ],
)
def test_leaves_other_sentences_alone(said: str) -> None:
    assert in_plain_words(said) == said


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("how many drinks items are there", "how many drinks are there"),
        ("the items on the desk", "the items on the desk"),
    ],
)
def test_drinks_items_are_drinks(said: str, meant: str) -> None:
    assert reworded(said) == meant
