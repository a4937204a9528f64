"""`sayso bench selection`: the measures are correct, and a quick run gives every row a value or a reason."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sayso.console.bench import Row
from sayso.domain import load_domain
from sayso.training.selection.calibration import Known
from sayso.types import Context

MEASURES = ("most probable action right", "negative log-likelihood of what was meant", "utility", "wrong executions", "questions")
FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def loaded(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


selection, sets, picture = (loaded(name) for name in ("selection", "_selection_sets", "_selection_picture"))


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return {row.measure: row for row in selection.run(quick=True)}


@pytest.mark.long("runs a benchmark")
def test_every_row_has_a_value_or_a_reason(rows: dict[str, Row]) -> None:
    assert len(rows) > 20
    for row in rows.values():
        assert (row.value is None) == bool(row.reason)
        assert row.value is None or math.isfinite(row.value)


@pytest.mark.long("runs a benchmark")
def test_every_measure_covers_every_method(rows: dict[str, Row]) -> None:
    for classifier in ("80% classifier", "real classifier"):
        for measure in (
            "most probable action right",
            "negative log-likelihood of what was meant",
            "utility",
            "wrong executions",
            "questions",
        ):
            assert set(rows[f"{classifier}: {measure}"].baselines) == {"posterior only", "posterior × prior", "always execute"}
    assert rows["real classifier: wrong executions"].goal == 0.5
    assert rows["real classifier: questions"].goal == 12.0


@pytest.mark.long("runs a benchmark")
def test_always_executing_asks_nothing_and_errs_more_often(rows: dict[str, Row]) -> None:
    assert rows["80% classifier: questions"].baselines["always execute"] == 0.0
    wrong = rows["80% classifier: wrong executions"]
    assert wrong.baselines["always execute"] > wrong.value


def test_sentences_of_one_template_fail_together() -> None:
    """A mean over 400 sentences of two templates is no more precise than a mean over two."""
    values = np.repeat([0.0, 100.0], 200)
    low, high = selection._over_templates(values, ["a"] * 200 + ["b"] * 200)
    assert (low, high) == (0.0, 100.0) or high - low >= 50.0
    low, high = selection._over_templates(values, [str(number) for number in range(400)])
    assert high - low < 5.0


def test_coverage_is_measured_on_held_out_posteriors() -> None:
    chance = np.random.default_rng(0)
    posteriors = chance.dirichlet((3.0, 2.0, 1.0), 3_000)
    every = [Known(p, (int(chance.choice(3, p=p)),)) for p in posteriors]
    row = sets._coverage_row("classifier", every, 0.1, 60)
    assert row.value < 1.0
    assert row.baselines["coverage"] == pytest.approx(90.0, abs=1.0)
    assert row.baselines["coverage with the best forced in"] >= row.baselines["coverage"]


def test_the_large_building_has_as_many_candidates_as_the_row_says() -> None:
    from sayso.selection.choosing import scoring

    weighed = []
    original = scoring.likelihood_of_candidates
    scoring.likelihood_of_candidates = lambda *arguments: weighed.append(original(*arguments)) or weighed[-1]
    try:
        selection._time(load_domain(), {"things": 20, "surfaces": 15, "runs": 1, "goal": 50.0}, lambda *_: None)
    finally:
        scoring.likelihood_of_candidates = original
    assert all(len(each) >= 300 for each in weighed)


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    curves = {"ours": [(12.0, 0.2), (2.0, 3.0)], "posterior only": [(14.0, 0.4), (1.0, 5.0)]}
    picture.draw({"80% classifier": curves, "real classifier": curves}, tmp_path / "docs" / "s.png")
    assert (tmp_path / "docs" / "s.png").read_bytes().startswith(b"\x89PNG")


def test_habits_depend_on_the_time_of_day() -> None:
    from sayso.training.selection.habits import SimulatedHabits
    from sayso.types import Action

    habits = SimulatedHabits(load_domain(), {"name": 0.0, "value": 0.0, "hour": 1.0}, 0)
    action = Action("find", (("theme", "red_cup"),))
    morning, night = (habits.of(action, Context(stamp=3_600.0 * hour)) for hour in (7.0, 1.0))
    assert morning != night
