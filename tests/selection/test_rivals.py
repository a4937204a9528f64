"""Questions about what was said: two texts of a recogniser that differ in a word that matters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import clause, role, transcript
from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector, Dialogue
from sayso.selection.rivals import words_that_differ
from sayso.types import Action, Context, Hearing, IntentBelief, Transcript

DOMAIN = load_domain()
CUP, BALL = role("theme", "the cup", "red_cup"), role("theme", "the ball", "ball")


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(DOMAIN, IntentClassifier(DOMAIN, lm_weight=0.0))


def understood(pipeline: Pipeline, *heard: tuple[str, float], holding: str = "") -> Understanding:
    return pipeline.understand(transcript(*heard, confidence=0.9), Context(holding=holding))


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("turn left", "turn right", "Did you say “left” or “right”?"),
        ("pick up the pan", "pick up the pen", "Did you say “pan” or “pen”?"),
        ("bring the milk to ben", "bring the milk to me", "Did you say “ben” or “me”?"),
        ("turn left 90 degrees", "turn left 20 degrees", "Did you say “ninety” or “twenty”?"),
    ],
)
def test_a_word_that_matters_is_asked_for_by_name(pipeline: Pipeline, one: str, other: str, question: str) -> None:
    found = understood(pipeline, (one, 0.6), (other, 0.4))
    assert (found.decision, found.question) == ("ask", question)
    assert len(found.action_belief.words) == len(found.action_belief.options) == 2


@pytest.mark.parametrize(
    ("said", "direction"),
    [
        *(("left", "left"), ("right", "right"), ("no right", "right"), ("i said left", "left"), ("right please", "right")),
        *(("the first", "left"), ("the second one", "right"), ("not left", "right")),
    ],
)
def test_the_word_or_its_place_answers(pipeline: Pipeline, said: str, direction: str) -> None:
    asked = understood(pipeline, ("turn left", 0.6), ("turn right", 0.4))
    done = pipeline.answer(asked, said, Context())
    assert done is not None
    assert done.decision == "execute"
    assert [action.argument("direction") for action in done.actions] == [direction]


@pytest.mark.parametrize(("said", "action"), [("grab", "pick_up"), ("i said drop", "put"), ("no grab", "pick_up"), ("not grab", "put")])
def test_a_verb_answers(pipeline: Pipeline, said: str, action: str) -> None:
    """The robot's own words for these actions are others."""
    options = (Action("pick_up", (("theme", "ball"),)), Action("put", (("goal", "desk"), ("theme", "ball"))))
    asked = understood(pipeline, ("grab the ball", 0.6), ("bring the ball", 0.4))
    candidates = tuple(
        replace(asked.action_belief.candidates[0], action=option, probability=p) for option, p in zip(options, (0.6, 0.4), strict=True)
    )
    belief = replace(asked.action_belief, options=options, candidates=candidates, words=("grab", "drop"), decision="ask")
    done = pipeline.answer(replace(asked, action_belief=belief), said, Context())
    assert done is not None
    assert [each.name for each in done.actions] == [action]


def test_yes_answers_no_question_about_two_words(pipeline: Pipeline) -> None:
    asked = understood(pipeline, ("pick up the pan", 0.6), ("pick up the pen", 0.4))
    assert pipeline.answer(asked, "yes", Context()) is None


def test_a_no_leaves_both(pipeline: Pipeline) -> None:
    asked = understood(pipeline, ("pick up the pan", 0.6), ("pick up the pen", 0.4))
    done = pipeline.answer(asked, "neither of them", Context())
    assert done is not None
    assert done.decision == "reject"


def test_a_spoken_answer_settles_what_was_said(pipeline: Pipeline) -> None:
    """The whole way: two texts, the question, and an answer that the recogniser itself is unsure of."""
    dialogue = Dialogue(DOMAIN)
    heard = replace(transcript(("turn left", 0.55), ("turn right", 0.45), confidence=0.9), utterance_id="a")
    belief = pipeline.classify(heard)
    (asked,) = dialogue.hear(belief, heard, lambda: pipeline.select(belief, Context()), 1.0)
    assert asked.belief.question == "Did you say “left” or “right”?"
    reply = replace(transcript(("right", 0.9), ("write", 0.1), confidence=0.5), utterance_id="b", stamp=2.0)
    turns = dialogue.hear(pipeline.classify(reply), reply, lambda: pytest.fail("it is an answer"), 3.0)
    assert turns[-1].belief.decision == "execute"
    assert turns[-1].belief.chosen[0].argument("direction") == "right"


def test_an_unlikely_other_name_is_mentioned_in_the_confirmation(pipeline: Pipeline) -> None:
    found = understood(pipeline, ("go to the tv", 0.88), ("go to the tub", 0.12))
    assert found.decision == "confirm"
    assert found.question == "I am not sure whether you said “tv” or “tub”. Should I drive to the tv stand?"
    done = pipeline.answer(found, "the tub", Context())
    assert done is not None
    assert done.actions == (Action("go_to", (("goal", "bathtub"),)),)


def test_texts_that_mean_the_same_raise_no_question(pipeline: Pipeline) -> None:
    found = understood(pipeline, ("put the sponge on the book shelf", 0.5), ("put the sponge on the bookshelf", 0.5))
    assert found.decision == "execute"


def test_texts_that_lead_to_the_same_action_raise_no_question(pipeline: Pipeline) -> None:
    assert understood(pipeline, ("bring me the ball", 0.5), ("give me the ball", 0.5)).decision == "execute"


def test_a_sentence_that_may_have_been_longer_is_confirmed(pipeline: Pipeline) -> None:
    found = understood(pipeline, ("bring the ball to ben", 0.8), ("bring the ball to ben and turn left", 0.2))
    assert (found.decision, len(found.actions)) == ("confirm", 1)


def test_a_certain_text_is_decided_as_before(pipeline: Pipeline) -> None:
    typed = pipeline.understand("pick up the pan", Context())
    assert understood(pipeline, ("pick up the pan", 1.0)).action_belief.candidates == typed.action_belief.candidates


def test_an_impossible_reading_is_neither_done_nor_offered(pipeline: Pipeline) -> None:
    found = understood(pipeline, ("clean the fridge", 0.5), ("go to the fridge", 0.5))
    assert found.decision in ("confirm", "reject")
    assert all(option.name == "go_to" for option in found.action_belief.options)


def test_the_probability_of_an_action_is_the_sum_over_the_hearings() -> None:
    texts = {"get the cup": clause(DOMAIN, "bring", CUP), "get the ball": clause(DOMAIN, "bring", BALL)}
    clauses = [replace(each, text=text) for text, each in texts.items()]
    heard = tuple(Hearing(each.text, p, (each,)) for each, p in zip(clauses, (0.7, 0.2), strict=True))
    select = ActionSelector(DOMAIN)
    belief = IntentBelief("u", 0.0, clauses[0].text, tuple(DOMAIN.intents), (clauses[0],), hearings=heard)
    alone = [select(replace(belief, text=each.text, clauses=(each,), hearings=()), Context()) for each in clauses]
    mixed = {candidate.action: candidate.probability for candidate in select(belief, Context()).candidates}
    for action, p in mixed.items():
        own = [sum(each.probability for each in one.candidates if each.action == action) for one in alone]
        assert p == pytest.approx(0.7 * own[0] + 0.2 * own[1])


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("turn left", "turn right", ("left", "right")),
        ("go to the tv", "go to the bed", ("tv", "bed")),
        ("fetch the pen for me", "fetch the pen", ("pen for me", "pen")),
        ("turn left", "turn left", ("", "")),
        ("a cup", "the cup", ("", "")),
        ("go to the kitchen now please robot", "what is the weather like today my friend", ("", "")),
    ],
)
def test_the_words_that_differ_are_named_if_they_are_few(one: str, other: str, words: tuple[str, str]) -> None:
    assert words_that_differ(one, other) == words


TEXT = st.lists(st.sampled_from(["go", "to", "the", "left", "right", "pen", "pan", "now"]), max_size=6)


@given(TEXT, TEXT)
def test_named_words_are_part_of_their_texts(one: list[str], other: list[str]) -> None:
    for words, text in zip(words_that_differ(" ".join(one), " ".join(other)), (one, other), strict=True):
        assert f" {words} " in f" {' '.join(text)} " or not words


def test_what_was_rejected_stays_rejected(pipeline: Pipeline) -> None:
    noise = Transcript("u", 0.0, transcript(("turn left", 0.6), ("turn right", 0.4)).alternatives, 0.1, rejected="only noise")
    assert pipeline.understand(noise, Context()).decision == "reject"
