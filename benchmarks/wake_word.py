"""The wake word: how often it is noticed, false wakes an hour, the commands after it, and its computing time.

The voices that say it are synthetic (flite, espeak-ng, and Kokoro where its weights lie in the cache). The talk that must not wake the
robot is partly real: coffee orders by over 50 people, single words and a kitchen's noise, in SAYSO_DATA. Nothing was fitted on any of it.
All samples are small, so the intervals are wide.
"""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.console.bench import Row, part
from sayso.console.watch import counted
from sayso.errors import AbsentVoiceError
from sayso.speech.files import read_sound
from sayso.speech.listening import Listening, ListeningOptions
from sayso.speech.wake_word import WakeWord
from sayso.training.speech.voices import Voice, in_a_room, speak
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray

Samples = NDArray[np.int16]
CHUNK = 640  # samples, as the microphone node sends them
# As flite spells it, and as espeak-ng does, for itself and for Kokoro.
WORDS = {
    "okay_nabu": ("okay nabu", "okay nah boo"),
    "hey_jarvis": ("hey jarvis", "hey jarvis"),
}  # second: as espeak-ng pronounces it right, for Kokoro too
COMMANDS = ("go to the kitchen", "bring me the red cup", "turn left", "come here")
FLITE = ("slt", "awb", "rms", "kal", "kal16")
ESPEAK = ("en-us", "en-us+f2", "en-us+f4", "en-us+m3", "en-gb", "en-gb+f2", "en-gb+m7", "en-gb-scotland")
KOKORO = ("af_heart", "am_adam", "bf_emma", "bm_george")
LEAD = 4.0  # s of the room's noise before the word: a microphone is never switched on just before it
PACES = (0.9, 1.0, 1.15)
ROOMS = {"quiet, 28 dB": (28.0, 0.2), "noise, 10 dB": (10.0, 0.2), "far, 20 dB, 0.6 s of echo": (20.0, 0.6)}
TALK = {
    "unrelated talk": (
        "the weather will be rather cold tomorrow morning", "my grandfather was born in a small village near the lake",
        "the train to the airport leaves at nine", "i think we should paint the wall in another colour",
        "do you know how much a kilo of apples costs", "she plays the piano every day after school", "what a boring film that was",
        "volunteers are cleaning the beach this morning", "the market fell by three percent", "nobody knew what to say about it",
    ),
    "phrases that begin like it": (
        "okay now let us see what is on television", "hey james have you seen the paper", "okay never mind",
        "hey java is a programming language", "okay another one for me please",
    ),
}  # fmt: skip


def run(quick: bool = False) -> Iterator[Row]:
    """Yield the rows of each wake word; --quick: a few voices."""
    yield from part("wake words noticed", partial(rows, quick))


def rows(quick: bool) -> Iterator[Row]:
    """Recall in each room, false wakes, commands after the word, computing time."""
    voices = _voices()[:: 6 if quick else 1]
    for name in ("okay_nabu",) if quick else WORDS:
        spotter, heard = WakeWord(name), dict[tuple[str, str], list[bool]]()
        for voice in counted(voices, f"voices, {name}"):
            for pace in PACES[1:2] if quick else PACES:
                clean = _said(name, voice, pace)
                for room, (snr, echo) in ROOMS.items():
                    sound = in_a_room(clean, np.random.default_rng(len(heard)), snr, echo, LEAD)
                    heard.setdefault((room, voice.program), []).append(_wakes(spotter, sound) > 0)
        for room in ROOMS:
            yield _recall(name, room, {program: all_of for (where, program), all_of in heard.items() if where == room})
        yield from _false(name, spotter, voices[:: 4 if quick else 1])
    yield from _commands(voices)
    yield _cost()


def _voices() -> list[Voice]:
    installed = [program for program in ("flite", "espeak-ng") if shutil.which(program)]
    voices = [Voice(program, each) for program in installed for each in (FLITE if program == "flite" else ESPEAK)]
    from platformdirs import user_cache_path

    if (user_cache_path("sayso") / "kokoro" / "build").is_dir():
        voices += [Voice("kokoro", each) for each in KOKORO]
    if not voices:
        raise AbsentVoiceError("no voices: apt install flite espeak-ng")
    return voices


def _said(name: str, voice: Voice, pace: float) -> FloatArray:
    return _trimmed(speak(WORDS[name][voice.program != "flite"], voice, pace))


@lru_cache(maxsize=1000)
def _spoken(text: str, voice: Voice) -> FloatArray:
    return speak(text, voice)


def _trimmed(sound: FloatArray) -> FloatArray:
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    return sound[loud[0] : loud[-1] + 1]


def _wakes(spotter: WakeWord, sound: Samples) -> int:
    spotter.reset()
    return sum(spotter(sound[start : start + CHUNK]) for start in range(0, len(sound), CHUNK))


def _recall(name: str, room: str, heard: dict[str, list[bool]]) -> Row:
    every = [each for of_program in heard.values() for each in of_program]
    low, high = _wilson(sum(every), len(every))
    baselines: dict[str, float | None] = {program: 100.0 * sum(each) / len(each) for program, each in heard.items()}
    value = 100.0 * sum(every) / len(every)
    return Row(f"{name} noticed, synthetic voices, {room} (spread: 95 %)", value, "%", "higher", None, baselines, (low, high), len(every))


def _false(name: str, spotter: WakeWord, voices: list[Voice]) -> Iterator[Row]:
    for label, texts in TALK.items():
        speech = [_spoken(text, voice) for voice in voices for text in texts]
        talk = [in_a_room(each, np.random.default_rng(index), 28.0, 0.2, 0.6) for index, each in enumerate(speech)]
        yield _hourly(f"{name}: false wakes, {label}, synthetic", spotter, talk)
    folder = Path(os.environ.get("SAYSO_DATA", "/nowhere")) / "speech"
    for label, files in (
        ("coffee orders, real", sorted((folder / "coffee").glob("*.flac"))),
        ("single words, real", sorted((folder / "robot_words").rglob("*.flac"))),
        ("kitchen noise, real", sorted((folder / "noise").glob("*.flac"))),
    ):
        if not files:
            yield Row(f"{name}: false wakes, {label}", None, "1/h", "lower", reason="no recordings: set SAYSO_DATA", absent="data")
            continue
        yield _hourly(f"{name}: false wakes, {label}", spotter, [read_sound(file).samples for file in files])


def _hourly(measure: str, spotter: WakeWord, sounds: list[Samples]) -> Row:
    """False wakes in one stream; the spread is Poisson's exact 95 % interval."""
    from scipy.stats import chi2

    hours = sum(map(len, sounds)) / SAMPLE_RATE / 3600.0
    count = _wakes(spotter, np.concatenate(sounds))
    spread = (float(chi2.ppf(0.025, 2 * count)) / 2 / hours if count else 0.0, float(chi2.ppf(0.975, 2 * count + 2)) / 2 / hours)
    return Row(f"{measure}, {hours * 60:.0f} min (spread: 95 %)", count / hours, "1/h", "lower", None, {}, spread, count)


def _commands(voices: list[Voice]) -> Iterator[Row]:
    """Commands said right after the wake word: the same text as without it?"""
    from sayso.domain import load_domain
    from sayso.speech.recognise import SpeechToText

    recognise, right, alone, noticed, cases = SpeechToText(load_domain()), 0, 0, 0, 0
    for voice in counted(voices, "voices, commands after the wake word"):
        for command in COMMANDS:
            word, rest = _said("okay_nabu", voice, 1.0), _trimmed(speak(command, voice))
            gap = np.zeros(round(0.15 * SAMPLE_RATE))
            chance = np.random.default_rng(cases)
            alone += [_text(recognise, each) for each in _heard("always", in_a_room(rest, chance, 28.0, silence=LEAD))] == [command]
            together = in_a_room(np.concatenate([word, gap, rest]), chance, 28.0, silence=LEAD)
            heard = _heard("wake_word", together)
            noticed += bool(heard)
            right += [_text(recognise, each) for each in heard] == [command]
            cases += 1
    baselines: dict[str, float | None] = {"without the wake word": 100.0 * alone / cases, "heard at all": 100.0 * noticed / cases}
    yield Row(
        "commands right, 0.15 s after okay_nabu (spread: 95 %)", 100.0 * right / cases, "%", "higher", None, baselines,
        _wilson(right, cases), cases,
    )  # fmt: skip


def _heard(mode: str, sound: Samples) -> list[Samples]:
    listening = Listening(ListeningOptions(mode))  # type: ignore[arg-type]
    pieces = [*np.split(sound, range(CHUNK, len(sound), CHUNK)), *[np.zeros(CHUNK, np.int16)] * 20]
    heard = [each for index, piece in enumerate(pieces) for each in listening.feed(AudioChunk(piece, index * CHUNK / SAMPLE_RATE))]
    return [each.utterance.samples for each in heard if each.addressed]


def _text(recognise: object, samples: Samples) -> str:
    transcript = recognise(samples)  # type: ignore[operator]
    return "" if transcript.rejected else str(transcript.text)


def _cost() -> Row:
    spotter, sound = WakeWord(), np.random.default_rng(0).normal(0, 500, 60 * SAMPLE_RATE).astype(np.int16)
    taken = []
    for _ in range(5):
        began = time.process_time()
        _wakes(spotter, sound)
        taken.append((time.process_time() - began) / 60.0 * 1e3)
    return Row(
        "computing time for a second of sound (spread: all)",
        float(np.median(taken)),
        "ms",
        "lower",
        None,
        {},
        (min(taken), max(taken)),
        len(taken),
    )


def _wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share in per cent (Wilson 1927)."""
    z, p = 1.96, count / of
    middle, half = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return tuple(100.0 * (middle + sign * half) / (1 + z * z / of) for sign in (-1.0, 1.0))  # type: ignore[return-value]
