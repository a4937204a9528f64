"""The examples of benchmarks/meaning/examples.yaml and the own intents of own_home.yaml: each row of the table holds."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import pytest

from sayso.console.bench import load_benchmark

load_benchmark(Path(__file__).resolve().parents[2] / "benchmarks" / "meaning.py")  # puts the modules beside it on the path
sets, rows, labels = (sys.modules[f"_meaning_{name}"] for name in ("sets", "rows", "labels"))
ABOUT = tuple(dict.fromkeys(label.about for label in labels.read_labels(sets.HERE / "examples.yaml")))


@pytest.fixture(scope="module")
def judged() -> dict[str, list[object]]:
    found: dict[str, list[object]] = defaultdict(list)
    for each in sets.own_set("examples").judged():
        found[each.label.about].append(each)
    return found


@pytest.mark.parametrize("about", ABOUT)
def test_each_sentence_of_the_row_is_right_or_asked_well(judged: dict[str, list[object]], about: str) -> None:
    assert list(rows.failures(judged[about])) == []


def test_own_intents_are_understood_in_every_room() -> None:
    assert list(rows.failures(sets.own_intents().judged())) == []
