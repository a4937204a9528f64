"""A question is asked about one thing; what else was said still counts after its answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hand_made import transcript
from loaded import default_classifier, default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Understanding
from sayso.selection import Dialogue, WorldView
from sayso.selection.choosing.questions import confirm_question
from sayso.types import Action, ActionBelief, Context, ObjectBelief

HOME = load_domain()


def asked(sentence: str) -> Understanding:
    found = default_pipeline().understand(sentence)
    assert found.decision in ("ask", "confirm"), found.action_belief
    return found


def after(question: Understanding, *answers: str, view: WorldView | None = None) -> Understanding:
    """The understanding after these answers, each to the question that the one before has left."""
    for text in answers:
        answered = default_pipeline().answer(question, text, view=view)
        assert answered is not None, text
        question = answered
    return question


def test_a_time_counts_after_the_answer() -> None:
    found = after(asked("bring me the cup in five minutes"), "the red one")
    assert (found.decision, found.question) == ("defer", "All right: in 5 minutes I will bring the red cup to you.")


def test_an_event_counts_after_the_answer() -> None:
    assert after(asked("bring me the cup when anna comes"), "the red one").decision == "defer"


def test_a_repetition_is_settled_by_one_answer() -> None:
    found = after(asked("bring me the cup twice"), "the red one")
    assert (found.decision, [action.argument("theme") for action in found.actions]) == ("execute", ["red_cup", "red_cup"])


def test_a_prohibition_counts_after_the_answer() -> None:
    found = after(asked("don't go into the bedroom today and bring me the cup"), "the red one")
    assert [str(action) for action in found.actions] == ["bring(recipient=operator, theme=red_cup)"]
    assert "I won't go to the bedroom today" in found.question


def test_whereabouts_tell_what_an_answer_describes() -> None:
    places = {"red_cup": "sink", "blue_cup": "coffee_table", "white_cup": "desk"}
    view = WorldView({thing: ObjectBelief(thing, (place,), np.ones(1)) for thing, place in places.items()})
    found = after(asked("bring me the cup"), "the one in the kitchen", view=view)
    assert (found.decision, found.actions[0].argument("theme")) == ("execute", "red_cup")


def test_a_caution_is_part_of_the_question_that_allows_its_clause() -> None:
    question = asked("go to the table and bring me two apples")
    assert question.question == "I know only one apple. Should I fetch the apple and hand it to you?"
    assert [str(action) for action in after(question, "yes").actions] == [
        "go_to(goal=coffee_table)",
        "bring(recipient=operator, theme=apple)",
    ]
    assert after(question, "no").decision == "reject"


def test_what_must_be_seen_first_is_seen_before_any_question() -> None:
    found = default_pipeline().understand("if the milk is in the fridge bring me the cup")
    assert [str(action) for action in found.actions] == ["survey(goal=fridge)"]
    assert found.action_belief.then == "if the milk is in the fridge bring me the cup"
    assert default_pipeline().after_look(found, view=WorldView({"milk": ObjectBelief("milk", ("sink",), np.ones(1))})).decision == "reject"
    there = default_pipeline().after_look(found, view=WorldView({"milk": ObjectBelief("milk", ("fridge",), np.ones(1))}))
    assert there.decision == "ask"


def test_all_parts_that_can_be_done_are_offered_at_once() -> None:
    question = asked("open the window, bring me the umbrella and come back")
    assert [action.name for action in after(question, "yes").actions] == ["bring", "come_here"]
    assert [action.name for action in after(question, "only the umbrella").actions] == ["bring"]
    assert after(question, "no").decision == "reject"


@pytest.mark.parametrize("text", ["bring me the milk", "go to the kitchen"])
def test_a_command_replaces_an_open_question(text: str) -> None:
    dialogue = Dialogue(HOME, describe=default_pipeline().describe)

    def hear(name: str, sentence: str, now: float) -> list[ActionBelief]:
        said = replace(default_classifier()(transcript((sentence, 1.0))), utterance_id=name, stamp=now)
        return [turn.belief for turn in dialogue.hear(said, None, lambda: default_pipeline().select(said, Context()), now)]

    assert hear("one", "bring me the cup", 1.0)[-1].decision == "ask"
    withdrawn, executed = hear("two", text, 2.0)
    assert (withdrawn.utterance_id, withdrawn.decision) == ("one", "reject")
    assert (executed.utterance_id, executed.decision) == ("two", "execute")


@pytest.mark.parametrize(
    ("action", "question"),
    [
        (Action("turn", (("direction", "right"), ("extent", "0.872665"))), "Should I turn right by 50 degrees?"),
        (Action("move", (("direction", "forward"), ("extent", "0.25"))), "Should I move forward by 0.25 m?"),
        (Action("move", (("direction", "backward"), ("extent", "120"))), "Should I move backward by 120 m?"),
    ],
)
def test_a_question_about_a_movement_says_how_far(action: Action, question: str) -> None:
    assert confirm_question(HOME, action) == question
