"""From the structure of a sentence to its meaning in a home: each tree is given, so that no model decides these tests."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sayso.domain import load_domain
from sayso.intent.composition import Composer
from sayso.intent.discourse import RecentMentions
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.parser.tree import ParsedSentence, tree_of
from sayso.intent.roles import RoleFinder
from sayso.training.parser.marks import read_marks
from sayso.types import Clause

DOMAIN = load_domain()


@pytest.fixture(scope="module")
def compose() -> Composer:
    gazetteer, verbs = Gazetteer(DOMAIN), verbs_of(example for spec in DOMAIN.intents.values() for example in spec.wordings)
    return Composer(DOMAIN, gazetteer, verbs, RoleFinder(DOMAIN, gazetteer, verbs), tuple(DOMAIN.intents))


def clauses(compose: Composer, marked: str) -> tuple[Clause, ...]:
    """The meaning of a sentence with its structure in brackets."""
    sentence = read_marks(marked)
    sentence = replace(sentence, spans=tuple(span for span in sentence.spans if span.label != "polite"))  # given to words without a mark
    values = {(span.first, span.last): span.value for span in sentence.spans if span.value}
    reading = ParsedSentence(sentence.words, tree_of(sentence.structure, values), 1.0)
    return compose(reading, " ".join(sentence.words).replace(" ,", ","), RecentMentions()) or ()


def said(clause: Clause) -> dict[str, str | float]:
    return {role.name: role.entity or (role.text if math.isnan(role.value) else round(role.value, 3)) for role in clause.roles}


def test_roles_are_the_spans_of_the_tree_linked_to_the_home(compose: Composer) -> None:
    (clause,) = clauses(compose, "[bring could you get [recipient ben] [theme the [attribute red] cup] from [source the kitchen]]")
    assert clause.intent == "bring"
    assert said(clause) == {"theme": "red_cup", "recipient": "ben", "source": "kitchen"}
    assert clause.left_over == ()


def test_an_act_that_the_robot_lacks_is_named_and_its_thing_can_be_meant_by_it(compose: Composer) -> None:
    chilled, put = clauses(compose, "[other could you chill [theme an apple]] and [put put [theme it] on [goal the counter]]")
    assert (chilled.modifiers.mood, chilled.text) == ("unable", "chill an apple")
    assert said(put) == {"theme": "apple", "goal": "counter"}


def test_a_question_without_an_answer_is_repeated_in_its_own_words(compose: Composer) -> None:
    (clause,) = clauses(compose, "[question:what what is [theme the yen] [state worth]]")
    assert clause.modifiers.note == "I can't answer “what is the yen worth”."


def test_an_amount_may_be_in_the_verb_phrase(compose: Composer) -> None:
    (turn,) = clauses(compose, "[turn make a half turn]")
    assert said(turn)["extent"] == pytest.approx(math.pi, abs=1e-3)


def test_words_of_an_amount_that_are_none_are_left_over(compose: Composer) -> None:
    (move,) = clauses(compose, "[move move [direction forward] [extent umpteen meters]]")
    assert move.left_over == ("umpteen", "meters")


def test_a_thing_as_a_goal_is_the_place_beside_it(compose: Composer) -> None:
    (put,) = clauses(compose, "[put put [theme the pen] next to [goal the laptop]]")
    goal = put.role("goal")
    assert goal is not None
    assert goal.description is not None
    (relation,) = goal.description.relations
    assert (relation.name, relation.landmarks[0].candidates[0][0]) == ("next_to", "laptop")


def test_two_spans_of_one_role_are_both_meant(compose: Composer) -> None:
    (put,) = clauses(compose, "[put [theme the plate] on [goal the dining table] [theme the glass] too]")
    theme = put.role("theme")
    assert theme is not None
    assert theme.description is not None
    assert [part.head for part in theme.description.parts] == ["plate", "glass"]


def test_words_that_nothing_in_the_home_explains_are_left_over(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring bring [recipient me] [theme the [attribute glass] vase]]")
    assert said(bring)["theme"] == "vase"
    assert "glass" in bring.left_over
    (put,) = clauses(compose, "[put put [theme the pan [with with a slice of tomato]] on [goal the counter]]")
    assert "tomato" in put.left_over


def test_a_verb_without_a_thing_shares_that_of_the_next_one(compose: Composer) -> None:
    *_, last = clauses(compose, "[find find] and [bring bring [recipient me] [theme the keys]]")
    assert said(last)["theme"] == "keys"


def test_who_owns_a_thing_can_be_meant_by_her(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring take [theme [owner anna's] book] over to [recipient her]]")
    assert said(bring)["recipient"] == "anna"


def test_to_stop_somewhere_is_to_go_there(compose: Composer) -> None:
    (go,) = clauses(compose, "[stop stop at [goal the sofa]]")
    assert (go.intent, said(go)) == ("go_to", {"goal": "sofa"})


def test_a_condition_and_a_time_belong_to_their_act(compose: Composer) -> None:
    first, second = clauses(
        compose, "[go_to go to [goal the kitchen]] and [when when [fact [theme anna] [state comes]]] [go_to go to [goal the study]]"
    )
    assert first.modifiers.conditions == ()
    (condition,) = second.modifiers.conditions
    assert (condition.kind, condition.subject and condition.subject.candidates[0][0]) == ("when", "anna")
    (later,) = clauses(compose, "[time in 5 minutes] [go_to go to [goal the kitchen]]")
    assert [timing.seconds for timing in later.modifiers.timings] == [300.0]


@pytest.mark.parametrize(
    "marked",
    [
        "[never don't [go_to go to [goal the kitchen]]]",
        "[go_to go to [goal the kitchen]] [otherwise otherwise [dock go and charge]]",
        "[hint:bring i'm thirsty]",
        "[talk that was a nice film]",
    ],
)
def test_what_is_read_elsewhere_is_not_composed(compose: Composer, marked: str) -> None:
    assert clauses(compose, marked) == ()


@pytest.mark.parametrize("count", [1, 30])
def test_a_word_outside_of_all_spans_is_left_over(compose: Composer, count: int) -> None:
    between = " ".join(["florp"] * count)
    *_, last = clauses(compose, f"[go_to go to [goal the kitchen]] and {between} and [dock charge yourself]")
    assert set(last.left_over) == {"florp"}
