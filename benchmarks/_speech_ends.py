"""The end of a sentence for the benchmark `speech`: how soon it is noticed, and whether commands are cut.

Whole sounds are heard as from a microphone. The baseline is a fixed silence, by which every sentence ends. Times are of the sound, without
computing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from _meaning_share import Share
from _speech_sets import Samples, sound_folder, spread
from sayso.console.bench import Row
from sayso.domain import Domain
from sayso.domain.sentences import commands, sentences
from sayso.speech.endpoint import Ear, Endpointer, Utterance
from sayso.speech.files import read_sound
from sayso.speech.recognise import SpeechToText
from sayso.training.speech.voices import HELD_OUT_VOICES, in_a_room, speak
from sayso.types import SAMPLE_RATE, AudioChunk

CHUNK = 640  # samples, as the microphone sends them
AFTER = 2.0  # s of silence after a sound
NUMBER = 60  # of each kind
PAUSES = (0.2, 0.3, 0.4)  # s, put between the clauses of synthetic commands
_SEED = 99


@dataclass(frozen=True, slots=True)
class Ended:
    """How one sound was cut."""

    utterances: tuple[Utterance, ...]
    after: tuple[float, ...]  # s of silence after which each was known to be over

    @property
    def whole(self) -> bool:
        """Whether the last utterance is the whole sentence; earlier ones are beginnings that it replaces."""
        return bool(self.utterances) and all(each.continues for each in self.utterances[1:])


def end_rows(home: Domain, bar: Domain, most: int) -> Iterator[Row]:
    """Rows for synthetic commands, and for people's orders where they are there."""
    kinds = {"commands of one clause": single(home, most), "commands of two clauses with a pause of 0.2 to 0.4 s": with_pauses(home, most)}
    recognise = SpeechToText(home)
    for kind, sounds in kinds.items():
        yield from _rows(kind, sounds, recognise)
    yield from _rows("people's orders", orders(most), SpeechToText(bar))


def _rows(kind: str, sounds: Sequence[Samples], recognise: SpeechToText) -> Iterator[Row]:
    ear = recognise.ear()
    early, fixed = ([ended(sound, listens) for sound in sounds] for listens in (ear, None))
    n, beside = len(sounds), "0.45 s for all"
    cut = Share(sum(not each.whole for each in early), n).row(f"{kind}: cut", "lower", 0.0)
    yield Row(cut.measure, cut.value, "%", "lower", 0.0, {beside: 100.0 * sum(not each.whole for each in fixed) / n}, cut.spread, n)
    begun = Share(sum(len(each.utterances) > 1 and each.whole for each in early), n)
    yield begun.row(f"{kind}: begun too early, and replaced by the whole", "lower")
    silences = [each.after[-1] for each in early if each.whole]
    for q in (0.5, 0.9):
        baseline = float(np.quantile([each.after[-1] for each in fixed if each.whole], q)) * 1e3
        low, high = (float(value) * 1e3 for value in np.quantile(silences, [0.25, 0.75]))
        value = float(np.quantile(silences, q)) * 1e3
        yield Row(f"{kind}: silence until the end is known, p{100 * q:.0f}", value, "ms", "lower", None, {beside: baseline}, (low, high), n)


def ended(sound: Samples, ear: Ear | None) -> Ended:
    """Hear a sound in chunks."""
    endpointer, found, after = Endpointer(ear=ear), [], []
    sound = np.concatenate([sound, np.zeros(round(AFTER * SAMPLE_RATE), np.int16)])
    for at in range(0, len(sound), CHUNK):
        for utterance in endpointer.feed(AudioChunk(sound[at : at + CHUNK], at / SAMPLE_RATE)):
            found.append(utterance)
            after.append((at + CHUNK) / SAMPLE_RATE - utterance.ended)
    return Ended(tuple(found), tuple(after))


def single(home: Domain, most: int) -> list[Samples]:
    """Commands of one clause in held-out voices."""
    texts = [each.text for each in random.Random(_SEED).sample(list(sentences(home, 20, seed=_SEED)), min(most, NUMBER))]
    chance = np.random.default_rng(_SEED)
    return [in_a_room(speak(text, HELD_OUT_VOICES[at % len(HELD_OUT_VOICES)]), chance, 20.0) for at, text in enumerate(texts)]


def with_pauses(home: Domain, most: int) -> list[Samples]:
    """Commands of two clauses in held-out voices that pause before the second: "go to the kitchen … and bring me the cup"."""
    chance, found = np.random.default_rng(_SEED), []
    two = [each.text.split(" and ") for each in commands(home, 20 * NUMBER, seed=_SEED)]
    for at, (first, second) in enumerate([parts for parts in two if len(parts) == 2][: min(most, NUMBER)]):
        voice = HELD_OUT_VOICES[at % len(HELD_OUT_VOICES)]
        parts = [speak(part, voice) for part in (first, f"and {second}")]
        pause = np.zeros(round(PAUSES[at % len(PAUSES)] * SAMPLE_RATE))
        found.append(in_a_room(np.concatenate([trimmed(parts[0]), pause, trimmed(parts[1])]), chance, 20.0))
    return found


def orders(most: int) -> list[Samples]:
    """People's orders as they were recorded.

    Raises:
        SaysoError: the recordings are missing.
    """
    folder = sound_folder("coffee")
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    return [read_sound(folder / label["file"]).samples for label in spread(labels, most)]


def trimmed(speech: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Without the silence before and after."""
    loud = np.flatnonzero(np.abs(speech) > 0.03 * np.abs(speech).max())
    return speech[loud[0] : loud[-1] + 1]
