"""Sounds for the benchmark `speech`: synthetic commands of held-out voices, people's coffee orders and single words, and no commands."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.sentences import sentences
from sayso.errors import SaysoError
from sayso.speech.endpoint import Endpointer
from sayso.speech.files import read_sound
from sayso.speech.language_model import corpus
from sayso.training.data.corpora import data_folder
from sayso.training.speech.train import trials
from sayso.training.speech.voices import HELD_OUT_VOICES, in_a_room, speak
from sayso.types import SAMPLE_RATE, AudioChunk

Samples = NDArray[np.int16]
NUMBER = 240  # commands: three quarters of one clause; half as many sentences of talk, a quarter as many noises
STRANGE = 100
SNRS = (None, 24, 15, 6)  # dB; None: clean
NO_COMMAND = {"unrelated": "synthetic talk", "noise": "hiss, chords, knocks and hum"}
WORDS = ("stop", "back", "front", "left", "right", "one", "two", "three", "four", "five")
_FRAME = 2_048  # samples
_PIECE = 3 * SAMPLE_RATE
_SEED = 4_242


@dataclass(frozen=True, slots=True)
class SpokenClip:
    """One sound as the endpointer gives it to a recogniser, and what was said."""

    kind: str  # "single", "several", "unrelated", "noise", "clean", "15 dB", "stop", …
    utterances: tuple[Samples, ...]  # none: the endpointer heard no speech; several: it cut the sentence
    text: str = ""  # empty where it is unknown, or no command
    slots: Mapping[str, str] = field(default_factory=dict)  # of an order, role → value
    unknown: str = ""  # the word that the domain doesn't have


def command_clips(domain: Domain, limit: int) -> list[SpokenClip]:
    """Commands in a room with noise, in voices that nothing was fitted on; then talk, hiss, chords, knocks and hum.

    The last sounds are not passed through the endpointer, so that the recogniser alone must reject them.
    """
    kinds = {"command": "single", "commands": "several"}
    found: list[SpokenClip] = []
    heard = trials(domain, HELD_OUT_VOICES, min(limit, NUMBER), None, part=1)
    for (kind, text), group in groupby(heard, key=lambda trial: (trial.source, trial.text)):
        if text:
            found.append(SpokenClip(kinds[kind], tuple(trial.samples for trial in group), text))
        else:
            found += [SpokenClip(NO_COMMAND[kind], (trial.samples,)) for trial in group]
    return found


def strange_clips(domain: Domain, limit: int) -> list[SpokenClip]:
    """Commands with a noun that the domain doesn't have, in held-out voices at 20 dB."""
    chance, noise = random.Random(_SEED), np.random.default_rng(_SEED)
    known = {word for line in corpus(domain) for word in line.split()}
    nouns = [word for word in settings()["unknown"] if word not in known]
    fitting = [each for each in sentences(domain, 20, seed=_SEED) if [slot.name for slot in each.slots].count("object") == 1]
    found = []
    for index, sentence in enumerate(chance.sample(fitting, min(limit, STRANGE))):
        slot = next(slot for slot in sentence.slots if slot.name == "object")
        noun, first = nouns[index % len(nouns)], slot.text.partition(" ")[0]
        named = f"{first} {noun}" if first in ("the", "my") else f"the {noun}" if first in ("a", "an") else noun
        text = sentence.text[: slot.start] + named + sentence.text[slot.end :]
        room = in_a_room(speak(text, HELD_OUT_VOICES[index % len(HELD_OUT_VOICES)]), noise, 20.0)
        found.append(SpokenClip("strange", endpointed(room), text, unknown=noun))
    return found


def order_clips(limit: int) -> Iterator[SpokenClip]:
    """Recorded coffee orders, clean and with the kitchen's noise.

    Raises:
        SaysoError: the recordings are missing.
    """
    folder, names = sound_folder("coffee"), settings()["slots"]
    kitchen = read_sound(sound_folder("noise") / "kitchen.flac").samples.astype(np.float64)
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    for label in spread(labels, limit):
        speech = read_sound(folder / label["file"]).samples
        slots = {names[slot]: value.strip() for slot, value in label["slots"].items()}
        chance = np.random.default_rng(zlib.crc32(label["file"].encode()))
        start = int(chance.integers(0, len(kitchen) - len(speech)))
        for snr in SNRS:
            sound = speech if snr is None else mixed(speech.astype(np.float64), kitchen[start : start + len(speech)], snr)
            yield SpokenClip("clean" if snr is None else f"{snr} dB", endpointed(sound), slots=slots)


def word_clips(limit: int) -> list[SpokenClip]:
    """Single words that people said to a robot.

    Raises:
        SaysoError: the recordings are missing.
    """
    folder = sound_folder("robot_words")
    return [
        SpokenClip(word, endpointed(read_sound(file).samples), word)
        for word in WORDS
        for file in spread(sorted((folder / word).glob("audio_*.flac")), limit)
    ]


def real_other_clips(limit: int) -> list[SpokenClip]:
    """For the home's recogniser: people's orders at a coffee bar, and a kitchen's noise in pieces of 3 s.

    Only every second order: the confidence of PocketSphinx was fitted on others. The noise is not passed through the endpointer.

    Raises:
        SaysoError: the recordings are missing.
    """
    orders = sorted(sound_folder("coffee").glob("*.flac"))[1::2]
    kitchen = read_sound(sound_folder("noise") / "kitchen.flac").samples
    pieces = [kitchen[at : at + _PIECE] for at in range(0, len(kitchen) - _PIECE, _PIECE)]
    talk = [SpokenClip("orders at a bar", endpointed(read_sound(file).samples)) for file in spread(orders, limit)]
    return [*talk, *(SpokenClip("kitchen noise", (piece,)) for piece in spread(pieces, limit))]


def mixed(speech: NDArray[np.float64], noise: NDArray[np.float64], snr: float) -> Samples:
    """Speech and noise of the same length at `snr` dB, as the recordings' publishers mix them: between the loudest frames of each."""
    scale = np.sqrt(_loudest(speech) / (_loudest(noise) * 10.0 ** (snr / 10.0)))
    sound = speech + scale * noise
    return np.round(sound / np.abs(sound).max() * 0.5 * 32767).astype(np.int16)


def endpointed(sound: Samples) -> tuple[Samples, ...]:
    """The utterances in a sound, with the defaults of the microphone's endpointer."""
    endpointer = Endpointer()
    return tuple(each.samples for each in endpointer.feed(AudioChunk(sound, 0.0)) + endpointer.flush())


def spread(every: list[Any], limit: int) -> list[Any]:
    """At most `limit`, evenly over the list."""
    return every if len(every) <= limit else [every[at * len(every) // limit] for at in range(limit)]


@lru_cache(maxsize=1)
def settings() -> dict[str, Any]:
    """The contents of speech.yaml."""
    content: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("speech.yaml").read_text(encoding="utf-8"))
    return content


def _loudest(sound: NDArray[np.float64]) -> float:
    frames = sound[: len(sound) // _FRAME * _FRAME].reshape(-1, _FRAME)
    return float(np.square(frames).sum(axis=1).max())


def sound_folder(name: str) -> Path:
    """A folder of recordings.

    Raises:
        SaysoError: it is missing.
    """
    folder = data_folder() / "speech" / name
    if not folder.is_dir():
        raise SaysoError(f"{folder} is missing: SAYSO_DATA must name the folder of the data sets")
    return folder
