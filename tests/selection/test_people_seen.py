"""Where a person was seen counts when the robot says where they are, and counts less and less."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.agenda import Now
from sayso.domain import load_domain
from sayso.meaning.recollection import LastSeen, Recollection
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.selection.answering.whereabouts import located, probability_at
from sayso.selection.memory.diary import Diary
from sayso.types import Context

HOME = load_domain()
NOW = 10_000.0  # s


def seen(ago: float, place: str = "kitchen", person: str = "anna") -> WorldView:
    return WorldView.of(None, None, Recollection(Now(NOW, 1.7e9), {person: LastSeen(place, NOW - ago)}))


def test_a_person_is_where_they_were_just_seen_and_after_hours_where_they_usually_are() -> None:
    assert located(HOME, "anna", seen(0.0)) == "Anna is in the kitchen: 98% sure. I last saw Anna there just now."
    assert located(HOME, "anna", seen(7200.0)).startswith("Anna is probably in the study")
    p = [probability_at(HOME, "anna", "kitchen", seen(ago)) for ago in (0.0, 60.0, 600.0, 3600.0, 36_000.0)]
    assert p == sorted(p, reverse=True)
    assert p[2] == pytest.approx(0.49, abs=0.02)
    assert p[-1] == pytest.approx(probability_at(HOME, "anna", "kitchen", WorldView.of(None)), abs=1e-3)


def test_the_places_of_a_person_who_was_seen_are_a_distribution() -> None:
    for ago in (0.0, 500.0, 5000.0):
        places = PlaceBeliefs(HOME, seen(ago)).places("anna")
        assert sum(places.values()) == pytest.approx(1.0)
        assert min(places.values()) >= 0.0


def test_a_sighting_somewhere_on_the_way_or_of_somebody_else_tells_nothing() -> None:
    usual = PlaceBeliefs(HOME, WorldView.of(None)).places("anna")
    for view in (seen(0.0, place=""), seen(0.0, person="ben")):
        assert PlaceBeliefs(HOME, view).places("anna") == usual


def test_the_diary_keeps_the_room_in_which_a_person_was_and_not_where_the_robot_stood() -> None:
    diary = Diary(HOME)
    diary.noticed(Context(stamp=5.0, place="kitchen_table", visible=("anna", "milk")))
    last = diary.recollection(None).last_seen
    assert (last["anna"].place, last["milk"].place) == ("kitchen", "kitchen_table")


@pytest.mark.parametrize("they", ["the waving person", "a person", "someone"])
def test_them_is_whoever_was_described_before(they: str) -> None:
    *_, last = default_pipeline().understand(f"find {they} in the kitchen and guide them to the front door").clauses
    recipient = last.role("recipient")
    assert recipient is not None
    assert recipient.description is not None
    assert recipient.description.pronoun == "person"
    assert [relation.name for relation in recipient.description.relations] == ["in"]


def test_them_goes_on_to_mean_the_same_person() -> None:
    said = "find a person in the kitchen, tell them a joke and guide them to the front door"
    _, *others = default_pipeline().understand(said).clauses
    recipients = [clause.role("recipient") for clause in others]
    assert [role.description.pronoun for role in recipients if role is not None and role.description is not None] == ["person", "person"]


def test_somebody_without_a_place_is_asked_about() -> None:
    assert default_pipeline().understand("tell someone that dinner is ready").question == "I don't know who you mean by “someone”."
