"""Fits what turns scores and pixels into probabilities, on photographs of the tuning splits."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from sayso.grounding.boxes import overlap
from sayso.grounding.detector.backend import Detector
from sayso.grounding.detector.calibration import DetectorCalibration, Logistic, logit
from sayso.grounding.detector.colors import color_features, palette
from sayso.grounding.detector.nouns import sought
from sayso.training.data.photographs import Photograph, photographs
from sayso.training.detector.config import DetectorConfig, Split
from sayso.training.detector.phrases import Asked, plain_phrases
from sayso.types import FloatArray
from sayso.yaml_source import read_plain

COLORS = Path(__file__).with_name("colors.yaml")
HIT = 0.5  # overlap from which a box is right


def unfitted(config: DetectorConfig, classes: tuple[str, ...]) -> DetectorCalibration:
    """The calibration before fitting: raw scores as they are."""
    return DetectorCalibration(
        classes, config.views, config.floor, Logistic((1.0, 0.0, 0.0), 0.0), Logistic((0.0,) * 3, 0.0), Logistic((1.0,), 0.0), 0.0
    )


def fitted(backend: Detector, config: DetectorConfig, console: Console) -> DetectorCalibration:
    """Fit all of it, the threshold last.

    Args:
        backend: with `unfitted` numbers.
        config: names the photographs.
        console: for progress.

    Raises:
        SaysoError: a set of photographs is missing.
    """
    chance = random.Random(config.seed)
    asked = [(photo, phrases) for part in config.tuning for photo, phrases in asked_of(part, config.smallest, chance)]
    console.print(f"calibrating on {len(asked)} photographs, {sum(len(phrases) for _, phrases in asked)} phrases")
    rows, labels = list[FloatArray](), list[bool]()
    for photo, phrases in asked:
        boxes = backend.propose(photo.image)
        for each in phrases:
            chosen, features = backend.of_kind(boxes, sought(each.phrase))
            rows.append(features)
            labels += [is_right(box, each) for box in boxes.corners[chosen]]
    kind = logistic(np.concatenate(rows), np.array(labels))
    calibration = replace(backend.calibration, kind=kind, color=_colors(config))
    backend.calibration = calibration
    best, there = list[float](), list[bool]()
    for photo, phrases in asked:
        for each, look in zip(phrases, backend.look(photo.image, [each.phrase for each in phrases]), strict=True):
            best.append(look.candidates[0].probability if look.candidates else 0.0)
            there.append(bool(each.right))
    top, present = np.array(best), np.array(there)
    some = top > 0.0
    presence = logistic(logit(top[some])[:, None], present[some])
    threshold = float(np.quantile(top[~present], 1.0 - config.false_alarms))
    return replace(calibration, presence=presence, threshold=threshold)


def asked_of(part: Split, smallest: float, chance: random.Random, limit: int = 0) -> Iterable[tuple[Photograph, list[Asked]]]:
    """The photographs of a split with their plain phrases."""
    for photo in photographs(part.set, part.split, limit):
        if phrases := plain_phrases(photo, part.kinds, smallest, chance):
            yield photo, phrases


def is_right(box: Sequence[float] | FloatArray, asked: Asked) -> bool:
    """Whether the box is of a thing that the phrase means."""
    return bool(asked.right) and float(overlap(np.asarray(box), np.array(asked.right)).max()) >= HIT


def logistic(features: FloatArray, labels: NDArray[np.bool_]) -> Logistic:
    """Logistic regression, practically without regularisation."""
    from sklearn.linear_model import LogisticRegression

    found = LogisticRegression(C=100.0).fit(features, labels)
    return Logistic(tuple(float(w) for w in found.coef_[0]), float(found.intercept_[0]))


def _colors(config: DetectorConfig) -> Logistic:
    """From things whose colours were named by eye; doubtful colours are left out."""
    listed, names = read_plain(COLORS), palette()[0]
    rows, labels = list[FloatArray](), list[bool]()
    for part in config.tuning:
        for photo in photographs(part.set, part.split):
            for number, named in listed.get(photo.name, {}).items():
                features = color_features(photo.image.rgb, photo.things[int(number)].box)
                clear = [at for at, name in enumerate(names) if name not in named.get("doubtful", ())]
                rows.append(features[clear])
                labels += [names[at] in named["colors"] for at in clear]
    return logistic(np.concatenate(rows), np.array(labels))
