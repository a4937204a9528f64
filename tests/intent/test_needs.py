"""Needs that name nothing are met by the command of the nearest example."""

from __future__ import annotations

import pytest

from sayso.encoder import SentenceEncoder
from sayso.intent.composition.needs import Needs


@pytest.fixture(scope="module")
def needs() -> Needs:
    return Needs(SentenceEncoder())


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("grandma is really thirsty", "bring me something to drink"),
        ("we are starving", "bring me something to eat"),
        ("it is very dark here", "switch on the light"),
        ("i have such a bad headache", "bring me the medicine"),
        ("it is raining outside", "bring me the umbrella"),
        ("it is so stuffy", "open the window"),
    ],
)
def test_the_nearest_example_tells_what_helps(needs: Needs, said: str, command: str) -> None:
    assert needs(said) == command


def test_what_is_near_no_example_is_no_need(needs: Needs) -> None:
    assert needs("where does the bus stop") == ""
