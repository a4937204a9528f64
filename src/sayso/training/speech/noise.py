"""Generated noise of unit power: a quiet room, other people's talk, a kitchen, music. No recording is in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sayso.training.speech.voices import room_noise
from sayso.types import SAMPLE_RATE, FloatArray

Noise = Literal["room", "babble", "kitchen", "music"]
TALKERS = (4, 8)  # people who talk at once
SEMITONE = 2.0 ** (1.0 / 12.0)
CHORDS = ((0, 4, 7), (0, 3, 7), (0, 5, 9), (-1, 2, 7), (0, 4, 7, 11))  # semitones above the root


def noise(kind: Noise, length: int, talk: Sequence[FloatArray], chance: np.random.Generator) -> FloatArray:
    """(length,) noise of unit power; `talk` are the sentences of babble, (N,) each."""
    if kind == "room":
        return room_noise(length, chance)
    if kind == "babble":
        return babble(length, talk, chance)
    return kitchen(length, chance) if kind == "kitchen" else music(length, chance)


def babble(length: int, talk: Sequence[FloatArray], chance: np.random.Generator) -> FloatArray:
    """Several people who talk at once, at different distances."""
    total = np.zeros(length)
    for _ in range(int(chance.integers(*TALKERS, endpoint=True))):
        said = np.concatenate([talk[int(at)] for at in chance.integers(0, len(talk), 3)])
        placed = np.roll(np.resize(said, max(length, len(said))), int(chance.integers(0, len(said))))[:length]
        total += placed / (float(np.std(said)) + 1e-9) * 10.0 ** (-chance.uniform(0.0, 10.0) / 20.0)
    return _unit(total + 0.1 * room_noise(length, chance))


def kitchen(length: int, chance: np.random.Generator) -> FloatArray:
    """A fan's hum, water or frying, and now and then dishes that ring."""
    time = np.arange(length) / SAMPLE_RATE
    hum, motor = float(chance.uniform(50.0, 180.0)), np.zeros(length)
    for harmonic in range(1, 6):
        motor += np.sin(2 * np.pi * hum * harmonic * time + chance.uniform(0, 2 * np.pi)) / harmonic
    water = np.diff(chance.standard_normal(length + 1)) * (1.0 + 0.5 * np.sin(2 * np.pi * chance.uniform(0.5, 4.0) * time))
    sound = chance.uniform(0.2, 0.6) * _unit(motor) + chance.uniform(0.2, 1.0) * _unit(water) + 0.6 * room_noise(length, chance)
    for _ in range(chance.poisson(2.0 * length / SAMPLE_RATE)):
        start, rings = int(chance.integers(0, length)), np.arange(min(length, SAMPLE_RATE // 2)) / SAMPLE_RATE
        dish = np.zeros(len(rings))
        for _ in range(4):
            dish += np.sin(2 * np.pi * chance.uniform(800.0, 6_000.0) * rings) * np.exp(-rings / chance.uniform(0.01, 0.12))
        heard = min(len(dish), length - start)
        sound[start : start + heard] += chance.uniform(0.5, 2.5) * dish[:heard]
    return _unit(sound)


def music(length: int, chance: np.random.Generator) -> FloatArray:
    """Chords with harmonics, a melody above them and a beat."""
    beat = int(SAMPLE_RATE * chance.uniform(0.3, 0.6))
    root = 110.0 * SEMITONE ** float(chance.integers(0, 12))
    sound = np.zeros(length)
    for start in range(0, length, beat):
        time = np.arange(min(beat, length - start)) / SAMPLE_RATE
        chord = [root * SEMITONE**step for step in CHORDS[int(chance.integers(len(CHORDS)))]]
        notes = [*chord, 4.0 * root * SEMITONE ** float(chance.choice([0, 2, 4, 5, 7, 9, 11, 12]))]
        fading = np.exp(-time / chance.uniform(0.15, 0.8))
        for note in notes:
            for harmonic, loud in enumerate((1.0, 0.5, 0.3, 0.15), 1):
                sound[start : start + len(time)] += loud * np.sin(2 * np.pi * note * harmonic * time) * fading
        drum = chance.standard_normal(len(time)) * np.exp(-time / 0.03)
        sound[start : start + len(time)] += chance.uniform(0.0, 2.0) * drum
    return _unit(sound)


def _unit(sound: FloatArray) -> FloatArray:
    scaled: FloatArray = sound / (float(np.sqrt(np.mean(np.square(sound)))) + 1e-12)
    return scaled
