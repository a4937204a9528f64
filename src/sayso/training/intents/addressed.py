"""Fits the weights of `sayso.intent.addressed` on sentences that are meant for a robot and on sentences that aren't.

Only training parts of the public sets are used, and sentences of one clause, since the labels are those of whole sentences.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from sayso.intent import IntentClassifier
from sayso.intent.about_home import SETTLING
from sayso.intent.addressed import AddressEvidence, AddressModel, features_of
from sayso.intent.regression import logistic
from sayso.training.data.corpora import alfred, clinc150, lines, tage
from sayso.training.intents.background import FAR, NEAR, PER_FAR, PER_NEAR
from sayso.training.intents.evaluation import transcript_of
from sayso.types import FloatArray
from sayso.yaml_source import read_plain

RIDGE = 2e-3
LENIENCE = 0.4  # nats by which the threshold favours commands: a question is better than ignoring a person
STEPS = frozenset(("GotoLocation", "PickupObject", "PutObject"))  # of ALFRED: what this robot can do
SAID_OF_THINGS = frozenset(("Being_located", "Being_in_category"))  # of tagE: statements
SHARES = {"hand-written": 4.0, "tagE": 0.3, "ALFRED": 0.1, "CLINC150": 0.15, "HWU64": 0.15, "chatter": 6.0}  # weight of a sentence


@dataclass(frozen=True, slots=True)
class AddressedSentence:
    """A sentence, and whether it is meant for a robot."""

    text: str
    meant: bool
    source: str  # a key of SHARES


def sentences_for_a_robot(hand_written: Sequence[Path], seed: int = 0) -> list[AddressedSentence]:
    """Sentences of the training parts, and of files like tests/data/commands.yaml or benchmarks/meaning/development.yaml."""
    chance = random.Random(seed)
    said = [each.text for each in tage("train") if each.frames and not SAID_OF_THINGS & {frame.name for frame in each.frames}]
    steps = [each.text for each in alfred("train") if each.label in STEPS]
    far = [each.text for label in sorted(FAR) for each in _of(clinc150("train"), label)[PER_FAR:]]
    others = lines("hwu64", "train")
    labels = sorted({each.label for each in others} - NEAR)
    kept = [each.text for label in labels for each in _of(others, label)[PER_NEAR:]]
    groups = (("tagE", True, said, 300), ("ALFRED", True, steps, 200), ("CLINC150", False, far, 500), ("HWU64", False, kept, 500))
    found = [AddressedSentence(text, meant, source) for source, meant, texts, most in groups for text in chance.sample(texts, most)]
    found += [AddressedSentence(each.text, False, "CLINC150") for each in clinc150("oos_val")]
    return [*found, *(each for path in hand_written for each in _hand_written(path))]


def fitted_address(classify: IntentClassifier, sentences: Sequence[AddressedSentence]) -> tuple[AddressModel, dict[str, float]]:
    """The weights, and the measures of each source."""
    rows: list[list[float]] = []
    kept: list[AddressedSentence] = []
    for each in sentences:
        clauses = classify(transcript_of(each.text)).clauses
        settled = any(classify.topic(clause) in SETTLING for clause in clauses)  # whatever the weights are
        if len(clauses) == 1 and clauses[0].modifiers.mood != "hint" and not settled:
            rows.append(features_of(classify.evidence(clauses[0])))
            kept.append(each)
    x, meant = np.array(rows), np.array([each.meant for each in kept])
    weights = np.array([SHARES[each.source] for each in kept])
    weights[meant] /= weights[meant].sum()
    weights[~meant] /= weights[~meant].sum()
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    two = logistic((x - mean) / deviation, np.stack([meant, ~meant], axis=1).astype(np.float64), weights, RIDGE)
    slope = (two[1] - two[0])[:-1] / deviation
    intercept = float((two[1] - two[0])[-1] - slope @ mean) - LENIENCE
    names = AddressEvidence.__dataclass_fields__
    model = AddressModel(round(intercept, 4), {name: round(float(weight), 4) for name, weight in zip(names, slope, strict=True)})
    return model, _measures(x @ slope + intercept, kept)


def write_address(model: AddressModel, path: Path) -> None:
    """Write the weights as YAML."""
    held = {"intercept": model.intercept, "weights": dict(model.weights)}
    text = "# The weights of addressed.py, fitted by `sayso train intents`.\n" + yaml.safe_dump(held, sort_keys=False)
    path.write_text(text, encoding="utf-8")


def _measures(scores: FloatArray, kept: Sequence[AddressedSentence]) -> dict[str, float]:
    found = {}
    for source in SHARES:
        for meant, name in ((True, "commands rejected"), (False, "others accepted")):
            rows = [at for at, each in enumerate(kept) if each.source == source and each.meant == meant]
            if rows:
                found[f"{source}: {name}"] = float(((scores[rows] > 0) == meant).mean())
    return found


def _of(sentences: Sequence[Any], label: str) -> list[Any]:
    return [each for each in sentences if each.label == label]


def _hand_written(path: Path) -> Iterator[AddressedSentence]:
    """The commands and chatter of a file; of one with parts, those of its part `development`."""
    content = read_plain(path)
    if isinstance(content, dict):
        yield from (AddressedSentence(text, True, "hand-written") for text in content["development"]["commands"])
        yield from (AddressedSentence(text, False, "chatter") for text in content["development"]["chatter"])
        return
    for each in content:
        chatter = each["about"] == "chatter"
        yield AddressedSentence(each["say"], not chatter, "chatter" if chatter else "hand-written")
