"""Sounds for training and evaluation of the stop spotter: phrases of synthetic voices and recordings of people, in three parts.

No voice, recording or session is in two parts: `train` fits the network, `tuning` the threshold, `held_out` is for evaluation.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sayso.domain import load_domain
from sayso.domain.sentences import sentences
from sayso.errors import AbsentDataError
from sayso.speech.files import read_sound
from sayso.training.data.corpora import data_folder, lines
from sayso.training.speech.voices import Voice, speak
from sayso.training.stop.config import PARTS, Part, Program, StopConfig
from sayso.types import SAMPLE_RATE
from sayso.yaml_source import read_plain

Sound = NDArray[np.float32]
Kind = Literal["stop", "hard", "sentence"]
Report = Callable[[int, int], None]  # number done, total

PACES = (0.85, 0.95, 1.0, 1.0, 1.1, 1.2, 1.35)
# Sessions of `robot_words` by the date in the file name; one person spoke in most of them.
SESSIONS: dict[Part, tuple[str, ...]] = {
    "train": ("05-08", "05-13"),
    "tuning": ("05-09", "06-02"),
    "held_out": ("05-11", "05-12", "05-30", "05-31"),
}
_FRAME = SAMPLE_RATE // 100  # samples
_QUIETEST = -35.0  # dB below the loudest 10 ms: the end of a synthetic word
_VOWEL = -15.0  # dB below the loudest of the last 0.6 s: louder frames are vowels
_CONSONANT = SAMPLE_RATE * 8 // 100  # samples from the end of the vowel to the end of the word, for most voices
_LAST_WORD = re.compile(r"\b(stop|halt)[.!]?$")
_STOP_WORDS = re.compile(r"\b(stop|halt|freeze)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SpokenPhrase:
    """One phrase in one voice, without the silence around it."""

    samples: Sound  # (N,) in [-1, 1]; for recordings with the noise around the word
    kind: Kind
    text: str
    voice: str
    end: int | None = None  # samples until the end of the stop word
    recorded: bool = False  # by a person

    @property
    def neural(self) -> bool:
        """Spoken by a neural synthesiser, whose voices sound like people."""
        return self.voice.startswith("kokoro ")

    @property
    def word_end(self) -> int | None:
        """Samples until the end of a final stop word, whatever the phrase means, as defined for the network.

        Voices differ by a third of a second in their breath after the p or t, which is inaudible in a room. For synthetic voices the end is
        therefore a fixed consonant's length after the vowel.
        """
        if self.recorded or (self.end is None and not _LAST_WORD.search(self.text)):
            return self.end
        return vowel_end(self.samples) + _CONSONANT


def spoken(config: StopConfig, part: Part, report: Report) -> list[SpokenPhrase]:
    """The phrases of that part in all its voices; the training part with varied pitch.

    Raises:
        AudioError: a synthesiser is not installed.
        SaysoError: the sentences of hwu64 are not among the data sets.
    """
    plain = (*plain_sentences(part), *asked_at_home(part))
    asked = [each for voice, program in config.speakers(part) for each in _asked(config, part, plain, voice, program)]
    found: list[SpokenPhrase] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each synthesiser is a separate process
        try:
            for each in pool.map(lambda phrase: said(*phrase), asked):
                found.append(each)
                report(len(found), len(asked))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


def said(text: str, kind: Kind, voice: Voice, pace: float, pitch: float = 1.0) -> SpokenPhrase:
    """Synthesise the phrase in that voice."""
    sound = trimmed(speak(text, voice, pace, pitch).astype(np.float32))
    return SpokenPhrase(sound, kind, text, f"{voice.program} {voice.name}", len(sound) if kind == "stop" else None)


def _asked(
    config: StopConfig, part: Part, plain: Sequence[str], voice: Voice, program: Program
) -> Iterator[tuple[str, Kind, Voice, float, float]]:
    chance = random.Random(f"{config.seed} {part} {voice}")
    phrases: list[tuple[Kind, str]] = [("stop", stop_phrase(config, chance)) for _ in range(program.stops)]
    phrases += [("hard", hard_phrase(config, chance)) for _ in range(program.hard)]
    phrases += [("sentence", text) for text in chance.sample(plain, program.sentences)]
    for kind, text in phrases:
        pitch = round(chance.uniform(*config.pitch), 2) if part == "train" else 1.0
        yield text, kind, voice, chance.choice(PACES), pitch


def stop_phrase(config: StopConfig, chance: random.Random) -> str:
    """A random phrase such as "stop", "robot, stop!", "please halt now"."""
    word = chance.choices(list(config.words), list(config.words.values()))[0]
    before = chance.choice(config.before) + chance.choice((" ", ", ")) if chance.random() < 0.5 else ""
    after = " " + chance.choice(config.after) if chance.random() < 0.125 else ""
    return before + word + after + chance.choice(("", "", "!", "."))


def hard_phrase(config: StopConfig, chance: random.Random) -> str:
    """A random phrase such as "don't stop", "stop by the kitchen", "the shop"."""
    word = chance.choices(list(config.words), list(config.words.values()))[0]
    kind = chance.random()
    if kind < 0.45:
        return f"{chance.choice(config.hard.taken_back)} {word if chance.random() < 0.4 else 'stop'}{chance.choice(('', '', '!', '.'))}"
    if kind < 0.75:
        return f"{chance.choice(('', '', 'please ', 'robot '))}stop {chance.choice(config.hard.going_on)}"
    return chance.choice(config.hard.like_it)


def plain_sentences(part: Part) -> list[str]:
    """Commands and talk without a stop word; different ones for each part."""
    place = PARTS.index(part)
    texts = [each.text for each in sentences(load_domain(), 20, seed=7001)]
    unrelated: list[str] = read_plain(Path(__file__).parents[1] / "data/unrelated.yaml")
    return [text for text in texts[place::3] + 8 * unrelated[place::3] if not _STOP_WORDS.search(text)]


def asked_at_home(part: Part) -> list[str]:
    """Requests to a home assistant: the sentences of hwu64's own parts without a stop word."""
    own = {"train": "train", "tuning": "valid", "held_out": "test"}[part]
    return [each.text for each in lines("hwu64", own) if not _STOP_WORDS.search(each.text)]


def recorded_words(part: Part) -> Iterator[SpokenPhrase]:
    """Single words recorded by people, "stop" among them, from the part's sessions.

    Raises:
        SaysoError: the folder speech/robot_words is not among the data sets.
    """
    for path in _files("robot_words/*/audio_*.flac"):
        if path.parent.name == "none" or path.name[6:11] not in SESSIONS[part]:
            continue
        sound = _read(path)
        stop = path.parent.name == "stop"
        yield SpokenPhrase(
            sound, "stop" if stop else "hard", path.parent.name, path.name[6:11], recorded_end(sound) if stop else None, True
        )


def recorded_talk(part: Part) -> Iterator[SpokenPhrase]:
    """Spoken coffee orders, all without "stop"; half of them are held out."""
    for index, path in enumerate(_files("coffee/*.flac")):
        if PARTS[(0, 2, 1, 2)[index % 4]] == part:
            yield SpokenPhrase(_read(path), "sentence", "", "coffee", None, True)


def noises(part: Part) -> list[Sound]:
    """Noise of a kitchen, and of microphones without speech."""
    place = PARTS.index(part)
    kitchen = np.array_split(_read(_files("noise/*.flac")[0]), 3)[place]
    return [kitchen, *(_read(path) for path in _files("robot_words/none/[!a]*.flac")[place::3])]


def trimmed(sound: Sound) -> Sound:
    """The sound without the silence before and after."""
    levels = _levels(sound)
    loud = np.flatnonzero(levels > levels.max() + _QUIETEST)
    return sound[loud[0] * _FRAME : (loud[-1] + 1) * _FRAME]


def vowel_end(sound: Sound) -> int:
    """Samples until the end of the last vowel, which lasts at least 40 ms, longer than the burst of a p or t."""
    levels = _levels(sound)
    loud = (levels > levels[-60:].max() + _VOWEL).astype(int)
    lasting = np.flatnonzero(np.convolve(loud, np.ones(4, int), "valid") == 4)
    return (int(lasting[-1]) + 4 if len(lasting) else len(levels)) * _FRAME


def recorded_end(sound: Sound) -> int:
    """Samples until the end of the single word in a recording: the last sound above the noise within 0.15 s of its loudest part's end."""
    levels = _levels(sound)
    floor, top = np.quantile(levels, 0.2), levels.max()
    loud = levels > (floor + top) / 2
    vowel = int(levels.argmax())
    while loud[vowel : vowel + 8].any():  # it ends with a pause of 80 ms; a later click is the key that ended the recording
        vowel += 1
    over = np.flatnonzero(levels[vowel - 1 : vowel + 15] > floor + max(0.3 * (top - floor), 8.0))
    return (vowel + int(over[-1] if len(over) else 0)) * _FRAME


def save(sounds: Sequence[SpokenPhrase], path: Path) -> None:
    """Write all phrases to one file, in 16 bits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npz")
    np.savez(
        partial,
        samples=np.concatenate([np.round(each.samples * 32767).astype(np.int16) for each in sounds]),
        lengths=[len(each.samples) for each in sounds],
        ends=[-1 if each.end is None else each.end for each in sounds],
        told=np.array([(each.kind, each.text, each.voice) for each in sounds]),
    )
    partial.replace(path)


def saved(path: Path) -> list[SpokenPhrase]:
    """Read a file of `save`."""
    with np.load(path) as held:
        pieces = np.split(held["samples"].astype(np.float32) / 32768.0, np.cumsum(held["lengths"])[:-1])
        return [
            SpokenPhrase(piece, str(kind), str(text), str(voice), None if end < 0 else int(end))  # type: ignore[arg-type]
            for piece, end, (kind, text, voice) in zip(pieces, held["ends"], held["told"], strict=True)
        ]


def spoken_once(config: StopConfig, part: Part, folder: Path, report: Report) -> list[SpokenPhrase]:
    """`spoken`, cached in that folder under a digest of voices and sentences."""
    asked = config.model_dump_json(include={"seed", "pitch", "voices", "words", "before", "after", "hard"})
    path = folder / f"spoken-{part}-{hashlib.sha256(asked.encode()).hexdigest()[:12]}.npz"
    if not path.exists():
        save(spoken(config, part, report), path)
    return saved(path)


def _levels(sound: Sound) -> NDArray[np.float64]:
    """(n,) dB of each 10 ms."""
    frames = sound[: len(sound) // _FRAME * _FRAME].reshape(-1, _FRAME).astype(np.float64)
    return np.asarray(10.0 * np.log10(np.mean(frames**2, axis=1) + 1e-9))


def _files(pattern: str) -> list[Path]:
    folder = data_folder() / "speech"
    found = sorted(folder.glob(pattern))
    if not found:
        raise AbsentDataError(f"no {folder / pattern}: the recordings are missing; set SAYSO_DATA to the folder of the data sets")
    return found


def _read(path: Path) -> Sound:
    return (read_sound(path).samples / 32768.0).astype(np.float32)
