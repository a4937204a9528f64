"""Anaphora within a sentence and across sentences."""

from __future__ import annotations

import pytest

from loaded import default_classifier
from sayso.intent import IntentClassifier
from sayso.intent.discourse import REFERRED_WITHIN, Discourse, RecentMentions
from sayso.types import IntentBelief, Transcript, TranscriptAlternative


@pytest.fixture(scope="module")
def classify() -> IntentClassifier:
    return default_classifier()


def conversation(classify: IntentClassifier, *utterances: str, pause: float = 5.0) -> IntentBelief:
    """The belief of the last utterance."""
    discourse = Discourse()
    for number, text in enumerate(utterances):
        stamp = 100.0 + pause * number
        transcript = Transcript(f"u{number}", stamp, (TranscriptAlternative(text, 0.0),), 1.0)
        belief = classify(transcript, discourse.recent(stamp))
        discourse.update(belief)
    return belief


def meant(belief: IntentBelief, role: str, clause: int = -1) -> set[str]:
    found = belief.clauses[clause].role(role)
    return {entity for entity, _ in found.candidates} if found else set()


@pytest.mark.parametrize(
    ("utterances", "role", "entities"),
    [
        (("find the red cup", "bring it to anna"), "theme", {"red_cup"}),
        (("find the red cup", "bring me that one"), "theme", {"red_cup"}),
        (("bring me the red cup", "bring me the other one"), "theme", {"blue_cup", "white_cup"}),
        (("bring me the red cup", "now bring me the other cup"), "theme", {"blue_cup", "white_cup"}),
        (("find the red cup", "bring me the blue one"), "theme", {"blue_cup"}),
        (("go to the kitchen", "put the red cup there"), "goal", {"kitchen"}),
        (("find anna", "bring her the milk"), "recipient", {"anna"}),
        (("find the red cup", "the weather is nice today", "bring it to me"), "theme", {"red_cup"}),
        (("find the red cup and put the other one on the desk",), "theme", {"blue_cup", "white_cup"}),
    ],
)
def test_references_are_resolved_to_earlier_mentions(
    classify: IntentClassifier, utterances: tuple[str, ...], role: str, entities: set[str]
) -> None:
    assert meant(conversation(classify, *utterances), role) == entities


def test_mentions_expire(classify: IntentClassifier) -> None:
    assert meant(conversation(classify, "find the red cup", "bring it to me", pause=REFERRED_WITHIN + 0.1), "theme") == set()


def test_a_reference_without_an_antecedent_stays_unlinked(classify: IntentClassifier) -> None:
    assert meant(conversation(classify, "bring it to me"), "theme") == set()
    assert meant(conversation(classify, "bring me the other one"), "theme") == set()


def test_a_clock_that_jumps_back_clears_the_mentions() -> None:
    discourse = Discourse()
    assert discourse.recent(float("nan")) == RecentMentions()
    assert discourse.recent(-1.0) == RecentMentions()


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("go to the kitchen then to the study", ["go to the kitchen", "to the study"]),
        ("bring me the red cup and then the milk", ["bring me the red cup", "the milk"]),
        ("go to the kitchen, then to the study and then to the bedroom", ["go to the kitchen", "to the study", "to the bedroom"]),
        ("go to the kitchen and then could you please come back", ["go to the kitchen", "could you please come back"]),
        ("bring me the cup then", ["bring me the cup"]),
    ],
)
def test_a_clause_without_a_verb_after_then_is_kept(classify: IntentClassifier, text: str, clauses: list[str]) -> None:
    found = conversation(classify, text).clauses
    assert [clause.text for clause in found] == clauses
    assert len({clause.intent for clause in found}) == 1 or "come back" in text


@pytest.mark.parametrize("text", ["other", "bring me one and put other on the desk"])
def test_other_without_a_noun_is_no_error(classify: IntentClassifier, text: str) -> None:
    assert conversation(classify, text).clauses
