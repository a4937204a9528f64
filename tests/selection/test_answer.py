"""Interpretation of answers to the robot's questions."""

import pytest

from hand_made import CUPS, belief, clause, role
from sayso.domain import Domain, load_domain
from sayso.selection import ActionSelector
from sayso.selection import answer as answered
from sayso.types import ActionBelief, Clause, Context

DOMAIN = load_domain()
SELECT = ActionSelector(DOMAIN)
CUP = clause(DOMAIN, "bring", role("theme", "the cup", *CUPS))


def answer(domain: Domain, question: ActionBelief, text: str) -> ActionBelief | None:
    """The belief after the answer."""
    result = answered(domain, question, text)
    return result.belief if result else None


def asked(*clauses: Clause) -> ActionBelief:
    result = SELECT(belief(DOMAIN, *clauses), Context())
    assert result.decision in ("ask", "confirm")
    return result


@pytest.mark.parametrize(
    ("text", "cup"),
    [
        ("the second one", "blue_cup"),
        ("Number two.", "blue_cup"),
        ("the blue one", "blue_cup"),
        ("blue", "blue_cup"),
        ("the red cup please", "red_cup"),
        ("bring me the red one", "red_cup"),
        ("the last one", "white_cup"),
        ("white mug", "white_cup"),
        ("first", "red_cup"),
    ],
)
def test_an_answer_picks_an_option(text, cup):
    result = answer(DOMAIN, asked(CUP), text)
    assert result is not None
    assert (result.decision, result.question) == ("execute", "")
    assert result.chosen[0].argument("theme") == cup


@pytest.mark.parametrize("text", ["", "yes", "the cup", "the fourth one", "the green one", "what time is it", "the milk"])
def test_an_unrelated_text_changes_nothing(text):
    assert answer(DOMAIN, asked(CUP), text) is None


@pytest.mark.parametrize("text", ["never mind", "No.", "forget it", "none of them", "stop"])
def test_the_question_can_be_dropped(text):
    result = answer(DOMAIN, asked(CUP), text)
    assert result is not None
    assert (result.decision, result.options) == ("reject", ())


def test_yes_confirms():
    question = asked(clause(DOMAIN, {"put": 0.75, "pour": 0.2}, role("theme", "milk", "milk"), role("goal", "sink", "sink", kind="place")))
    assert question.decision == "confirm"
    result = answer(DOMAIN, question, "yes please")
    assert result is not None
    assert result.decision == "execute"
    assert str(result.chosen[0]) == "put(goal=sink, theme=milk)"


def test_an_answer_fills_a_missing_role():
    question = asked(clause(DOMAIN, "put", role("theme", "the red cup", "red_cup")))
    result = answer(DOMAIN, question, "on the kitchen table")
    assert result is not None
    assert (result.decision, str(result.chosen[0])) == ("execute", "put(goal=kitchen_table, theme=red_cup)")
    assert answer(DOMAIN, question, "on the wardrobe") is None
    assert answer(DOMAIN, question, "bring the milk from the counter") is None


def test_an_ambiguous_answer_leads_to_another_question():
    result = answer(DOMAIN, asked(clause(DOMAIN, "bring")), "a cup")
    assert result is not None
    assert (result.decision, result.question) == ("ask", "Do you want me to bring the red cup, the blue cup or the white cup to you?")
    settled = answer(DOMAIN, result, "the white one")
    assert settled is not None
    assert str(settled.chosen[0]) == "bring(recipient=operator, theme=white_cup)"


def test_an_answer_keeps_the_other_clauses():
    question = asked(clause(DOMAIN, "go_to", role("goal", "kitchen", "kitchen", kind="place")), CUP)
    result = answer(DOMAIN, question, "the red one")
    assert result is not None
    assert [str(action) for action in result.chosen] == ["go_to(goal=kitchen)", "bring(recipient=operator, theme=red_cup)"]


def test_two_open_questions_are_asked_one_after_the_other():
    book = clause(DOMAIN, "bring", role("theme", "the book", "red_book", "blue_book"))
    first = answer(DOMAIN, asked(CUP, book), "the red one")
    assert first is not None
    assert (first.decision, first.question) == ("ask", "Do you want me to bring the red book or the blue book to you?")
    second = answer(DOMAIN, first, "the second one")
    assert second is not None
    assert second.decision == "execute"
    assert [action.argument("theme") for action in second.chosen] == ["red_cup", "blue_book"]


def test_without_a_question_there_is_no_answer():
    done = SELECT(belief(DOMAIN, clause(DOMAIN, "stop")), Context())
    assert answer(DOMAIN, done, "yes") is None
