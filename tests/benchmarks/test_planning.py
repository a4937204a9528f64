"""The MDPs of the benchmark of planning, and its rows."""

import sys

import numpy as np
import pytest

from sayso.console.bench import load_benchmark
from sayso.errors import SaysoError
from sayso.paths import project_root
from sayso.planning import Planner
from sayso.planning.mdp import value_iteration

BENCHMARK = load_benchmark(project_root() / "benchmarks" / "planning.py")


def test_in_the_slippery_grid_the_goal_is_the_best_place_and_corners_are_the_worst() -> None:
    mdp = BENCHMARK.iteration.slippery_grid(5)
    values = value_iteration(mdp).values.reshape(5, 5)
    assert values[2, 2] == 0.0
    assert np.unravel_index(values.argmin(), values.shape) in {(0, 0), (0, 4), (4, 0), (4, 4)}
    assert values == pytest.approx(values.T)
    assert values == pytest.approx(values[::-1])


@pytest.mark.long("compares with another program")
def test_value_iteration_is_compared_with_quantecon_on_the_same_mdps() -> None:
    pytest.importorskip("quantecon")
    rows = list(BENCHMARK.run(quick=True, only="iteration"))
    times = [row for row in rows if row.unit == "s"]
    assert len(times) == 2
    assert all(len(row.baselines) == 2 for row in times)  # it raises if the solvers disagree


def test_an_unknown_set_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SaysoError, match="iteration"):
        next(BENCHMARK.run(only="nothing"))


def test_planners_that_know_nothing_of_chance_get_the_same_errands() -> None:
    rows = {row.measure.partition(",")[0]: row for row in BENCHMARK.against_rows(4, BENCHMARK.script(BENCHMARK._likely))}
    assert {"script", "determinise and replan"} <= set(rows["reward"].baselines)
    assert rows["reward"].n == 4
    assert 0.0 <= rows["done"].value <= 100.0


def test_the_determinised_plan_goes_where_the_thing_most_probably_is() -> None:
    against, worlds = sys.modules["_planning_against"], sys.modules["_planning_worlds"]
    home, bring = worlds.with_shelves([(1.0, 0.0), (-9.0, 0.0)], [0.4, 0.6]), worlds.ACTIONS[0]
    planner = Planner(home, solver=against.determinised)
    plan = planner(bring, planner.begin(bring, worlds.START))
    assert [str(call) for call in plan.ahead][:2] == ["navigate_to(goal=shelf_1)", "look_for(theme=red_cup)"]
    assert plan.value > Planner(home)(bring, planner.begin(bring, worlds.START)).value  # it counts on no failure
