"""Trials in many rooms, noises and voices: what the confidence is fitted on, and the same with other voices and talk to measure it.

Commands, talk that is not for the robot, single words and noise; each speech under a condition of conditions.yaml.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from sayso.domain import Domain
from sayso.domain.sentences import commands, sentences
from sayso.speech.language_model import corpus
from sayso.training.data.corpora import clinc150, lines
from sayso.training.speech.conditions import drawn
from sayso.training.speech.noise import babble, kitchen, music
from sayso.training.speech.train import PACES, SpeechTrial, noises, utterances
from sayso.training.speech.voices import HELD_OUT_VOICES, TUNING_VOICES, Voice, speak
from sayso.types import SAMPLE_RATE, FloatArray
from sayso.yaml_source import read_plain

LONGEST_TALK = 14  # words
BABBLERS = 24  # sentences of which babble is made
SECONDS = (1.0, 3.5)  # of noise without speech
HUMAN = 5  # sentences of flite and espeak-ng for each of Kokoro's
CONDITIONS_OF_HUMAN = 3  # under which each of Kokoro's sentences is heard
COMMANDS = ("command", "commands")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks and what they say that is no command. No voice and no sentence of talk is in two casts."""

    quick: tuple[Voice, ...]  # of flite and espeak-ng
    human: tuple[Voice, ...]  # of Kokoro
    seed: int
    clinc: str  # part of CLINC150 that is about something else
    banking: str  # part of BANKING77


TUNING = Cast(
    TUNING_VOICES, tuple(Voice("kokoro", name) for name in ("af_bella", "am_adam", "bf_emma", "bm_george", "af_sarah", "am_puck")), 20,
    "oos_train", "train",
)  # fmt: skip
HELD_OUT = Cast(
    HELD_OUT_VOICES, tuple(Voice("kokoro", name) for name in ("af_nova", "am_liam", "bf_isabella", "bm_lewis")), 21, "oos_test", "test"
)


def condition_trials(domain: Domain, cast: Cast, number: int) -> Iterator[SpeechTrial]:
    """`number` commands, a quarter of them of several clauses, as much talk, some single words and noises; the same in each run.

    Kokoro's voices take seconds a sentence. They say a fifth as many commands, a fifteenth as much talk, each heard under three conditions.

    Raises:
        AudioError: flite or espeak-ng are not installed.
        SaysoError: the data sets with the talk are missing, or Kokoro cannot be downloaded.
    """
    draws, chance = random.Random(cast.seed), np.random.default_rng(cast.seed)
    talk = draws.sample(talk_lines(domain, cast), number + number // HUMAN + BABBLERS)
    behind = [speak(text, draws.choice(cast.quick)) for text in talk[:BABBLERS]]
    for voices, texts, heard in (
        (cast.quick, _commands(domain, number, cast.seed), 1),
        (cast.human, _commands(domain, number // HUMAN, cast.seed + 100), CONDITIONS_OF_HUMAN),
        (cast.quick, [("unrelated", text) for text in talk[BABBLERS : BABBLERS + number]], 1),
        (cast.human, [("unrelated", text) for text in talk[BABBLERS + number :][: number // HUMAN // 3]], CONDITIONS_OF_HUMAN),
        (cast.quick, [("word", text) for text in draws.choices(words_alone(domain, cast), k=number // 5)], 1),
    ):
        for index, (source, text) in enumerate(texts):
            dry = spoken(text, voices[index % len(voices)], draws.choice(PACES))
            for condition in [drawn(chance) for _ in range(heard)]:
                for samples in utterances(condition(dry, behind, chance)):
                    yield SpeechTrial(samples, text if source in COMMANDS else "", source, condition.name)
    yield from silent_trials(number // 4, behind, chance)


def silent_trials(number: int, talk: Sequence[FloatArray], chance: np.random.Generator) -> Iterator[SpeechTrial]:
    """Hiss, chords, knocks, hum, music, kitchen and babble, not through the endpointer: the recogniser alone must turn them down."""
    for samples in noises(number // 2, chance):
        yield SpeechTrial(samples, "", "noise", "noises")
    for index in range(number - number // 2):
        length = int(chance.uniform(*SECONDS) * SAMPLE_RATE)
        kind = ("music", "kitchen", "babble")[index % 3]
        sound = babble(length, talk, chance) if kind == "babble" else (music if kind == "music" else kitchen)(length, chance)
        yield SpeechTrial(drawn(chance).recorded(sound, chance), "", "noise", kind)


def talk_lines(domain: Domain, cast: Cast) -> list[str]:
    """Sentences about something else, each with a word that the domain does not have."""
    known = {word for line in corpus(domain) for word in line.split()}
    own: list[str] = read_plain(_data("unrelated.yaml"))[cast.seed % 2 :: 2]
    asked = [each.text for each in (*clinc150(cast.clinc), *lines("banking77", cast.banking))]
    plain = ("".join(letter for letter in text.lower() if letter.isalpha() or letter in " '") for text in (*own, *asked))
    return [text for text in dict.fromkeys(plain) if len(text.split()) <= LONGEST_TALK and set(text.split()) - known]


def spoken(text: str, voice: Voice, pace: float) -> FloatArray:
    """The sentence as of `speak`; Kokoro's, which take seconds, are kept in the user's cache."""
    if voice.program != "kokoro":
        return speak(text, voice, pace)
    name = hashlib.sha256(f"{voice.name} {pace} {text}".encode()).hexdigest()[:24]
    path = user_cache_path("sayso") / "spoken" / f"{name}.npy"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npy")
        np.save(partial, np.round(np.clip(speak(text, voice, pace), -1.0, 1.0) * 32767).astype(np.int16))
        partial.replace(path)
    sound: FloatArray = np.load(path).astype(np.float64) / 32768.0
    return sound


def _commands(domain: Domain, number: int, seed: int) -> list[tuple[str, str]]:
    """(source, text), a quarter of several clauses."""
    single = [sentence.text for sentence in sentences(domain, 20, seed=1_000 + seed)]
    several = [command.text for command in commands(domain, number // 4, seed=1_000 + seed)]
    one = random.Random(seed).sample(single, number - number // 4)
    return [*(("command", text) for text in one), *(("commands", text) for text in several)]


def _data(name: str) -> Path:
    return Path(__file__).parents[1].joinpath("data", name)


def words_alone(domain: Domain, cast: Cast) -> list[str]:
    """Words that are no command, each with one that the domain does not have."""
    known = {word for line in corpus(domain) for word in line.split()}
    said: list[str] = read_plain(Path(__file__).with_name("words.yaml"))
    return [text for text in said if set(text.split()) - known][cast.seed % 2 :: 2]
