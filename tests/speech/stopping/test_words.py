"""Detecting "stop" in words: only as the whole utterance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import transcript
from sayso.domain import load_domain
from sayso.speech.stopping.words import is_stop, is_stop_text
from sayso.types import Transcript

DOMAIN = load_domain()


@pytest.mark.parametrize(
    "text", ["stop", "Stop!", "please stop", "robot stop", "stop now please", "halt", "freeze", "stop stop stop", "hey robot stop"]
)
def test_a_call_to_stop_stops(text: str) -> None:
    assert is_stop(transcript((text, 1.0), confidence=0.9), DOMAIN)
    assert is_stop_text(text, DOMAIN)


@pytest.mark.parametrize(
    "text",
    [
        *("don't stop", "go to the bus stop", "the bus stop", "stop the music", "never stop", "when does it stop"),
        *("go to the kitchen and stop", "", "please", "now"),
    ],
)
def test_a_sentence_that_contains_the_word_does_not_stop(text: str) -> None:
    assert not is_stop(transcript((text, 1.0), confidence=0.9), DOMAIN)
    assert not is_stop_text(text, DOMAIN)


@pytest.mark.parametrize("example", [example for example in DOMAIN.intents["stop"].examples if "{" not in example])
def test_every_stop_sentence_of_the_domain_stops(example: str) -> None:
    assert is_stop_text(example, DOMAIN)


@given(st.text(alphabet="abcdefghij ", min_size=1).filter(lambda text: text.strip()))
def test_other_sentences_do_not_stop(text: str) -> None:
    assert not is_stop_text(f"stop the {text}", DOMAIN)


def test_alternatives_that_mean_stop_count_together() -> None:
    assert is_stop(transcript(("stove", 0.45), ("stop", 0.3), ("stop stop", 0.25)), DOMAIN)
    assert not is_stop(transcript(("go to the stove", 0.9), ("stop", 0.1)), DOMAIN)


def test_a_doubtful_stop_still_stops_and_noise_does_not() -> None:
    assert is_stop(transcript(("stop", 1.0), confidence=0.25, rejected="not sure"), DOMAIN)
    assert not is_stop(transcript(("stop", 1.0), confidence=0.02, rejected="not a sentence of this home"), DOMAIN)
    assert not is_stop(Transcript("u", 1.0, (), 0.0, rejected="silence"), DOMAIN)


def test_stop_works_in_a_home_whose_file_forgot_it() -> None:
    without = DOMAIN.model_copy(update={"intents": {name: spec for name, spec in DOMAIN.intents.items() if name != "stop"}})
    assert is_stop_text("stop", without)
    assert not is_stop_text("emergency stop", without)
