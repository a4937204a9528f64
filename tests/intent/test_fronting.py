"""Fronted phrases return to their places, and words that stand for others are read as those: normalised text → text in plain order."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.meaning.describe import DescriptionParser
from sayso.intent.normalise import normalise

HOME = load_domain()
PARSER = DescriptionParser(HOME, Gazetteer(HOME), verbs_of(example for intent in HOME.intents.values() for example in intent.examples))

IN_ORDER = {
    "the book right of the vase, can I have it?": "can i have the book right of the vase",
    "the can next to the bread, could you pass me that one": "could you pass me the can next to the bread",
    "the towel in the bathroom, take it over to Ben": "take the towel in the bathroom over to ben",
    "third book from the right pick it up": "pick up the third book from the right",
    "there's a plate in the sink, I want that one": "i want the plate in the sink",
    "there are two cans on the table, bring me one of them": "bring me one of the cans on the table",
    "I can't reach the vase behind the plate from my chair, could you get it": "could you get the vase behind the plate",
    "whichever cup is nearest, hand me that one": "hand me whichever cup is nearest",
    "of all the books I'd like the biggest": "i'd like the biggest of all the books",
    "out of the cans get me the red one": "get me the red one of the cans",
    "we're out of kitchen roll, bring me some": "bring me some kitchen roll",
    "three cups please": "bring me 3 cups please",
    "the newspaper for Anna": "bring the newspaper to anna",
    "leftmost can please, to Ben": "bring the leftmost can to ben",
    "the green book goes to Ben and the blue one to Anna": "bring the green book to ben and the blue one to anna",
    "bring me whatever's lying on the sofa": "bring me everything that's lying on the sofa",
    "collect what's on the desk": "collect everything that's on the desk",
    "clear the lot off the table": "take everything off the table",
    "give it to whoever is on the sofa": "give it to the person who is on the sofa",
    "I want a cup but one that's not on the desk": "i want a cup that's not on the desk",
    "find a place for the keys on the shelf": "put the keys on the shelf",
    "a cup, red or blue": "a red cup or a blue cup",
    "at least two cups": "2 cups",
    "the books, all of them, go on the desk": "all the books go on the desk",
    "don't bother with any of the books, just bring the newspaper": "bring the newspaper",
}
AS_THEY_ARE = (
    "bring me the red cup", "get the apple and put it on the desk", "no more beer for ben please",
    "wait at least 2 minutes", "what can you do",
    "forget what i just told you", "is there a cup on the table", "go to the kitchen please", "the red one please", "anything please",
    "where is the cup", "tell me what's on the table", "thanks", "please", "", "it",
)  # fmt: skip


@pytest.mark.parametrize("sentence", IN_ORDER)
def test_what_is_fronted_or_said_otherwise_is_read_in_plain_words(sentence: str) -> None:
    assert PARSER.in_order(normalise(sentence)) == IN_ORDER[sentence]


@pytest.mark.parametrize("sentence", AS_THEY_ARE)
def test_plain_sentences_stay_as_they_are(sentence: str) -> None:
    assert PARSER.in_order(normalise(sentence)) == normalise(sentence)
