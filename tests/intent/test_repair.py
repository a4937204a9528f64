"""Self-corrections are applied; similar wordings are left unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.intent.grammar import verbs_of
from sayso.intent.normalise import normalise
from sayso.intent.repair import repaired

VERBS = verbs_of(example for spec in load_domain().intents.values() for example in spec.examples)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("go to the kitchen, no, the study", "go to the study"),
        ("Go to the kitchen. No, to the study!", "go to the study"),
        ("bring me the red cup no the blue cup", "bring me the blue cup"),
        ("bring me the red cup, no, the blue one", "bring me the blue cup"),
        ("pick up the book, no wait, the newspaper", "pick up the newspaper"),
        ("go to the bedroom i mean the bathroom", "go to the bathroom"),
        ("put the cup on the table, sorry, on the shelf", "put the cup on the shelf"),
        ("go to the kitchen and bring me the apple, no, the lemon", "go to the kitchen and bring me the lemon"),
        ("go to the kitchen no go to the study", "go to the study"),
        ("find the keys and turn left, i mean turn right", "find the keys and turn right"),
        ("open the door, scratch that, close the window", "close the window"),
        ("bring it to anna no wait ben", "bring it to ben"),
        ("turn left, no, right", "turn right"),
        ("go to the kitchen, no, the study, no, the bath", "go to the bath"),
        ("bring me the red cup no not the red one but the blue one", "bring me the blue cup"),
        ("bring me the apple no not the apple the banana", "bring me the banana"),
        ("go to the kitchen wait the study", "go to the study"),
        ("go to the kitchen actually the study", "go to the study"),
        ("bring me the cup actually bring me the glass", "bring me the glass"),
        ("bring me two cups make that three", "bring me 3 cups"),
        ("go to the kitchen in five minutes make it ten", "go to the kitchen in 10 minutes"),
        ("move 2 meters no 3 meters", "move 3 meters"),
        ("turn left no right", "turn right"),
        ("bring it to anna sorry ben", "bring it to ben"),
        ("go to the kitchen or rather the study", "go to the study"),
        ("take the cup from the table, no, from the counter, and bring it to me", "take the cup from the counter, and bring it to me"),
    ],
)
def test_retracted_words_are_removed(text: str, meant: str) -> None:
    assert repaired(normalise(text), VERBS) == meant


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "no, the blue one",
        "don't go to the kitchen, go to the study",
        "there is no milk in the fridge",
        "is there no one in the kitchen",
        "tell anna i mean it",
        "say no to anna",
        "tell ben sorry for the noise",
        "i meant the blue cup",
        "no don't stop",
        "say sorry",
        "go to the kitchen wait for me",
        "go to the kitchen wait in the hallway",
        "go to the kitchen and wait there",
        "bring it to anna no thanks",
        "bring me the cup, actually never mind",
        "bring me the cup no wait forget it",
        "go to the kitchen no don't",
        "make it dark in the kitchen",
        "go to the kitchen",
    ],
)
def test_similar_wordings_are_unchanged(text: str) -> None:
    assert repaired(normalise(text), VERBS) == normalise(text)


WORDS = [
    "go",
    "to",
    "the",
    "kitchen",
    "no",
    ",",
    "i",
    "mean",
    "wait",
    "sorry",
    "bring",
    "red",
    "one",
    "and",
    "blue",
    "cup",
    "scratch",
    "that",
    "on",
]


@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_repair_is_idempotent(words: list[str]) -> None:
    text = normalise(" ".join(words))
    once = repaired(text, VERBS)
    assert repaired(once, VERBS) == once
    assert len(once) <= len(text) + 8  # "one" may become a longer noun
