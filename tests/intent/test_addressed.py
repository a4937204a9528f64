"""Whether a clause was meant for the robot."""

from __future__ import annotations

from dataclasses import replace

import pytest

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
    return IntentClassifier(HOME)


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
