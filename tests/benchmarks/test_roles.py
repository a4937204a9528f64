"""`sayso bench roles`: each sentence of HuRIC is measured once, by a head not trained on it; tagging is timed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.long("runs a benchmark")

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "roles.py"
specification = importlib.util.spec_from_file_location("roles_benchmark", FILE)
assert specification
assert specification.loader
roles = importlib.util.module_from_spec(specification)
specification.loader.exec_module(roles)


def test_every_sentence_is_measured_once_by_a_head_not_trained_on_it() -> None:
    folds = roles._folds(23)
    assert sorted(index for _, part in folds for index in part) == list(range(23))
    assert all(not set(rest) & set(part) and len(rest) + len(part) == 23 for rest, part in folds)


def test_tagging_is_timed() -> None:
    rows = list(roles._times(quick=True))
    assert [row.unit for row in rows] == ["ms", "ms"]
    assert 0 < rows[0].value <= rows[1].value
