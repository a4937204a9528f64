"""Answers that describe or that pick among several actions, with the real grammar."""

from __future__ import annotations

import numpy as np
import pytest

from hand_made import CUPS, belief, clause, role
from sayso.domain import load_domain
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.paraphrase import description_in_words
from sayso.selection import ActionSelector, AnswerKnowledge, WorldView, answer
from sayso.selection.dialogue.answer import corrected
from sayso.types import ActionBelief, Context, ObjectBelief

HOME = load_domain()
DESCRIBE = AnswerDescriber(HOME)
CUP = belief(HOME, clause(HOME, "bring", role("theme", "the cup", *CUPS)))
QUESTION = ActionSelector(HOME)(CUP, Context())


def seen(**places: str) -> dict[str, ObjectBelief]:
    """Things that the robot has seen, each at a place."""
    return {thing: ObjectBelief(thing, (place,), np.ones(1)) for thing, place in places.items()}


def answered(text: str, view: WorldView | None = None, question: ActionBelief = QUESTION) -> ActionBelief | None:
    result = answer(HOME, question, text, AnswerKnowledge(view or WorldView(), DESCRIBE))
    return result.belief if result else None


def themes(decided: ActionBelief | None) -> list[str]:
    assert decided is not None
    assert decided.decision == "execute", decided.question
    return [action.argument("theme") for action in decided.chosen]


SEEN = WorldView(seen(red_cup="sink", blue_cup="kitchen_table", white_cup="desk", bread="kitchen_table", plate="sink"))
# The robot is at the origin and looks along x: left is y > 0.
AHEAD = WorldView(
    positions={"red_cup": (1.0, -0.4, 0.8), "blue_cup": (1.0, 0.0, 0.8), "white_cup": (1.0, 0.5, 0.8), "bread": (1.1, 0.1, 0.8)}
)


@pytest.mark.parametrize(
    ("text", "view", "cup"),
    [
        ("the one on the kitchen table", SEEN, "blue_cup"),
        ("on the desk", SEEN, "white_cup"),
        ("it's the one in the study", SEEN, "white_cup"),
        ("the one next to the bread", AHEAD, "blue_cup"),
        ("next to the bread please", AHEAD, "blue_cup"),
        ("the left one", AHEAD, "white_cup"),
        ("the one on the right", AHEAD, "red_cup"),
        ("the middle one", AHEAD, "blue_cup"),
        ("I mean the cup on the desk", SEEN, "white_cup"),
    ],
)
def test_an_option_is_picked_by_a_description(text: str, view: WorldView, cup: str) -> None:
    assert themes(answered(text, view)) == [cup]


def test_what_is_described_can_be_ruled_out() -> None:
    decided = answered("not the one on the desk", SEEN)
    assert decided is not None
    assert {option.argument("theme") for option in decided.options} == {"red_cup", "blue_cup"}


@pytest.mark.parametrize("text", ["the bigger one", "the left one"])
def test_a_description_that_distinguishes_nothing_is_named(text: str) -> None:
    decided = answered(text)
    assert decided is not None
    assert decided.options == QUESTION.options
    assert decided.question == f"I can't tell which one is “{text}”. {QUESTION.question}"


@pytest.mark.parametrize("text", ["go to the kitchen", "bring me the milk", "what time is it", "the one with wings on the moon"])
def test_another_sentence_is_no_description(text: str) -> None:
    decided = answered(text)
    assert decided is None or decided.decision == "ask"


def test_a_running_action_is_corrected_by_a_description() -> None:
    done = ActionSelector(HOME)(belief(HOME, clause(HOME, "bring", role("theme", "the red cup", "red_cup"))), Context())
    found = corrected(HOME, done, "no, the one on the desk", AnswerKnowledge(SEEN, DESCRIBE))
    assert found is not None
    assert themes(found.belief) == ["white_cup"]


MILK, BREAD = ({"bring": 0.8, "give": 0.1}, role("theme", "milk", "milk")), ({"bring": 0.8, "give": 0.1}, role("theme", "bread", "bread"))


def several() -> ActionBelief:
    """A question about two clauses at once, since a third can't be done."""
    clauses = (clause(HOME, *MILK), clause(HOME, "open", role("theme", "the sofa", "sofa", kind="place")), clause(HOME, *BREAD))
    question = ActionSelector(HOME)(belief(HOME, *clauses), Context())
    assert question.decision == "confirm"
    assert question.question.endswith("Shall I bring the milk to you and bring the bread to you?")
    return question


@pytest.mark.parametrize(
    ("text", "brought"),
    [
        ("yes", ["milk", "bread"]),
        ("both of them", ["milk", "bread"]),
        ("only the milk", ["milk"]),
        ("just the bread please", ["bread"]),
        ("no, only the bread", ["bread"]),
        ("yes, but not the bread", ["milk"]),
        ("not the milk", ["bread"]),
    ],
)
def test_a_question_about_several_actions_is_answered_for_each(text: str, brought: list[str]) -> None:
    assert themes(answered(text, question=several())) == brought


def test_no_declines_all_of_several_actions() -> None:
    decided = answered("no", question=several())
    assert decided is not None
    assert (decided.decision, decided.options) == ("reject", ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the one on the table", "the one, on (the table)"),
        ("next to the bread", "the one, next to (the bread)"),
        ("the bigger one", "the biggest one"),
        ("go to the kitchen", ""),
        ("", ""),
    ],
)
def test_a_short_answer_is_one_noun_phrase(text: str, words: str) -> None:
    found = DESCRIBE(text)
    assert (description_in_words(found) if found else "") == words
