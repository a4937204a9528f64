"""Homes of other kinds with intents of their own: the files, and a floor for the development sentences."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sayso.domain import load_domain

FOLDER = Path(__file__).parents[2] / "benchmarks"
HOMES = sorted((FOLDER / "meaning" / "homes").glob("*.yaml"))


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


@pytest.mark.long("runs a benchmark")
def test_development_sentences_are_executed_or_rightly_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    from _meaning_sets import judged_sets

    judged = dict(judged_sets(["homes"], quick=False))["homes_development"]
    assert len(judged) == 60
    count = Counter(each.verdict for each in judged)
    assert count["executed"] == 0, [each.label.say for each in judged if each.verdict == "executed"]
    assert count["right"] >= 40
    assert count["right"] + count["asked"] >= 56, [each.label.say for each in judged if each.verdict not in ("right", "asked")]
