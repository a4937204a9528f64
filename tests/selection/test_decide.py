"""Execute, confirm, ask or reject: the decision with the highest expected utility."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.domain.model import Decisions
from sayso.selection.choosing.decide import decide, utility_of_executing
from sayso.types import Action, ActionCandidate

DOMAIN = load_domain()
GO = Action("go_to", (("goal", "kitchen"),))
GO_STUDY = Action("go_to", (("goal", "study"),))
COUNT = Action("count")
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
GIVE = Action("give", (("recipient", "operator"), ("theme", "red_cup")))


def candidates(*probabilities: tuple[Action, float]) -> list[ActionCandidate]:
    return [ActionCandidate(0, action, p, 1.0, p, 0.0) for action, p in probabilities]


def domain_with_costs(wrong: float, **decisions: float):
    actions = {**DOMAIN.actions, "go_to": DOMAIN.actions["go_to"].model_copy(update={"wrong": wrong})}
    return DOMAIN.model_copy(update={"actions": actions, "decisions": Decisions(**decisions)})


@given(st.floats(0.0, 1.0), st.floats(0.0, 10.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_decision_has_the_highest_expected_utility(p, wrong, confirm, ask, reject):
    domain = domain_with_costs(wrong, confirm=confirm, ask=ask, reject=reject)
    best = max(p, 1 - p)
    everything = {
        "execute": best - wrong * (1 - best),
        "confirm": best - reject * (1 - best) - confirm,
        "reject": -reject,
    }
    if min(p, 1 - p) >= 0.15 * best:
        everything["ask"] = 1.0 - ask
    verdict = decide(domain, candidates((GO, p), (GO_STUDY, 1 - p)))
    assert verdict.utility == pytest.approx(max(everything.values()))
    assert everything[verdict.decision] == pytest.approx(verdict.utility)


@pytest.mark.parametrize(("wrong", "decision"), [(0.2, "execute"), (3.0, "confirm")])
def test_costlier_mistakes_need_more_certainty(wrong, decision):
    assert decide(domain_with_costs(wrong, confirm=0.1, ask=0.25, reject=0.5), candidates((GO, 0.93), (COUNT, 0.07))).decision == decision


def test_confirms_a_likely_but_dangerous_action():
    verdict = decide(domain_with_costs(20.0), candidates((GO, 0.97), (GO_STUDY, 0.03)))
    assert (verdict.decision, verdict.question, verdict.options) == ("confirm", "Should I drive to the kitchen?", (GO,))


def test_asks_when_two_actions_are_equally_probable():
    verdict = decide(DOMAIN, candidates((GO, 0.5), (BRING, 0.5)))
    assert verdict.decision == "ask"
    assert verdict.question == "Do you want me to go to the kitchen or to bring the red cup to you?"


def test_two_actions_with_one_goal_need_no_question():
    assert decide(DOMAIN, candidates((BRING, 0.5), (GIVE, 0.5))).decision == "execute"
    assert utility_of_executing(DOMAIN, [BRING, GIVE], [0.5, 0.5]) == pytest.approx((1.0, 1.0))


def test_declines_by_name_an_action_without_a_skill():
    verdict = decide(DOMAIN, candidates((COUNT, 0.9), (GO, 0.1)))
    assert (verdict.decision, verdict.question) == ("reject", "I can't count things.")


def test_never_executes_anything_but_the_most_probable_candidate():
    verdict = decide(domain_with_costs(0.0), candidates((COUNT, 0.4), (GO, 0.35), (GO_STUDY, 0.25)))
    assert verdict.decision != "execute"


def test_offers_no_more_options_than_the_domain_allows():
    places = [Action("go_to", (("goal", place),)) for place in ("kitchen", "study", "bedroom", "bathroom", "hallway")]
    verdict = decide(DOMAIN, candidates(*((place, 0.2) for place in places)))
    assert verdict.decision == "ask"
    assert len(verdict.options) == DOMAIN.decisions.options


def test_rejects_when_too_many_actions_fit():
    anything = [(Action("go_to", (("goal", place),)), 1 / len(DOMAIN.places)) for place in DOMAIN.places]
    assert decide(DOMAIN, candidates(*anything)).decision == "reject"
