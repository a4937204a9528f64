"""Synthetic speech with and without commands, and the fit of a recogniser's confidence on it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.sentences import commands, sentences
from sayso.errors import AudioError
from sayso.paths import work_dir
from sayso.speech.confidence import FEATURES, ConfidenceModel, SoundEvidence
from sayso.speech.endpoint import Endpointer
from sayso.speech.files import read_sound
from sayso.training.speech.voices import Voice, in_a_room, room_noise, speak
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray
from sayso.yaml_source import read_plain

Samples = NDArray[np.int16]
SNRS = (12.0, 16.0, 20.0, 25.0, 30.0)  # dB
PACES = (0.85, 1.0, 1.0, 1.15)
KEPT = 0.95  # share of the correctly recognised tuning commands that the threshold accepts


@dataclass(frozen=True, slots=True)
class SpeechTrial:
    """One sound, the spoken command (empty: none), and its source."""

    samples: Samples
    text: str
    source: str  # "command", "commands", "unrelated", "word", "noise", "recorded"
    condition: str = ""  # of conditions.yaml


@dataclass(frozen=True, slots=True)
class JudgedTrial:
    """A trial with the recogniser's result."""

    trial: SpeechTrial
    text: str
    evidence: SoundEvidence

    @property
    def errors(self) -> float:
        """Word errors for each spoken word; 1 for a sound without a command."""
        said, heard = self.trial.text.split(), self.text.split()
        return edits(said, heard) / len(said) if said else 1.0

    @property
    def label(self) -> bool | None:
        """True: a correctly recognised command. False: no command, or mostly wrong. None: in between, not used in the fit."""
        if self.errors <= 0.15:
            return True
        return False if self.errors > 0.5 else None


def trials(domain: Domain, voices: Sequence[Voice], number: int, recordings: Path | None, part: int) -> Iterator[SpeechTrial]:
    """`number` commands, a quarter of them of several clauses, and as many sounds without a command."""
    chance, draws = np.random.default_rng(part), random.Random(part)
    single = [sentence.text for sentence in sentences(domain, 20, seed=1000 + part)]
    said = [("command", text) for text in draws.sample(single, number - number // 4)]
    said += [("commands", command.text) for command in commands(domain, number // 4, seed=1000 + part)]
    lines = read_plain(Path(__file__).parents[1] / "data/unrelated.yaml")[part::2]
    said += [("unrelated", lines[index % len(lines)]) for index in range(number // 2)]
    for index, (source, text) in enumerate(said):
        voice = voices[index % len(voices)]
        room = in_a_room(speak(text, voice, draws.choice(PACES)), chance, draws.choice(SNRS))
        for samples in utterances(room):
            yield SpeechTrial(samples, "" if source == "unrelated" else text, source)
    yield from (SpeechTrial(samples, "", "noise") for samples in noises(number // 4, chance))
    if recordings is not None:
        for file in sorted(recordings.glob("*.flac"))[part::2][: number // 4]:
            yield from (SpeechTrial(samples, "", "recorded") for samples in utterances(read_sound(file).samples))


def noises(number: int, chance: np.random.Generator) -> Iterator[Samples]:
    """Hiss, chords, knocks and hum of 1 to 3 s."""
    for index in range(number):
        length = int(chance.uniform(1.0, 3.0) * SAMPLE_RATE)
        time = np.arange(length) / SAMPLE_RATE
        sound: Any
        if index % 4 == 0:
            sound = room_noise(length, chance)
        elif index % 4 == 1:
            tones = 220.0 * 2.0 ** (chance.integers(0, 24, (8, 3)) / 12.0)
            part = np.minimum((time / (time[-1] + 1e-9) * 8).astype(int), 7)
            sound = np.sin(2 * np.pi * tones[part] * time[:, None]).sum(axis=1)
        elif index % 4 == 2:
            knocks = np.zeros(length)
            knocks[chance.integers(0, length, 6)] = 1.0
            sound = np.asarray(np.convolve(knocks, np.exp(-np.arange(800) / 120.0) * chance.standard_normal(800))[:length])
        else:
            sound = np.sign(np.sin(2 * np.pi * chance.uniform(50, 200) * time)) + chance.standard_normal(length)
        yield (sound / np.abs(sound).max() * chance.uniform(0.05, 0.5) * 32767).astype(np.int16)


def fit(judged: Sequence[JudgedTrial], ridge: float = 1.0) -> ConfidenceModel:
    """Logistic regression with equal weights of both classes."""
    learnt = [item for item in judged if item.label is not None and item.evidence.heard]
    features = np.array([item.evidence.features() for item in learnt])
    labels = np.array([item.label for item in learnt], float)
    if len(set(labels)) < 2:
        raise AudioError(
            "the trials need both correctly recognised commands and other sounds; check that flite and espeak-ng produce sound"
        )
    centre, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    design = np.hstack([(features - centre) / spread, np.ones((len(labels), 1))])
    shares = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    w = logistic(design, labels, shares, ridge)
    weights = w[:-1] / spread
    typical = features[labels == 1].mean(axis=0)
    free = ConfidenceModel(tuple(weights), float(w[-1] - weights @ centre), 0.0, tuple(typical))
    passed = [free.confidence(item.evidence) for item in learnt if item.label]
    return ConfidenceModel(free.weights, free.bias, float(np.quantile(passed, 1.0 - KEPT)), free.typical)


def logistic(design: FloatArray, labels: FloatArray, shares: FloatArray, ridge: float) -> FloatArray:
    """(D,) weights of the (N, D) design, whose last column is 1 and is not penalised; by Newton's method.

    Args:
        design: (N, D).
        labels: (N,) 1 or 0.
        shares: (N,) weight of each.
        ridge: of the squared weights.
    """
    penalty = ridge * np.diag([1.0] * (design.shape[1] - 1) + [0.0])
    w: Any = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ w, -50.0, 50.0)))
        gradient = design.T @ (shares * (labels - p)) - penalty @ w
        hessian = (design * (shares * p * (1 - p))[:, None]).T @ design + penalty
        w = w + np.linalg.solve(hessian, gradient)
    found: FloatArray = w
    return found


def measure(judged: Sequence[JudgedTrial], calibration: ConfidenceModel) -> dict[str, dict[str, float]]:
    """For each source: the number, the share accepted, and for commands the word and sentence errors."""
    rows: dict[str, dict[str, float]] = {}
    for source in dict.fromkeys(item.trial.source for item in judged):
        group = [item for item in judged if item.trial.source == source]
        accepted = [item for item in group if calibration.confidence(item.evidence) >= calibration.threshold]
        row = {"number": float(len(group)), "accepted": len(accepted) / len(group)}
        if group[0].trial.text:
            words = sum(len(item.trial.text.split()) for item in group)
            row["word_error_rate"] = sum(item.errors * len(item.trial.text.split()) for item in group) / words
            row["sentences_right"] = sum(item.errors == 0 for item in group) / len(group)
            row["sentences_right_of_accepted"] = sum(item.errors == 0 for item in accepted) / max(len(accepted), 1)
        rows[source] = {name: round(value, 4) for name, value in row.items()}
    return rows


def edits(said: Sequence[str], heard: Sequence[str]) -> int:
    """Words to insert, delete or replace to get one from the other (Levenshtein's distance)."""
    row = list(range(len(heard) + 1))
    for index, word in enumerate(said, 1):
        before, row[0] = row[:], index
        for other, guess in enumerate(heard, 1):
            row[other] = min(before[other] + 1, row[other - 1] + 1, before[other - 1] + (word != guess))
    return row[-1]


def as_data(calibration: ConfidenceModel, names: tuple[str, ...] = FEATURES) -> dict[str, object]:
    """The calibration in the form of config/speech.yaml."""
    certainty = calibration.certainty
    return {
        "weights": dict(zip(names, (round(float(weight), 5) for weight in calibration.weights), strict=True)),
        "bias": round(calibration.bias, 5),
        "threshold": round(calibration.threshold, 4),
        "typical": dict(zip(names, (round(float(value), 4) for value in calibration.typical), strict=True)),
        **({"temperature": round(calibration.temperature, 3)} if calibration.temperature != 1.0 else {}),
        **({"certainty": {name: round(value, 4) for name, value in asdict(certainty).items()}} if certainty else {}),
    }


def default_recordings() -> Path | None:
    """The folder of recorded talk that is not for the robot, data/speech/coffee; None without it."""
    folder = work_dir() / "data" / "speech" / "coffee"
    return folder if folder.is_dir() else None


def utterances(room: Samples) -> list[Samples]:
    """What the endpointer cuts out of a sound."""
    endpointer = Endpointer()
    found = endpointer.feed(AudioChunk(room, 0.0)) + endpointer.flush()
    return [utterance.samples for utterance in found]
