"""Standing rules cover what lies in a place, what leads there, and what an action entails."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.agenda import Agenda, Facts, Now, Observable, StandingRule
from sayso.agenda.places import covers, entailed, inside
from sayso.domain import load_domain
from sayso.types import Action

HOME = load_domain()
NOW = Now(10.0, 2e9)


def action(name: str, **arguments: str) -> Action:
    return Action(name, tuple(sorted(arguments.items())))


def rule(name: str, until: float = math.inf, **arguments: str) -> StandingRule:
    return StandingRule("", "u", "don't …", "do that", name, tuple(sorted(arguments.items())), NOW.wall, until)


def forbidden(kept: StandingRule, asked: Action, whereabouts: dict[str, str] | None = None) -> bool:
    agenda = Agenda(HOME)
    agenda.add_rule(kept)
    return agenda.forbids(asked, NOW.wall, whereabouts) is not None


BEDROOM = rule("go_to", goal="bedroom")


@pytest.mark.parametrize(
    "asked",
    [
        action("go_to", goal="bedroom"),
        action("go_to", goal="nightstand"),
        action("put", theme="red_cup", goal="bed"),
        action("come_here", recipient="carla"),  # she is always there
        action("bring", theme="red_cup", recipient="carla"),
    ],
)
def test_a_rule_on_a_room_covers_every_way_into_it(asked: Action) -> None:
    assert forbidden(BEDROOM, asked)


@pytest.mark.parametrize(
    "asked",
    [
        action("go_to", goal="kitchen"),
        action("put", theme="red_cup", goal="desk"),
        action("bring", theme="red_cup", recipient="operator"),
        action("stop"),
        action("greet"),
        action("turn", direction="left"),
    ],
)
def test_it_covers_nothing_else(asked: Action) -> None:
    assert not forbidden(BEDROOM, asked)


def test_a_thing_in_a_forbidden_room_is_not_fetched() -> None:
    bring, find = action("bring", theme="red_cup", recipient="operator"), action("find", theme="red_cup")
    assert forbidden(BEDROOM, bring, {"red_cup": "nightstand"})
    assert forbidden(BEDROOM, find, {"red_cup": "nightstand"})
    assert not forbidden(BEDROOM, bring, {"red_cup": "counter"})


def test_a_rule_on_furniture_does_not_cover_its_room() -> None:
    assert not forbidden(rule("go_to", goal="nightstand"), action("go_to", goal="bedroom"))


def test_what_may_not_be_picked_up_may_not_be_brought() -> None:
    vase = rule("pick_up", theme="red_cup")
    assert forbidden(vase, action("bring", theme="red_cup", recipient="anna"))
    assert forbidden(vase, action("put", theme="red_cup", goal="desk"))
    assert not forbidden(vase, action("find", theme="red_cup"))
    assert not forbidden(vase, action("bring", theme="blue_cup", recipient="anna"))


def test_a_rule_for_any_action_covers_every_action_with_that_thing() -> None:
    touched = rule("", theme="red_cup")
    assert forbidden(touched, action("find", theme="red_cup"))
    assert forbidden(touched, action("put", theme="red_cup", goal="desk"))
    assert not forbidden(touched, action("find", theme="blue_cup"))
    assert not forbidden(touched, action("go_to", goal="kitchen"))


def test_what_was_not_said_in_a_rule_fits_anything() -> None:
    anything = rule("bring", recipient="anna")
    assert forbidden(anything, action("bring", theme="red_cup", recipient="anna"))
    assert forbidden(anything, action("give", theme="blue_cup", recipient="anna"))  # it comes to the same
    assert not forbidden(anything, action("bring", theme="red_cup", recipient="ben"))


def test_nothing_keeps_the_robot_from_stopping() -> None:
    assert not forbidden(rule("stop"), action("stop"))
    assert not forbidden(rule("cancel"), action("cancel"))


def test_a_rule_ends_with_its_time_or_its_event() -> None:
    agenda = Agenda(HOME)
    agenda.add_rule(rule("go_to", until=NOW.wall + 60.0, goal="bedroom"))
    asked = action("go_to", goal="bed")
    assert agenda.forbids(asked, NOW.wall + 59.0)
    assert agenda.forbids(asked, NOW.wall + 60.0) is None
    agenda.due(Now(70.0, NOW.wall + 60.0), Facts())
    assert [each.state for each in agenda.rules] == ["over"]
    agenda.add_rule(
        StandingRule("", "u", "", "", "go_to", (("goal", "study"),), NOW.wall, ends=Observable("seen", "anna", text="Anna comes"))
    )
    agenda.due(NOW, Facts())
    assert agenda.forbids(action("go_to", goal="study"), NOW.wall)
    agenda.due(NOW, Facts(visible=("anna",)))
    assert agenda.forbids(action("go_to", goal="study"), NOW.wall) is None
    assert agenda.rules[-1].reason == "Anna comes"


def test_a_rule_said_twice_is_kept_once_with_the_newer_end() -> None:
    agenda = Agenda(HOME)
    agenda.add_rule(rule("go_to", until=NOW.wall + 60.0, goal="bedroom"))
    agenda.add_rule(rule("go_to", goal="bedroom"))
    assert [(each.id, each.open, each.until) for each in agenda.rules] == [("1", False, NOW.wall + 60.0), ("2", True, math.inf)]


def test_a_rule_that_a_person_overrules_does_not_count_for_that_command() -> None:
    agenda = Agenda(HOME)
    kept = agenda.add_rule(BEDROOM)
    assert agenda.forbids(action("go_to", goal="bed"), NOW.wall, permitted=[kept.id]) is None


@given(st.sampled_from(sorted(HOME.places)), st.sampled_from(sorted(HOME.places)))
def test_a_rule_on_a_place_covers_just_the_places_inside(area: str, place: str) -> None:
    assert forbidden(rule("go_to", goal=area), action("go_to", goal=place)) == inside(HOME, place, area)


@given(st.sampled_from(sorted(HOME.actions)), st.sampled_from(sorted(HOME.objects)), st.sampled_from(sorted(HOME.places)))
def test_an_action_entails_its_goal(name: str, theme: str, goal: str) -> None:
    asked = action(name, theme=theme, goal=goal, recipient="anna")
    facts = entailed(HOME, asked, {})
    assert all(covers(HOME, wanted, wanted) for wanted in facts)
    assert forbidden(rule(name, theme=theme, goal=goal, recipient="anna"), asked) == (name not in ("stop", "cancel"))
