"""Intent belief and context → decision."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import CUPS, belief, clause, role
from sayso.domain import load_domain
from sayso.domain.intents import IntentSpec
from sayso.domain.model import ActionSpec, Domain, Priors
from sayso.selection import ActionSelector
from sayso.selection.choosing.evidence import Doubt
from sayso.selection.choosing.reliability import Reliability
from sayso.types import Clause, Context, IntentBelief

DOMAIN = load_domain()
SELECT = ActionSelector(DOMAIN)
KITCHEN = role("goal", "kitchen", "kitchen", kind="place")


def decided(*clauses: Clause, context: Context | None = None):
    return SELECT(belief(DOMAIN, *clauses), context or Context())


def two_intents(priors: dict[str, float]) -> Domain:
    """A domain with the intents bring and go, without roles: case C."""
    intent = {name: IntentSpec(actions={name: 1.0}, examples=(name,)) for name in ("bring", "go")}
    actions = {name: ActionSpec(goal=("stopped()",)) for name in intent}
    return DOMAIN.model_copy(update={"intents": intent, "actions": actions, "priors": Priors(actions=priors)})


@pytest.mark.parametrize(("priors", "bring"), [({}, 1 / 3), ({"bring": 0.9, "go": 0.1}, 0.818182)])
def test_case_c_comes_out_of_the_whole_stage(priors, bring):
    select = ActionSelector(two_intents(priors))
    said = Clause("words", 0, 5, "bring", np.array([0.6, 0.4]), (), out_of_scope=-1.0)
    result = select(IntentBelief("u", 0.0, "words", ("bring", "go"), (said,), p_train=np.array([0.75, 0.25])), Context())
    understood = Reliability.shipped()(Doubt())
    assert {c.action.name: c.probability / understood for c in result.candidates} == pytest.approx(
        {"bring": bring, "go": 1 - bring}, abs=5e-7
    )


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


def test_shown_candidates_hold_nearly_all_of_the_posterior():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)), clause(DOMAIN, "go_to", KITCHEN))
    for index in (0, 1):
        rows = [candidate for candidate in result.candidates if candidate.clause == index]
        assert sum(row.probability for row in rows) == pytest.approx(1.0, abs=0.03)  # the rest: the words may not have been understood
        assert sum(row.prior for row in rows) <= 1.0 + 1e-9
        assert [row.probability for row in rows] == sorted((row.probability for row in rows), reverse=True)


def test_asks_when_three_cups_fit():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    assert result.decision == "ask"
    assert result.question == "Do you want me to bring the red cup, the blue cup or the white cup to you?"
    assert result.referents == (("red_cup", "the red cup"), ("blue_cup", "the blue cup"), ("white_cup", "the white cup"))


def test_a_source_favours_objects_that_are_usually_there():
    study = role("source", "the study", "study", kind="place")
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS), study))
    posterior = {candidate.action.argument("theme"): candidate.probability for candidate in reversed(result.candidates)}
    assert posterior["white_cup"] > posterior["blue_cup"] > posterior["red_cup"]


def test_a_worse_fitting_name_counts_less():
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cap", ("red_cup", 0.9), ("blue_cup", 0.6))))
    assert result.chosen[0].argument("theme") == "red_cup"
    assert result.candidates[0].probability > 0.9


def test_visible_objects_are_more_probable():
    result = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)), context=Context(visible=("white_cup",)))
    assert result.chosen[0].argument("theme") == "white_cup"


def test_the_recipient_defaults_to_the_speaker():
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
def test_asks_for_a_missing_role(said, question):
    result = decided(said)
    assert (result.decision, result.question) == ("ask", question)


def test_it_refers_to_the_held_object():
    result = decided(clause(DOMAIN, "give", role("theme", "it")), context=Context(holding="keys"))
    assert (result.decision, str(result.chosen[0])) == ("execute", "give(recipient=operator, theme=keys)")


def test_says_that_a_place_is_unknown():
    result = decided(clause(DOMAIN, "go_to", role("goal", "the garage", kind="place")))
    assert (result.decision, result.question) == ("reject", "I don't know the garage.")


def test_says_that_a_source_is_unknown():
    source = role("source", "the cellar", kind="place")
    result = decided(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup"), source))
    assert (result.decision, result.question) == ("reject", "I don't know the cellar.")


def test_declines_by_name_an_action_without_a_skill():
    result = decided(replace(clause(DOMAIN, "clean", role("theme", "plate", "plate")), text="wash the plate"))
    assert (result.decision, result.question) == ("reject", "I can't wash the plate.")


def test_finds_a_person_by_going_to_her():
    result = decided(clause(DOMAIN, "find", role("theme", "anna", "anna", kind="person")))
    assert (result.decision, [str(action) for action in result.chosen]) == ("execute", ["find(theme=anna)"])


def test_a_room_as_goal_means_its_surfaces():
    result = decided(clause(DOMAIN, "put", role("theme", "the red cup", "red_cup"), KITCHEN))
    assert result.decision == "ask"
    assert all(DOMAIN.places[option.argument("goal")].surface for option in result.options)


def test_declines_a_goal_that_is_no_surface():
    result = decided(clause(DOMAIN, "put", role("theme", "the red cup", "red_cup"), role("goal", "the wardrobe", "wardrobe", kind="place")))
    assert (result.decision, result.question) == ("reject", "I can't put anything on the wardrobe.")


def test_a_negated_command_is_not_executed():
    result = decided(clause(DOMAIN, "go_to", KITCHEN, negated=True))
    assert (result.decision, result.question, result.referents) == ("reject", "All right, I won't go to the kitchen.", ())


def test_out_of_scope_is_rejected_however_sure_the_intent():
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


def test_referents_add_the_colour():
    result = decided(clause(DOMAIN, "bring", role("theme", "the apple", "apple")))
    assert result.referents == (("apple", "the red apple"),)


@pytest.mark.parametrize("said", ["yes", "Yes, please!", "no thanks", "okay"])
def test_a_yes_or_no_without_a_question_is_rejected(said):
    result = SELECT(
        replace(belief(DOMAIN, clause(DOMAIN, "come_here", role("recipient", "me", "operator", kind="person"))), text=said), Context()
    )
    assert (result.decision, result.question) == ("reject", "I have not asked anything.")


def test_every_candidate_lists_the_factors_of_its_prior():
    seen = decided(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)), context=Context(visible=("white_cup",)))
    best, other = seen.candidates[0], next(c for c in seen.candidates if c.action.argument("theme") == "red_cup")
    assert dict(best.factors)["it is in view"] == 2.0
    assert "it is in view" not in dict(other.factors)
    ratio = np.prod([factor for _, factor in best.factors]) / np.prod([factor for _, factor in other.factors])
    assert ratio == pytest.approx(best.prior / other.prior)


def test_a_decision_lists_the_utilities_of_the_others():
    weighed = decided(clause(DOMAIN, "go_to", KITCHEN)).utilities
    assert weighed[0][0] == "execute"
    assert {decision for decision, _ in weighed} >= {"execute", "confirm", "reject"}
    assert [worth for _, worth in weighed] == sorted((worth for _, worth in weighed), reverse=True)


def test_without_a_context_the_prior_is_neutral_and_a_note_says_so():
    said = belief(DOMAIN, clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    result = SELECT(said, None)
    assert {name for candidate in result.candidates for name, _ in candidate.factors} <= {
        "weight",
        "share among its kind",
    }
    assert "context is unknown" in result.notes[0]


@pytest.mark.parametrize(("age", "neutral"), [(1.0, False), (11.0, True)])
def test_an_outdated_context_is_ignored(age, neutral):
    said = belief(DOMAIN, clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    result = SELECT(said, Context(stamp=said.stamp - age, visible=("white_cup",)))
    assert bool(result.notes) is neutral
    assert ("it is in view" in dict(result.candidates[0].factors)) is not neutral


@pytest.mark.parametrize("holding", ["keys", ""])
def test_it_does_not_refer_to_an_object_held_long_ago(holding):
    said = belief(DOMAIN, clause(DOMAIN, "give", role("theme", "it")))
    result = SELECT(said, Context(stamp=0.5, holding=holding))
    assert (result.decision, result.question) == ("ask", "What should I give you?")


def test_an_action_with_prior_zero_is_never_executed():
    never = DOMAIN.model_copy(update={"priors": Priors(actions=dict.fromkeys(DOMAIN.actions, 0.0))})
    result = ActionSelector(never)(belief(never, clause(never, "go_to", KITCHEN)), Context())
    assert (result.decision, result.candidates) == ("reject", ())
    assert "prior is 0" in result.reason
    one = DOMAIN.model_copy(update={"priors": Priors(actions={"go_to": 0.0})})
    result = ActionSelector(one)(belief(one, clause(one, "go_to", KITCHEN)), Context())
    assert all(candidate.action.name != "go_to" or candidate.probability == 0.0 for candidate in result.candidates)
    assert result.decision != "execute" or result.chosen[0].name != "go_to"


@pytest.mark.parametrize("spoilt", [float("nan"), float("inf")])
def test_invalid_numbers_are_rejected(spoilt):
    said = clause(DOMAIN, "go_to", KITCHEN)
    broken = replace(said, probabilities=np.where(np.arange(len(DOMAIN.intents)) == 3, spoilt, said.probabilities))
    for bad in (broken, replace(said, out_of_scope=float("nan")), replace(said, probabilities=np.zeros(len(DOMAIN.intents)))):
        assert decided(bad).decision == "reject"
        assert decided(clause(DOMAIN, "go_to", KITCHEN), bad).decision == "reject"


def test_care_raises_the_cost_of_a_mistake():
    soup = DOMAIN.objects["red_cup"].model_copy(update={"care": 10.0})
    careful = DOMAIN.model_copy(update={"objects": {**DOMAIN.objects, "red_cup": soup}})
    said = clause(DOMAIN, {"bring": 0.95}, role("theme", "the red cup", "red_cup"))
    assert decided(said).decision == "execute"
    assert ActionSelector(careful)(belief(careful, said), Context()).decision == "confirm"


class Favours:
    """A learnt prior that favours the blue cup."""

    def __call__(self, base, actions, context):
        p = base * np.array([20.0 if action.argument("theme") == "blue_cup" else 1.0 for action in actions])
        return p / p.sum()


def test_the_learnt_prior_is_listed_as_a_factor():
    select = ActionSelector(DOMAIN, learnt=Favours())
    result = select(belief(DOMAIN, clause(DOMAIN, "bring", role("theme", "the cup", *CUPS))), Context())
    assert result.chosen[0].argument("theme") == "blue_cup"
    assert dict(result.candidates[0].factors)["learnt from confirmed commands"] > 1.0


def test_all_candidates_of_a_large_building_are_scored():
    things = {f"box_{number}": DOMAIN.objects["cereal"].model_copy(update={"names": (f"box {number}",)}) for number in range(300)}
    shelves = {f"shelf_{number}": DOMAIN.places["counter"].model_copy(update={"names": (f"shelf {number}",)}) for number in range(100)}
    large = DOMAIN.model_copy(update={"objects": things, "places": {**DOMAIN.places, **shelves}})
    theme = role("theme", "box 7", *((name, 1.0 if name == "box_7" else 0.9) for name in things))
    goal = role("goal", "shelf 9", *((name, 1.0 if name == "shelf_9" else 0.9) for name in shelves), kind="place")
    result = ActionSelector(large)(belief(large, clause(large, "put", theme, goal)), Context())
    assert str(result.chosen[0]) == "put(goal=shelf_9, theme=box_7)"
    assert len(result.candidates) == 24
    assert result.candidates[0].probability < 0.01  # 30,000 candidates share the mass
    assert result.decision == "reject"
