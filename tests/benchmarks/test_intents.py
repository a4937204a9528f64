"""The classifiers that `sayso bench intents` compares can learn, and the timed process does not load torch."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sayso.training.intents import classifiers as readers
from sayso.training.intents.classifiers import LabelledPart, TextClassifier
from sayso.training.scores import false_positives_at

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
WORDS = ("alpha", "beta", "gamma", "delta")


def toy(seed: int, count: int = 120, classes: int = 4) -> LabelledPart:
    """Sentences that name their class, with embeddings around its direction."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % classes
    h = np.eye(classes, 12)[labels] + 0.25 * rng.normal(size=(count, 12))
    texts = tuple(f"{WORDS[label]} is number {number % 7}" for number, label in enumerate(labels))
    return LabelledPart(texts, labels, np.asarray(h / np.linalg.norm(h, axis=1, keepdims=True), np.float32))


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    specification = importlib.util.spec_from_file_location("bench_intents", BENCHMARKS / "intents.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["bench_intents"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "reader",
    [
        readers.nearest_centroid,
        pytest.param(readers.svm_on_words, marks=pytest.mark.long("compares with another program")),
        readers.linear_reader,
        readers.kernel_reader,
    ],
)
def test_each_reader_classifies_new_sentences(reader: Callable[[LabelledPart, LabelledPart, int], TextClassifier]) -> None:
    read = reader(toy(0), toy(1), 4)
    assert readers.accuracy(read, toy(2)) > 0.9


def test_few_examples_are_enough_for_easy_classes() -> None:
    assert readers.accuracy(readers.few_shot_head(toy(0, 12), 1e-3, 4), toy(1)) > 0.85
    assert readers.accuracy(readers.few_shot_kernel(toy(0, 16), 4), toy(1)) > 0.85


@pytest.mark.long("compares with another program")
def test_two_classes_are_separated() -> None:
    part = toy(0, 40, classes=2)
    assert readers.accuracy(readers.svm_on_words(part, part, 2), part) == 1.0


def test_false_positives_by_hand() -> None:
    inside = np.arange(100.0)
    assert false_positives_at(inside, np.array([3.0, 4.0, 5.0, 200.0])) == pytest.approx(0.75)
    assert np.isnan(false_positives_at(inside, np.zeros(0)))


def test_missing_data_give_a_row_with_the_reason(benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    settings = {"sets": [{"name": "CLINC150", "corpus": "clinc150", "parts": ["train", "val", "test"], "goal": 97.0}]}
    (row,) = benchmark._public_sets(settings, None, None, True)
    assert (row.value, row.goal) == (None, 97.0)
    assert "SAYSO_DATA" in row.reason


def test_the_timed_process_reports_time_and_memory_without_torch() -> None:
    process = [sys.executable, str(BENCHMARKS / "_understanding_process.py")]
    report = json.loads(subprocess.run(process, input="bring me the cup\nstop", capture_output=True, text=True, check=True).stdout)
    assert report["torch"] is False
    assert len(report["ms"]) == 2
    assert 0 < report["peak_mb"] < 1000
