"""Measures of stop detection: recall, delay after the word, and false stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.speech.stopping.spotter import StopSpotter, decided_at
from sayso.training.speech.voices import room_noise
from sayso.training.stop.clips import Bank, noise, noise_of
from sayso.training.stop.sounds import Sound, SpokenPhrase
from sayso.types import SAMPLE_RATE, AudioChunk

EARLY, LATE = 0.25, 1.0  # s before and after the word's end: a detection in between belongs to this word
LEAD, TAIL = 1.0, 1.2  # s of room noise before and after each phrase
CLEAN = 35.0  # dB: a quiet room
ONCE = 0.6  # s, as in the spotter: detections within it count once


@dataclass(frozen=True, slots=True)
class MeasuredSound:
    """A test sound."""

    samples: NDArray[np.int16]
    end: float | None  # s, end of the stop word, as defined in training
    said: SpokenPhrase

    @property
    def seconds(self) -> float:
        """Duration of the speech in it, without the pauses around it."""
        return len(self.said.samples) / SAMPLE_RATE


Scored = tuple[MeasuredSound, NDArray[np.float32]]  # a sound and its P(stop), one value each 40 ms


def in_quiet(sounds: Iterable[SpokenPhrase], seed: int = 0) -> Iterator[MeasuredSound]:
    """Each phrase in a quiet room; a recording unchanged, with its noise extended before and after the word."""
    for index, each in enumerate(sounds):
        yield _heard(each, _surrounded(each, np.random.default_rng((seed, index))))


def in_noise(sounds: Iterable[SpokenPhrase], made_of: Bank, snr: float, seed: int = 0) -> Iterator[MeasuredSound]:
    """Each phrase with noise of a room, a kitchen or talking people at that SNR (dB, of the phrase's loud parts)."""
    for index, each in enumerate(sounds):
        chance = np.random.default_rng((seed, 1, index))
        sound = _surrounded(each, chance)
        loud = each.samples[np.abs(each.samples) > 0.01 * np.abs(each.samples).max()]
        scale = np.float32(np.sqrt(np.mean(loud**2) / 10.0 ** (snr / 10.0)))
        yield _heard(each, sound + scale * noise(len(sound), made_of, chance))


def scored(spotter: StopSpotter, heard: Iterable[MeasuredSound]) -> list[Scored]:
    """(n,) P(stop) of each sound, for any threshold."""
    found = []
    for each in heard:
        spotter.reset()
        found.append((each, spotter.scores(each.samples)))
    return found


def moments(scores: NDArray[np.float32], threshold: float) -> list[float]:
    """Times of the detections, s since the sound's beginning, as `StopSpotter.feed` reports them."""
    fired: list[float] = []
    for at in map(decided_at, np.flatnonzero(scores >= threshold)):
        if not fired or at >= fired[-1] + ONCE:
            fired.append(at)
    return fired


def delays(measured: Sequence[Scored], threshold: float) -> list[float | None]:
    """For each spoken stop: s from the end of the word to the decision, None if it was missed."""
    found: list[float | None] = []
    for heard, scores in measured:
        if heard.end is None:
            raise ValueError(f"there is no stop in '{heard.said.text}'")
        hits = [at - heard.end for at in moments(scores, threshold) if -EARLY <= at - heard.end <= LATE]
        found.append(hits[0] if hits else None)
    return found


def false_stops(measured: Sequence[Scored], threshold: float) -> int:
    """The number of detections in sounds without a call to stop."""
    return sum(len(moments(scores, threshold)) for _, scores in measured)


def lowest_threshold(others: Sequence[Scored], per_hour: float) -> float:
    """The lowest threshold, in steps of 0.01, with at most `per_hour` false stops an hour of these sounds."""
    hours = sum(heard.seconds for heard, _ in others) / 3600.0
    tried = np.round(np.arange(0.05, 0.99, 0.01), 2)
    return float(next((each for each in tried if false_stops(others, each) <= per_hour * hours), 0.99))


def share_of_time(spotter: StopSpotter, seconds: float, chunk: float) -> float:
    """CPU time of the spotter on noise of that duration, in chunks of that length, relative to the duration."""
    import time

    sound = np.random.default_rng(0).normal(0.0, 1000.0, int(seconds * SAMPLE_RATE)).astype(np.int16)
    step = int(chunk * SAMPLE_RATE)
    pieces = [AudioChunk(sound[at : at + step], at / SAMPLE_RATE) for at in range(0, len(sound) - step + 1, step)]
    spotter.reset()
    began = time.process_time()
    for piece in pieces:
        spotter.feed(piece)
    return (time.process_time() - began) / (len(pieces) * chunk)


def _surrounded(each: SpokenPhrase, chance: np.random.Generator) -> Sound:
    lead, tail = int(LEAD * SAMPLE_RATE), int(TAIL * SAMPLE_RATE)
    if not each.recorded:
        sound = np.pad(each.samples / (np.abs(each.samples).max() + 1e-9) * np.float32(0.4), (lead, tail))
        power = float(np.mean(sound[lead:-tail] ** 2))
        sound += (room_noise(len(sound), chance) * np.sqrt(power / 10.0 ** (CLEAN / 10.0))).astype(np.float32)
        return sound
    return np.concatenate([noise_of(each, LEAD), each.samples, noise_of(each, TAIL)])


def _heard(each: SpokenPhrase, sound: Sound) -> MeasuredSound:
    samples = np.round(np.clip(sound, -1.0, 1.0) * 32767).astype(np.int16)
    end = None if each.end is None else each.word_end
    return MeasuredSound(samples, None if end is None else LEAD + end / SAMPLE_RATE, each)
