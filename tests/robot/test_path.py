"""Map and paths: from start to goal, never through walls, always clear of obstacles."""

import math
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from robot_double import small_map
from sayso.robot import PathPlanner
from sayso.robot.map import MARGIN, RADIUS
from sayso.robot.skill import SkillFailed

MAP = small_map()
PLANNER = PathPlanner(MAP)
FREE = [MAP.centre((int(row), int(column))) for row, column in np.argwhere(MAP.free) if MAP.centre((0, int(column)))[0] < 8.0]
POINTS = st.tuples(st.sampled_from(FREE), st.tuples(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))).map(
    lambda both: (both[0][0] + both[1][0], both[0][1] + both[1][1])
)
IN_WEST = st.sampled_from([point for point in FREE if point[0] < 3.5 and point[1] > 0.9])


def true_clearance(points: np.ndarray) -> np.ndarray:
    """Distance to the nearest obstacle by geometry, without the grid."""
    return np.min([box.distance(points[:, 0], points[:, 1]) for box in MAP.boxes], axis=0)


def test_clearance_is_never_more_than_there_is_and_at_most_a_cell_and_a_half_less():
    points = np.random.default_rng(0).uniform((0.1, 0.1), (8.9, 3.9), (4000, 2))
    error = MAP.clearances(points) - np.maximum(true_clearance(points), 0.0)
    assert error.max() <= 0.02  # interpolation between the cells' centres
    assert error.min() >= -0.11


@examples(60)
@given(POINTS, POINTS)
def test_path_joins_the_two_points_and_keeps_the_robot_off_everything(start, goal):
    path = PLANNER(start, goal)
    assert np.allclose(path[0], start)
    assert np.allclose(path[-1], goal)
    steps = np.hypot(*np.diff(path, axis=0).T)
    assert steps.max() <= 0.06
    fine = np.vstack([np.linspace(a, b, 4) for a, b in pairwise(path)])
    assert true_clearance(fine).min() >= RADIUS


@examples(30)
@given(IN_WEST, IN_WEST)
def test_a_path_within_a_room_is_not_much_longer_than_the_straight_line(start, goal):
    path = PLANNER(start, goal)
    assert np.hypot(*np.diff(path, axis=0).T).sum() <= 1.3 * math.dist(start, goal) + 0.3


def test_path_between_rooms_goes_through_the_door():
    path = PLANNER((1.5, 2.0), (6.0, 2.0))
    at_wall = path[np.abs(path[:, 0] - 4.0) < 0.06]
    assert len(at_wall)
    assert np.all((at_wall[:, 1] > 2.6 + RADIUS) & (at_wall[:, 1] < 3.5 - RADIUS))


def test_blocked_goal_is_replaced_by_the_nearest_free_floor():
    path = PLANNER((5.5, 2.0), (7.0, 2.0))  # 0.2 m from the counter
    assert 0.0 < math.dist(path[-1], (7.0, 2.0)) <= RADIUS + MARGIN - 0.2 + 0.15
    assert true_clearance(path[-1:])[0] >= RADIUS


def test_says_that_there_is_no_path_into_a_room_without_a_door():
    with pytest.raises(SkillFailed, match=r"there is no way to \(8.5, 2.0\)"):
        PLANNER((1.5, 2.0), (8.5, 2.0))


def test_says_that_there_is_no_free_floor_far_outside():
    with pytest.raises(SkillFailed, match="no free floor"):
        PLANNER((1.5, 2.0), (20.0, 20.0))


def test_sets_out_from_closer_to_a_wall_than_it_would_go():
    path = PLANNER((0.28, 2.0), (2.0, 2.0))
    assert np.allclose(path[0], (0.28, 2.0))
    assert true_clearance(path)[4:].min() >= RADIUS


def test_knows_the_innermost_place():
    assert MAP.place_at((6.4, 2.1)) == "counter"
    assert MAP.place_at((3.4, 3.0)) == "west"
    assert MAP.place_at((4.8, 3.0)) == "east"
    assert MAP.place_at((50.0, 50.0)) == ""


@pytest.mark.parametrize(
    ("point", "believed"),
    [
        ((7.4, 2.0, 0.95), True),
        ((math.nan, 2.0, 0.9), False),
        ((30.0, 2.0, 0.9), False),
        ((1.0, 2.0, 0.9), False),
        ((7.4, 2.0, 0.01), False),
        ((7.4, 2.0, 2.0), False),
    ],
)
def test_implausible_points_are_rejected(point, believed):
    assert MAP.plausible(point, seen_from=(6.0, 2.0)) is believed


def test_walls_separate_and_doors_do_not():
    assert MAP.separated((3.5, 2.0), (4.5, 2.0))
    assert not MAP.separated((3.5, 3.05), (4.5, 3.05))


def test_planning_costs_less_than_a_tick():
    PLANNER((1.0, 1.0), (6.0, 1.0))
    started = time.process_time()
    PLANNER((1.0, 1.0), (6.0, 3.0))
    assert time.process_time() - started < 0.5  # ten times the usual time, for a busy machine
