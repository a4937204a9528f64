"""The examples of an intent show where the fillers of its roles stand: which words mark them, and which nouns are none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.domain import Domain, load_domain
from sayso.domain.intents import RoleSpec
from sayso.intent import IntentClassifier
from sayso.intent.slot_frames import slot_frames
from sayso.training.intents.evaluation import transcript_of

OWN_HOME = Path(__file__).parents[1] / "data" / "own_home.yaml"
PLACE = RoleSpec(kinds=("place",), required=True)


def home_with(*examples: str, **roles: RoleSpec) -> Domain:
    """The own home, where `vacuum` has these examples and roles."""
    home = load_domain(OWN_HOME)
    vacuum = home.intents["vacuum"].model_copy(update={"examples": examples, "roles": roles or {"goal": PLACE}})
    return home.model_copy(update={"intents": {**home.intents, "vacuum": vacuum}})


def test_prepositions_before_slots_mark_roles() -> None:
    frames = slot_frames(home_with("get the dust out of the {room}", "sweep the floor in my {room}", "vacuum the {room}"))["vacuum"]
    assert frames.marks == {("goal", "from"), ("goal", "in"), ("goal", "")}
    assert frames.after_noun == {("goal", "from"), ("goal", "in")}
    assert frames.marked_by("from") == ("goal",)
    assert frames.marked_by("") == ()


def test_a_slot_that_two_roles_can_take_shows_nothing_unless_it_is_tied() -> None:
    roles = {"goal": PLACE, "source": RoleSpec(kinds=("place",))}
    frames = slot_frames(home_with("drive from the {room} to the {room}", "get into the {room:goal}", **roles))["vacuum"]
    assert frames.marks == {("goal", "to")}


@pytest.mark.parametrize(
    ("examples", "bare"),
    [(("clean in the {room}",), False), (("clean in the {room}", "clean the {room}"), True), (("clean",), True)],
)
def test_an_unknown_noun_may_name_a_role_unless_all_examples_mark_it(examples: tuple[str, ...], bare: bool) -> None:
    assert slot_frames(home_with(*examples))["vacuum"].may_be_bare("goal") is bare


@pytest.mark.parametrize(
    ("examples", "said", "goal"),
    [
        (("get the dust out of the {room}", "dust", "dust the rooms"), "get the dust out of the study", "study"),
        (("clean the floor in the {room}", "clean", "start to clean"), "clean the tiles in the study", "study"),
        (("vacuum the {room}", "vacuum the floor in the {room}", "vacuum"), "vacuum the tiles in the study", "study"),
        (("vacuum the {room}", "vacuum the floor in the {room}", "vacuum"), "vacuum the floor of the study", "study"),
        (("vacuum the {room}", "vacuum the floor in the {room}", "vacuum"), "vacuum the garage", ""),
    ],
)
def test_roles_are_filled_as_the_examples_show(examples: tuple[str, ...], said: str, goal: str) -> None:
    (clause,) = IntentClassifier(home_with(*examples))(transcript_of(said)).clauses
    assert (clause.intent, [(role.name, role.entity) for role in clause.roles]) == ("vacuum", [("goal", goal)])


def test_an_entity_of_another_kind_is_known() -> None:
    (clause,) = IntentClassifier(load_domain(OWN_HOME))(transcript_of("vacuum the keys")).clauses
    (role,) = clause.roles
    assert (role.name, role.entity, role.kind) == ("goal", "keys", "object")
