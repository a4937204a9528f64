"""Homes of other kinds with intents of their own: the judge, the files, and a floor for the development sentences."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from sayso.domain import load_domain

FOLDER = Path(__file__).parents[2] / "benchmarks"
HOMES = sorted((FOLDER / "meaning" / "homes").glob("*.yaml"))


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_meaning_homes", FOLDER / "_meaning_homes.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", HOMES, ids=lambda path: path.stem)
def test_each_home_has_own_intents_of_five_examples_and_24_labelled_sentences(path: Path) -> None:
    home, shipped = load_domain(path), load_domain().intents
    own = [intent for name, intent in home.intents.items() if name not in shipped]
    assert 3 <= len(own) <= 4
    assert {len(intent.examples) for intent in own} == {5}
    labels = yaml.safe_load((path.parent / "sentences" / path.name).read_text(encoding="utf-8"))
    assert {part: len(sentences) for part, sentences in labels.items()} == {"development": 12, "held_out": 12}
    examples = {example for intent in own for example in intent.examples}
    assert not examples & {each["say"] for sentences in labels.values() for each in sentences}


def test_development_sentences_are_executed_or_rightly_asked(benchmark: ModuleType) -> None:
    judged = list(benchmark.judged_homes("development"))
    count = Counter(each.outcome for each in judged)
    assert len(judged) == 60
    assert count["wrong"] == 0, [each.label["say"] for each in judged if each.outcome == "wrong"]
    assert count["executed"] >= 52
    assert sum(each.right for each in judged) >= 59, [(each.label["say"], each.answer) for each in judged if not each.right]


def test_a_label_gives_the_outcome(benchmark: ModuleType) -> None:
    labels = [
        {"say": "go to the yard", "do": ["go_to(goal=yard)"]},
        {"say": "go to the yard", "do": ["go_to(goal=canteen|yard)"]},
        {"say": "go to the yard", "do": ["go_to(goal=canteen)"]},
        {"say": "go to the yard", "ask": ["yard"]},
        {"say": "sharpen the chisel", "ask": ["wide chisel"]},
        {"say": "sharpen the chisel", "ask": ["drill"]},
        {"say": "my sister likes to dance", "do": ["go_to(goal=yard)"]},
    ]
    home = load_domain(FOLDER / "meaning" / "homes" / "workshop.yaml")
    outcomes = [each.outcome for each in benchmark.judged("workshop", home, labels)]
    assert outcomes == ["executed", "executed", "wrong", "wrong", "asked", "asked badly", "declined"]
