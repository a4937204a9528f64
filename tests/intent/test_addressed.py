"""Whether a clause was meant for the robot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaded import default_classifier
from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.intent.addressed import AddressModel, evidence_of_address, names_in, without_asides
from sayso.intent.gazetteer import Gazetteer
from sayso.training.intents.evaluation import strangeness, transcript_of
from sayso.types import Role

HOME = load_domain()
VERBS = frozenset(("bring", "take"))


@pytest.fixture(scope="module")
def classify() -> IntentClassifier:
    return default_classifier()


@pytest.mark.parametrize(
    "text",
    ["pop the bread on the counter", "a glass of water would be lovely", "ben could do with a beer", "could i trouble you for the phone",
     "have a look for my keys", "off you go to the kitchen", "is the umbrella in the hallway"],
)  # fmt: skip
def test_requests_in_peoples_words_are_in_scope(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) < 0


@pytest.mark.parametrize("text", ["who won the match last night", "we had a lovely holiday"])
def test_talk_is_out_of_scope(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) > 0


def test_take_somebody_something_is_bring(classify: IntentClassifier) -> None:
    clause = classify(transcript_of("take grandma her reading glasses")).clauses[0]
    assert clause.intent == "bring"
    assert {role.name: role.entity for role in clause.roles} == {"recipient": "carla", "theme": "glasses"}


def test_a_person_cannot_be_picked_up(classify: IntentClassifier) -> None:
    clause = classify(transcript_of("pick up anna")).clauses[0]
    assert [(role.name, role.entity, role.kind) for role in clause.roles] == [("theme", "anna", "person")]


def test_names_of_the_home_speak_for_a_command() -> None:
    named = Role("theme", "the phone", 0, 9, "phone", "object", 1.0, (("phone", 1.0),))
    plain = evidence_of_address(["bring", "it"], 0.0, (), (), "", 0, VERBS, "operator")
    model = AddressModel.shipped()
    assert plain.imperative == 1.0
    assert model(evidence_of_address(["bring", "the", "phone"], 0.0, (named,), (), "", 1, VERBS, "operator")) < model(plain)
    assert model(replace(plain, narrative=2.0)) > model(plain)


def test_the_speaker_is_no_name_of_the_home() -> None:
    me = Role("recipient", "me", 6, 8, "operator", "person", 1.0, (("operator", 1.0),))
    assert evidence_of_address(["bring", "me"], 0.0, (me,), (), "", 0, VERBS, "operator").linked == 0.0
    assert names_in(Gazetteer(HOME), ["bring", "me", "the", "red", "cup", "from", "the", "living", "room"]) == 2


def test_an_explanation_beside_a_request_is_dropped(classify: IntentClassifier) -> None:
    request, other = (classify(transcript_of(text)).clauses[0] for text in ("bring me the phone", "turn left"))
    aside = replace(other, text="her hands hurt", out_of_scope=3.0)
    verbs = frozenset(("bring", "turn", "open"))
    assert without_asides([request, aside], verbs) == [request]
    assert without_asides([aside], verbs) == [aside]
    unknown = replace(other, text="open the garage", out_of_scope=3.0)
    assert without_asides([request, unknown], verbs) == [request, unknown]


@pytest.mark.parametrize(
    "text",
    ["how can i root an android phone", "how many cups make a gallon", "where can i see art", "can i mix bleach with vinegar",
     "is there a way to see my funds", "what kind of gas should i use to fill the car", "should i hit or stay at 17 in blackjack",
     "where can i buy milk"],
)  # fmt: skip
def test_questions_about_the_world_are_not_for_the_robot(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) > 0


@pytest.mark.parametrize(
    "text",
    ["how many cups are there", "is the milk still on the counter or has somebody moved it", "what have we got lying on the desk",
     "how many mugs have we got in this place", "what sort of jobs can you actually do for me", "can i have the apple", "where is my hat",
     "how big is the vase"],
)  # fmt: skip
def test_questions_about_the_home_and_the_robot_are_for_the_robot(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) < 0


@pytest.mark.parametrize(
    "text",
    ["stack the blocks", "grab my specs for us", "peel the potatoes", "we're out of soap bring me some", "alexa set a timer",
     "there's a beer on the shelf bring me that", "something yellow on the desk please"],
)  # fmt: skip
def test_physical_acts_and_things_of_the_home_are_for_the_robot(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) < 0


@pytest.mark.parametrize("text", ["and then he says to me bring me a beer like i'm his maid", "i need to reserve a table at a tavern"])
def test_reported_speech_and_other_peoples_tables_are_not_for_the_robot(classify: IntentClassifier, text: str) -> None:
    assert strangeness(classify(transcript_of(text))) > 0


@pytest.mark.parametrize(
    "text", ["fine, ben! get your own beer then", "would you put that phone down when i'm talking to you, anna", "no, mum, i left the keys"]
)
def test_words_to_another_person_are_not_for_the_robot(classify: IntentClassifier, text: str) -> None:
    assert classify(transcript_of(text)).rejected.startswith("I think that was for")


def test_talk_in_several_clauses_is_talk_though_one_of_them_is_polite(classify: IntentClassifier) -> None:
    found = classify(transcript_of("i need the money for the mortgage, it is not going through, can you complete the transfer"))
    assert all(clause.out_of_scope > 0 for clause in found.clauses)
    assert any(clause.out_of_scope < 0 for clause in classify(transcript_of("what is he doing to my account, stop")).clauses)


def test_contractions_without_apostrophes_are_understood(classify: IntentClassifier) -> None:
    assert classify(transcript_of("dont go to the kitchen")).text == "don't go to the kitchen"
