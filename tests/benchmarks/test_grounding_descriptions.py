"""Descriptions on simulated table tops: the truth decides, and the resolver alone meets its goals."""

from __future__ import annotations

import pytest

from sayso.console.bench import load_benchmark
from sayso.paths import project_root

BENCHMARK = load_benchmark(project_root() / "benchmarks" / "_grounding_descriptions.py")


@pytest.fixture(scope="module")
def rows() -> dict[str, object]:
    return {row.measure: row for row in BENCHMARK.rows({}, quick=True)}


@pytest.mark.parametrize("measure", ["relations", "superlatives", "counting", "ambiguity noticed"])
def test_the_resolver_alone_understands_nearly_all(rows: dict[str, object], measure: str) -> None:
    row = rows[f"{measure}, resolver alone"]
    assert row.n >= 2  # type: ignore[attr-defined]
    assert row.value >= 0.9  # type: ignore[attr-defined]


def test_the_resolver_alone_hardly_asks_what_is_clear(rows: dict[str, object]) -> None:
    assert rows["asked although it is clear, resolver alone"].value <= 0.05  # type: ignore[attr-defined]
