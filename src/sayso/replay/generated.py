"""Generated bags of any length, for benchmarks and tests: a day at home as a robot might record it, small on disk."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.definitions import known_types
from sayso.bags.writing import BagWriter
from sayso.domain import load_domain
from sayso.domain.sentences import chatter, commands, sentences
from sayso.paths import config_dir
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE

CHUNK = 1_600  # samples: 0.1 s, as the microphone sends them
KINDS = {
    "audio": "sayso_msgs/msg/AudioChunk",
    "transcript": "sayso_msgs/msg/Transcript",
    "context": "sayso_msgs/msg/Context",
    "camera/image": "sensor_msgs/msg/Image",
}
_Timed = tuple[float, str, Any]  # s since the beginning, topic, message
_BEGAN = 1_700_000_000.0  # s, start of the recording
_LEAD = 0.5  # s before the speech
_SERIES = 10  # utterances without a pause
_LENGTH = 2.0  # s of speech, if there is no sound


@dataclass(frozen=True, slots=True)
class GeneratedContent:
    """What is in the bag."""

    seconds: float
    every: float = 8.0  # s from one utterance to the next
    pause: float = 0.0  # s of quiet after every tenth utterance; without it, a bag cannot be cut
    sound: bool = False  # record the sound: the sentences of config/sentences in turn, with near-silence between them
    pictures: float = 0.0  # a second
    size: tuple[int, int] = (480, 640)  # pixels of a picture, rows and columns
    noise: float = 0.0  # share of a picture's rows that cannot be compressed
    seed: int = 0


def generate_bag(folder: Path, recipe: GeneratedContent) -> Path:
    """Write the bag. The same recipe gives the same messages. The bag is small on disk even if it is long."""
    types = known_types()
    streams = [_contexts(recipe), _spoken(recipe), _pictures(recipe), *([_sounds(recipe)] if recipe.sound else [])]
    with BagWriter(folder) as bag:
        for topic, kind in KINDS.items():
            bag.add_topic(f"/{topic}", kind, types)
        for time, topic, message in heapq.merge(*streams, key=lambda one: one[0]):
            bag.write(f"/{topic}", round((_BEGAN + time) * 1e9), bytes(types.serialize_cdr(message, KINDS[topic])))
    return folder


def _contexts(recipe: GeneratedContent) -> Iterator[_Timed]:
    """The robot goes from room to room, once a second."""
    domain = load_domain()
    places = [(name, place.pose) for name, place in domain.places.items()]
    for second in range(int(recipe.seconds)):
        name, (x, y, yaw) = places[second // 30 % len(places)]
        fields = {"x": x, "y": y, "yaw": yaw, "place": name, "battery": 0.9} | dict.fromkeys(("holding", "last_action", "speaker"), "")
        fields |= {"visible": [], "facts": [], "looks_of": [], "looks": [], "look_probabilities": np.empty(0)}
        yield float(second), "context", _made("context", float(second), **fields)


def _spoken(recipe: GeneratedContent) -> Iterator[_Timed]:
    """Transcripts, published 0.3 s after the end of each utterance."""
    types = known_types().types
    texts = _texts(recipe.seed)
    for number, start in enumerate(_starts(recipe)):
        begins = start + _LEAD
        text, length = texts[number % len(texts)], _LENGTH
        if recipe.sound:
            text, samples = _recorded()[number % len(_recorded())]
            length = min(len(samples) / SAMPLE_RATE, recipe.every - 1.0)
        alternative = types["sayso_msgs/msg/TranscriptAlternative"](text=text, log_p=0.0)
        fields = {"utterance_id": f"u{number + 1}", "alternatives": [alternative], "confidence": 0.9, "rejected": ""}
        ended = begins + length
        yield ended + 0.3, "transcript", _made("transcript", ended, started=_time(begins), **fields)


def _sounds(recipe: GeneratedContent) -> Iterator[_Timed]:
    """The sound in chunks; silence is noise in the last bits."""
    dice = np.random.default_rng(recipe.seed)
    starts = [*_starts(recipe), recipe.seconds]
    for number, (start, following) in enumerate(itertools.pairwise(starts)):
        heard = dice.integers(-2, 3, round((following - start) * SAMPLE_RATE)).astype(np.int16)
        samples = _recorded()[number % len(_recorded())][1][: round((recipe.every - 1.0) * SAMPLE_RATE)]
        first = round(_LEAD * SAMPLE_RATE)
        heard[first : first + len(samples)] = samples
        for offset in range(0, len(heard), CHUNK):
            at = start + offset / SAMPLE_RATE
            chunk = heard[offset : offset + CHUNK]
            yield at + len(chunk) / SAMPLE_RATE, "audio", _made("audio", at, sample_rate=SAMPLE_RATE, samples=chunk)


def _starts(recipe: GeneratedContent) -> Iterator[float]:
    """When the robot begins to listen to each utterance, s."""
    start, number = 0.0, 0
    while start + recipe.every <= recipe.seconds:
        yield start
        number += 1
        start += recipe.every + (recipe.pause if number % _SERIES == 0 else 0.0)


def _pictures(recipe: GeneratedContent) -> Iterator[_Timed]:
    """Pictures that differ; the share `noise` of each cannot be compressed."""
    rows, columns = recipe.size
    noisy = round(rows * recipe.noise)
    dice = np.random.default_rng(recipe.seed)
    picture = np.full((rows, columns, 3), 96, np.uint8)
    for number in range(int(recipe.seconds * recipe.pictures)):
        at = number / recipe.pictures
        picture[:noisy] = np.frombuffer(dice.bytes(noisy * columns * 3), np.uint8).reshape(noisy, columns, 3)
        picture[-1] = number % 256
        fields = {"height": rows, "width": columns, "encoding": "rgb8", "is_bigendian": 0, "step": 3 * columns, "data": picture.reshape(-1)}
        yield at, "camera/image", _made("camera/image", at, **fields)


def _made(topic: str, stamp: float, **fields: Any) -> Any:
    types = known_types().types
    header = types["std_msgs/msg/Header"](stamp=_time(stamp), frame_id="map")
    return types[KINDS[topic]](header=header, **fields)


def _time(seconds: float) -> Any:
    nanoseconds = round((_BEGAN + seconds) * 1e9)
    return known_types().types["builtin_interfaces/msg/Time"](sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def _texts(seed: int) -> list[str]:
    """A hundred sentences for the default home, intents drawn by their priors: 70 of one clause, 20 of several, 10 not commands."""
    domain, chance = load_domain(), random.Random(seed)
    by_intent: dict[str, list[str]] = {}
    for sentence in sentences(domain, 3, seed):
        by_intent.setdefault(sentence.intent, []).append(sentence.text)
    drawn = chance.choices(list(by_intent), [domain.intents[intent].prior for intent in by_intent], k=70)
    texts = [chance.choice(by_intent[intent]) for intent in drawn]
    texts += [sentence.text for sentence in commands(domain, 20, seed)]
    texts += [sentence.text for sentence in chatter(domain, 1, seed)][:10]
    chance.shuffle(texts)
    return texts


@lru_cache(maxsize=1)
def _recorded() -> list[tuple[str, NDArray[np.int16]]]:
    """(text, (N,) samples) of the sentences that Sayso ships with."""
    files = sorted((config_dir() / "sentences").glob("*.flac"))
    return [(file.stem.removeprefix("oov_").replace("_", " "), read_sound(file).samples) for file in files]
