"""What noun phrases add to the roles of a clause, and clauses that go on with new fillers."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def robot() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("said", "relation", "landmark"),
    [
        ("put the pen beside the laptop", "next_to", "laptop"),
        ("set the plate down to the right of the bread", "right_of", "bread"),
        ("put the orange juice behind the milk carton", "behind", "milk"),
    ],
)
def test_a_goal_may_be_described_by_a_thing(robot: Pipeline, said: str, relation: str, landmark: str) -> None:
    (clause,) = robot.understand(said).clauses
    goal = clause.role("goal")
    assert goal is not None and goal.description is not None
    (found,) = goal.description.relations
    assert (found.name, found.landmarks[0].candidates[0][0]) == (relation, landmark)
    assert not clause.left_over


@pytest.mark.parametrize(
    ("said", "fillers"),
    [
        ("take the blue book to anna and the newspaper to grandma", [("blue_book", "anna"), ("newspaper", "carla")]),
        ("put the cup on the desk and the plate on the counter", [("red_cup", "desk"), ("plate", "counter")]),
    ],
)
def test_a_clause_goes_on_with_new_fillers(robot: Pipeline, said: str, fillers: list[tuple[str, str]]) -> None:
    clauses = robot.understand(said).clauses
    assert [tuple(role.entity for role in clause.roles) for clause in clauses] == fillers


def test_them_are_all_that_was_picked_up(robot: Pipeline) -> None:
    done = robot.understand("pick up the red book and the pen and put them both on the desk").actions
    assert [(action.name, action.argument("theme"), action.argument("goal")) for action in done] == [
        ("put", "red_book", "desk"),
        ("put", "pen", "desk"),
    ]
