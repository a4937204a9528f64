"""Two cups before the robot, of which its home knows one: it asks, and brings the right one. Real grounder, skills and simulation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drawing import picture_of
from hand_made import transcript
from sayso.domain import Domain, load_domain
from sayso.evaluation.execution import Performance, Rehearsal
from sayso.grounding.seeing_once import SeeingOnce
from sayso.grounding.spoken import SpokenGrounder
from sayso.pipeline import Pipeline
from sayso.scene import load_scene

TABLE = "nightstand"


def home_with_one_cup() -> Domain:
    """The default home, which knows the red cup alone, as "the cup" on the nightstand."""
    data = load_domain().model_dump()
    for other in ("blue_cup", "white_cup"):
        del data["objects"][other]
    data["objects"]["red_cup"] |= {"names": ["cup"], "attributes": {}, "usual": {TABLE: 1.0}}
    return Domain.model_validate(data)


@pytest.fixture(scope="module")
def home() -> Iterator[Rehearsal]:
    domain = home_with_one_cup()
    pipeline = Pipeline(domain)
    made = Rehearsal(domain, load_scene(), SpokenGrounder(SeeingOnce(), pipeline.describe), pipeline)
    picture_of(made.simulation)
    yield made
    made.close()


def brought(home: Rehearsal, world: dict[str, str]) -> Performance:
    return home.perform(transcript(("bring me the cup", 1.0)), lambda asked, context: None, world, seed=1)


def skills(played: Performance) -> list[str]:
    return [end.outcome.call.name + ("" if end.outcome.succeeded else "!") for end in played.moments]


def test_it_asks_and_brings_the_one_that_is_meant(home: Rehearsal) -> None:
    played = brought(home, {"red_cup": TABLE, "blue_cup": TABLE})
    assert played.asked
    assert skills(played) == ["navigate_to", "look_for!", "look_for", "pick", "approach", "hand_over"]
    assert {each.words for each in played.moments[1].outcome.choices} == {"the red one", "the blue one"}
    assert (played.after.locations["red_cup"], played.after.locations["blue_cup"]) == ("operator", TABLE)
    assert played.outcome is not None
    assert played.outcome.succeeded


@pytest.mark.long("acts out one more errand")
def test_if_it_is_none_of_those_the_errand_ends_and_says_so(home: Rehearsal) -> None:
    played = brought(home, {"white_cup": TABLE, "blue_cup": TABLE})
    assert skills(played) == ["navigate_to", "look_for!"]
    assert played.outcome is not None
    assert not played.outcome.succeeded
    assert "Do you mean" in played.outcome.reason
    assert played.outcome.reason.endswith("and the answer was “never mind”")
