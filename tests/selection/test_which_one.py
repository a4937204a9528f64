"""Answers to "Do you mean the left one or the right one?", about things that the robot sees while it carries out a command."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sayso.domain import load_domain
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.selection.dialogue.answer import answer
from sayso.selection.dialogue.described import AnswerKnowledge
from sayso.selection.dialogue.dialogue import Dialogue
from sayso.selection.dialogue.which_one import which_one
from sayso.types import Action, ActionBelief, ActionCandidate, Choice, PlanState, SkillCall

HOME = load_domain()
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
RUNNING = ActionBelief("u", 1.0, (ActionCandidate(0, BRING, 1.0, 1.0, 1.0, 1.0),), "execute", "100% sure")
LOOK = SkillCall("look_for", (("theme", "red_cup"),))


def asked(*words: str, colors: bool = False) -> ActionBelief:
    choices = tuple(
        Choice(each, (1.0, -0.1 * at, 0.9), color=each.split()[1] if colors else "", probability=0.3 + 0.1 * at)
        for at, each in enumerate(words)
    )
    return which_one(HOME, RUNNING, PlanState("u", 2.0, str(BRING), "asking", ahead=(LOOK,), choices=choices))


SIDES = asked("the left one", "the middle one", "the right one")
COLORS = asked("the red one", "the blue one", colors=True)
ROW = asked("the first one from the left", "the second one from the left", "the third one from the left", "the fourth one from the left")
DEPTHS = asked("the near one", "the far one")


def test_the_question_names_what_the_robot_sees():
    assert SIDES.question == "I see 3 things that may be the red cup. Do you mean the left one, the middle one or the right one?"
    assert (SIDES.decision, SIDES.options) == ("ask", (BRING,))
    assert SIDES.words == ("the left one", "the middle one", "the right one")


@pytest.mark.parametrize(
    ("question", "text", "chosen"),
    [
        (SIDES, "left", "the left one"),
        (SIDES, "The left one, please!", "the left one"),
        (SIDES, "the one on the left", "the left one"),
        (SIDES, "the leftmost", "the left one"),
        (SIDES, "the one in the centre", "the middle one"),
        (SIDES, "I mean the right cup", "the right one"),
        (SIDES, "take the right one", "the right one"),
        (SIDES, "the second", "the middle one"),
        (SIDES, "number two", "the middle one"),
        (SIDES, "3", "the right one"),
        (SIDES, "one", "the left one"),
        (SIDES, "the last one", "the right one"),
        (SIDES, "the second from the right", "the middle one"),
        (SIDES, "no, the right one", "the right one"),
        (SIDES, "yes, the left one", "the left one"),
        (COLORS, "red", "the red one"),
        (COLORS, "the blue one", "the blue one"),
        (COLORS, "bring me the blue cup", "the blue one"),
        (COLORS, "the left one", "the red one"),
        (COLORS, "not the red one", "the blue one"),
        (ROW, "the second from the left", "the second one from the left"),
        (ROW, "the third", "the third one from the left"),
        (ROW, "the one on the right", "the fourth one from the left"),
        (DEPTHS, "the closer one", "the near one"),
        (DEPTHS, "the one at the back", "the far one"),
    ],
)
def test_an_answer_picks_the_thing(question, text, chosen):
    answered = answer(HOME, question, text)
    assert answered is not None
    assert (answered.how, answered.belief.decision) == ("chosen", "execute")
    assert answered.belief.choices[0].words == chosen
    assert set(answered.belief.choices) == set(question.choices)
    assert answered.action is None, "nothing is learnt: the action is the same with each"


@pytest.mark.parametrize("text", ["either", "you choose", "I don't care", "it doesn't matter", "any of them"])
def test_who_does_not_care_gets_the_likeliest(text):
    assert answer(HOME, SIDES, text).belief.choices[0].words == "the right one"


@pytest.mark.parametrize("text", ["never mind", "no", "none of them", "forget it"])
def test_who_declines_ends_the_command(text):
    answered = answer(HOME, SIDES, text)
    assert (answered.how, answered.belief.decision, answered.belief.question) == ("declined", "reject", "All right, I won't.")
    assert answered.belief.choices == ()


def test_what_is_ruled_out_is_not_offered_again():
    answered = answer(HOME, SIDES, "not the left one")
    assert answered.belief.question == "Do you mean the middle one or the right one?"
    assert answer(HOME, answered.belief, "the first").belief.choices[0].words == "the middle one"


@pytest.mark.parametrize(("text", "begins"), [("both", "I can take only one of them."), ("what?", "I see 3 things"), ("the cup", "")])
def test_what_settles_nothing_is_asked_again_or_is_no_answer(text, begins):
    answered = answer(HOME, SIDES, text)
    assert (answered is None) if not begins else (answered.how == "repeated" and answered.belief.question.startswith(begins))


@pytest.mark.parametrize(
    ("question", "text", "phrase"),
    [
        (SIDES, "the one next to the bread", "the cup next to the bread"),
        (SIDES, "the bigger one", "the bigger cup"),
        (SIDES, "the biggest", "the biggest cup"),
        (SIDES, "the red mug", "the red mug"),
        (SIDES, "the green one", "the green cup"),
        (COLORS, "the cup on the plate", "the cup on the plate"),
    ],
)
def test_a_description_is_what_the_robot_looks_for_next(question, text, phrase):
    known = AnswerKnowledge(describe=AnswerDescriber(HOME))
    question = replace(question, options=(replace(BRING, arguments=(("recipient", "operator"), ("theme", "cup"))),))
    home = HOME.model_copy(
        update={"objects": {**HOME.objects, "cup": HOME.objects["red_cup"].model_copy(update={"names": ["cup", "mug"]})}}
    )
    answered = answer(home, question, text, known)
    assert (answered.how, answered.belief.decision) == ("chosen", "execute")
    (choice,) = answered.belief.choices
    assert choice.words == phrase
    assert math.isnan(choice.point[0])


@pytest.mark.parametrize(
    "text", ["the red book", "the one in front", "the one next to the elephant", "the empty one", "something else", "hello"]
)
def test_what_describes_no_such_thing_is_no_answer(text):
    assert answer(HOME, SIDES, text, AnswerKnowledge(describe=AnswerDescriber(HOME))) is None


def test_of_named_colours_another_one_is_no_answer():
    assert answer(HOME, COLORS, "the green one", AnswerKnowledge(describe=AnswerDescriber(HOME))) is None


@pytest.mark.parametrize("text", ["the purple one", "yes", "the red book", "go to the kitchen", "the fifth one", ""])
def test_other_words_are_no_answer(text):
    assert answer(HOME, SIDES, text) is None


def test_what_the_command_is_and_what_it_waits_for_is_kept():
    look_first = replace(RUNNING, then="bring me the cup next to the bread")
    question = which_one(HOME, look_first, PlanState("u", 2.0, str(BRING), "asking", ahead=(LOOK,), choices=SIDES.choices))
    went_on = answer(HOME, question, "left").belief
    assert (went_on.utterance_id, went_on.chosen, went_on.then) == ("u", (BRING,), "bring me the cup next to the bread")


def test_the_question_of_a_command_that_is_over_is_closed_in_silence():
    dialogue = Dialogue(HOME)
    assert [turn.belief for turn in dialogue.begin(SIDES, 2.0)] == [SIDES]
    dialogue.forget("another")
    assert dialogue.open == SIDES
    dialogue.forget("u")
    assert dialogue.open is None
    assert dialogue.answer("left", 3.0) == []


def test_what_was_settled_before_the_command_began_is_not_settled_again():
    dialogue = Dialogue(HOME)
    dialogue.settle = lambda belief, now: replace(belief, decision="defer")
    dialogue.begin(SIDES, 2.0)
    (turn,) = dialogue.answer("left", 3.0)
    assert turn.belief.decision == "execute"
