"""What is decided about an utterance, from intent belief and context."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import CUPS, belief, clause, role
from sayso.domain import load_domain
from sayso.domain.model import ActionSpec, Domain, IntentSpec, Priors
from sayso.selection import ActionSelector
from sayso.types import Clause, Context, IntentBelief

DOMAIN = load_domain()
SELECT = ActionSelector(DOMAIN)
KITCHEN = role("goal", "kitchen", "kitchen", kind="place")


def decided(*clauses: Clause, context: Context | None = None):
    return SELECT(belief(DOMAIN, *clauses), context or Context())


def two_intents(priors: dict[str, float]) -> Domain:
    """Bring and go without roles: case C."""
    intent = {name: IntentSpec(actions={name: 1.0}, examples=(name,)) for name in ("bring", "go")}
    actions = {name: ActionSpec(goal=("stopped()",)) for name in intent}
    return DOMAIN.model_copy(update={"intents": intent, "actions": actions, "priors": Priors(actions=priors)})


@pytest.mark.parametrize(("priors", "bring"), [({}, 1 / 3), ({"bring": 0.9, "go": 0.1}, 0.818182)])
def test_case_c_comes_out_of_the_whole_stage(priors, bring):
    select = ActionSelector(two_intents(priors), p_train={"bring": 0.75, "go": 0.25})
    said = Clause("words", 0, 5, "bring", np.array([0.6, 0.4]), (), out_of_scope=-1.0)
    result = select(IntentBelief("u", 0.0, "words", ("bring", "go"), (said,)), Context())
    assert {c.action.name: c.probability for c in result.candidates} == pytest.approx({"bring": bring, "go": 1 - bring}, abs=5e-7)


def test_the_order_of_the_classifiers_intents_does_not_matter():
    said = clause(DOMAIN, "go_to", KITCHEN)
    turned = Clause(said.text, 0, 5, said.intent, said.probabilities[::-1].copy(), said.roles, said.out_of_scope)
    backwards = IntentBelief("u1", 12.5, "words", tuple(DOMAIN.intents)[::-1], (turned,))
    assert SELECT(backwards, Context()) == decided(said)


def test_a_clear_command_is_executed():
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup")))
    assert result.decision == "execute"
    assert str(result.chosen[0]) == "bring(recipient=operator, theme=red_cup)"
    assert (result.utterance_id, result.stamp, result.question, result.options) == ("u1", 12.5, "", ())


def test_posteriors_and_priors_sum_to_one_over_each_clause():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)), clause(DOMAIN, "go_to", KITCHEN))
    for index in (0, 1):
        rows = [candidate for candidate in result.candidates if candidate.clause == index]
        assert sum(row.probability for row in rows) == pytest.approx(1.0)
        assert sum(row.prior for row in rows) == pytest.approx(1.0)
        assert [row.probability for row in rows] == sorted((row.probability for row in rows), reverse=True)


def test_asks_when_three_cups_fit():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    assert result.decision == "ask"
    assert result.question == "Do you mean the red cup, the blue cup or the white cup?"
    assert result.referents == (("red_cup", "the red cup"), ("blue_cup", "the blue cup"), ("white_cup", "the white cup"))


def test_where_it_is_said_to_come_from_favours_what_tends_to_be_there():
    study = role("source", "the study", "study", kind="place")
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS), study))
    posterior = {candidate.action.argument("theme"): candidate.probability for candidate in reversed(result.candidates)}
    assert posterior["white_cup"] > posterior["blue_cup"] > posterior["red_cup"]


def test_a_worse_fitting_name_counts_less():
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cap", ("red_cup", 0.9), ("blue_cup", 0.6))))
    assert result.chosen[0].argument("theme") == "red_cup"
    assert result.candidates[0].probability > 0.9


def test_what_is_in_view_is_likelier_meant():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)), context=Context(visible=("white_cup",)))
    assert result.chosen[0].argument("theme") == "white_cup"


def test_me_is_who_speaks():
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup")), context=Context(speaker="anna"))
    assert result.chosen[0].argument("recipient") == "anna"


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (clause(DOMAIN, "bring"), "What should I bring you?"),
        (clause(DOMAIN, "put", role("theme", "the red cup", "red_cup")), "Where should I put the red cup?"),
        (clause(DOMAIN, "go_to"), "Where should I go?"),
        (clause(DOMAIN, "bring", role("theme", "something")), "What should I bring you?"),
        (clause(DOMAIN, "give", role("recipient", "anna", "anna", kind="person")), "What should I give Anna?"),
    ],
)
def test_asks_for_what_is_missing(said, question):
    result = decided(said)
    assert (result.decision, result.question) == ("ask", question)


def test_it_is_what_the_robot_holds():
    result = decided(clause(DOMAIN, "give", role("theme", "it")), context=Context(holding="keys"))
    assert (result.decision, str(result.chosen[0])) == ("execute", "give(recipient=operator, theme=keys)")


def test_says_that_it_does_not_know_a_place():
    result = decided(clause(DOMAIN, "go_to", role("goal", "the garage", kind="place")))
    assert (result.decision, result.question) == ("reject", "I don't know the garage.")


def test_says_that_it_does_not_know_the_source_either():
    source = role("source", "the cellar", kind="place")
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup"), source))
    assert (result.decision, result.question) == ("reject", "I don't know the cellar.")


def test_declines_by_name_what_it_has_no_skill_for():
    result = decided(clause(DOMAIN, "pour", role("theme", "milk", "milk")))
    assert (result.decision, result.question) == ("reject", "I can't pour.")


def test_does_not_look_for_people_as_if_they_were_things():
    result = decided(clause(DOMAIN, "find", role("theme", "anna", "anna", kind="person")))
    assert (result.decision, result.question) == ("reject", "I can't look for Anna.")


def test_puts_things_on_surfaces_of_the_room_that_was_named():
    result = decided(clause(DOMAIN, "put", role("theme", "the red cup", "red_cup"), KITCHEN))
    assert result.decision == "ask"
    assert all(DOMAIN.places[option.argument("goal")].surface for option in result.options)


def test_will_not_put_things_where_nothing_stands():
    result = decided(clause(DOMAIN, "put", role("theme", "the red cup", "red_cup"), role("goal", "the fridge", "fridge", kind="place")))
    assert (result.decision, result.question) == ("reject", "I can't put anything on the fridge.")


def test_a_negated_command_is_not_done():
    result = decided(clause(DOMAIN, "go_to", KITCHEN, negated=True))
    assert (result.decision, result.question, result.referents) == ("reject", "All right, I won't go to the kitchen.", ())


def test_what_is_out_of_scope_is_rejected_however_sure_the_intent():
    result = decided(clause(DOMAIN, "go_to", KITCHEN, out_of_scope=0.1))
    assert (result.decision, result.question) == ("reject", "I don't think that was meant for me.")


def test_a_rejected_belief_stays_rejected_with_its_reason():
    result = SELECT(belief(DOMAIN, rejected="the sentence is empty"), Context())
    assert (result.decision, result.reason, result.candidates) == ("reject", "the sentence is empty", ())


def test_the_most_careful_clause_decides():
    result = decided(clause(DOMAIN, "go_to", KITCHEN), clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    assert result.decision == "ask"
    assert len(result.chosen) == 2


def test_quantities_and_directions_become_arguments():
    extent = role("extent", "two meters", kind="quantity", value=2.0)
    result = decided(clause(DOMAIN, "move", role("direction", "back", "backward", kind="direction"), extent))
    assert str(result.chosen[0]) == "move(direction=backward, extent=2)"


def test_referents_name_the_colour_that_the_name_lacks():
    result = decided(clause(DOMAIN, "bring", role("theme", "the apple", "apple")))
    assert result.referents == (("apple", "the red apple"),)


@pytest.mark.parametrize("said", ["yes", "Yes, please!", "no thanks", "okay"])
def test_a_yes_or_no_to_no_question_moves_nothing(said):
    result = SELECT(
        replace(belief(DOMAIN, clause(DOMAIN, "come_here", role("recipient", "me", "operator", kind="person"))), text=said), Context()
    )
    assert (result.decision, result.question) == ("reject", "I have not asked anything.")
