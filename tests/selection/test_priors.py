"""P(a|ctx): every condition that a factor can have."""

from datetime import datetime

import pytest

from sayso.domain import load_domain
from sayso.domain.model import Factor, Priors, When
from sayso.selection.choosing.priors import prior
from sayso.selection.choosing.table import CandidateTable
from sayso.types import Action, Context

GO = Action("go_to", (("goal", "kitchen"),))
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
BRING_BLUE = Action("bring", (("recipient", "operator"), ("theme", "blue_cup")))


def odds(when: dict[str, object], context: Context, actions: tuple[str, ...] = ("bring",)) -> float:
    """P(bring) / P(go_to) with one conditional factor of 3 on bring: 3 if the condition applies, else 1."""
    factor = Factor(name="f", when=When(**when), actions=actions, factor=3.0)
    domain = load_domain().model_copy(update={"priors": Priors(factors=(factor,))})
    p = prior(domain, CandidateTable.of(domain, [BRING, GO]), context).p
    assert p.sum() == pytest.approx(1.0)
    return float(p[0] / p[1])


@pytest.mark.parametrize(
    ("when", "fits", "does_not"),
    [
        ({"place": "kitchen"}, Context(place="counter"), Context(place="desk")),
        ({"place": "counter"}, Context(place="counter"), Context(place="kitchen")),
        ({"holding": "any"}, Context(holding="keys"), Context()),
        ({"holding": "none"}, Context(), Context(holding="keys")),
        ({"holding": "keys"}, Context(holding="keys"), Context(holding="red_cup")),
        ({"holding": "theme"}, Context(holding="red_cup"), Context(holding="keys")),
        ({"visible": "theme"}, Context(visible=("red_cup",)), Context(visible=("blue_cup",))),
        ({"visible": "keys"}, Context(visible=("keys",)), Context()),
        ({"last_action": "find"}, Context(last_action="find"), Context(last_action="go_to")),
        ({"speaker": "anna"}, Context(speaker="anna"), Context(speaker="ben")),
        ({"speaker": "operator"}, Context(), Context(speaker="ben")),
        ({"battery_below": 0.2}, Context(battery=0.1), Context(battery=0.2)),
        ({"place": "kitchen", "holding": "any"}, Context(place="sink", holding="keys"), Context(place="sink")),
    ],
)
def test_a_factor_applies_exactly_when_its_conditions_hold(when, fits, does_not):
    assert odds(when, fits) == pytest.approx(3.0)
    assert odds(when, does_not) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("hours", "hour", "applies"),
    [((7, 9), 7.0, True), ((7, 9), 9.0, False), ((7, 9), 8.99, True), ((22, 6), 23.5, True), ((22, 6), 5.5, True), ((22, 6), 12.0, False)],
)
def test_hours_are_local_and_may_span_midnight(hours, hour, applies):
    stamp = datetime(2026, 3, 4, int(hour), int(hour % 1 * 60)).timestamp()
    assert odds({"hours": hours}, Context(stamp=stamp)) == pytest.approx(3.0 if applies else 1.0)


def test_a_factor_without_actions_applies_to_all():
    assert odds({"holding": "none"}, Context(), actions=()) == pytest.approx(1.0)


def test_the_number_of_candidates_does_not_raise_an_actions_prior():
    domain = load_domain().model_copy(update={"priors": Priors(actions={"bring": 2.0})})
    p = prior(domain, CandidateTable.of(domain, [BRING, BRING_BLUE, GO]), Context()).p
    assert p == pytest.approx([1 / 3, 1 / 3, 1 / 3])
