"""Commands in synthetic voices with their n-best lists, for fitting and evaluating the language model's weight."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.progress import Progress

from sayso.domain import Domain, load_domain
from sayso.domain.sentences import commands, sentences
from sayso.paths import config_dir
from sayso.speech.language_model import language_model
from sayso.speech.recogniser import normalised
from sayso.speech.sphinx import SphinxRecogniser
from sayso.training.data import corpora
from sayso.training.speech.train import PACES
from sayso.training.speech.voices import Voice, in_a_room, speak
from sayso.types import Transcript, TranscriptAlternative

ALTERNATIVES = 5  # as many as speech_to_text publishes
SNRS = (8.0, 12.0, 16.0, 20.0, 25.0)  # dB
SILENCE = 0.3  # s before and after
WAREHOUSE = config_dir() / "warehouse.yaml"


@dataclass(frozen=True, slots=True)
class SpokenCommand:
    """A spoken sentence and its n-best list."""

    said: str
    part: str  # the sentence's source
    heard: tuple[tuple[str, float], ...]  # (text, ln P(text | audio)), best first; empty if nothing was recognised

    @property
    def transcript(self) -> Transcript:
        """The transcript that speech_to_text would publish."""
        return Transcript("", 0.0, tuple(TranscriptAlternative(text, log_p) for text, log_p in self.heard), 1.0)


def development(number: int) -> dict[str, tuple[str, ...]]:
    """Sentences for fitting: commands of the default home, and those of HuRIC within its vocabulary."""
    home = load_domain()
    return {"home": _generated(home, number, 2001), "people": _known(home, (each.text for each in corpora.huric()))[:number]}


def held_out(number: int, hand_written: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Sentences for evaluation only, with hand-written ones if there are any."""
    home = load_domain()
    parts = {
        "home": _generated(home, number, 3001),
        "warehouse": _generated(load_domain(WAREHOUSE), number, 3002),
        "people": _known(home, (each.text for each in corpora.tage("dev")))[:number],
    }
    return parts | ({"hand-written": tuple(hand_written)} if hand_written else {})


def recognised(
    parts: dict[str, tuple[str, ...]], voices: Sequence[Voice], seed: int, file: Path, progress: Progress
) -> list[SpokenCommand]:
    """Synthesise and recognise each sentence; results are kept in the file, so an interrupted run continues.

    Raises:
        AudioError: flite or espeak-ng are not installed.
    """
    found = [_from_json(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    known = {(each.part, each.said): each for each in found}
    task = progress.add_task(f"speaking and recognising: {file.stem}", total=sum(map(len, parts.values())), completed=len(known), said="")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        for part, said in parts.items():
            if all((part, text) in known for text in said):
                continue
            recognise = SphinxRecogniser(load_domain(WAREHOUSE) if part == "warehouse" else load_domain())
            for text in said:
                if (part, text) in known:
                    continue
                draws = random.Random(f"{seed} {part} {text}")
                sound = speak(text, draws.choice(voices), draws.choice(PACES))
                chance = np.random.default_rng(draws.getrandbits(32))
                decoding = recognise.decode(in_a_room(sound, chance, draws.choice(SNRS), silence=SILENCE))
                alternatives = normalised(decoding.texts, ALTERNATIVES)
                known[part, text] = SpokenCommand(text, part, tuple((each.text, each.log_p) for each in alternatives))
                out.write(json.dumps(asdict(known[part, text])) + "\n")
                out.flush()
                progress.advance(task)
    return [known[part, text] for part, said in parts.items() for text in said]


def _from_json(line: str) -> SpokenCommand:
    record = json.loads(line)
    return SpokenCommand(record["said"], record["part"], tuple((text, log_p) for text, log_p in record["heard"]))


def _generated(domain: Domain, number: int, seed: int) -> tuple[str, ...]:
    """Commands: half of one clause, with intents drawn by their priors; half of several clauses."""
    chance = random.Random(seed)
    by_intent: dict[str, list[str]] = {}
    for each in sentences(domain, 20, seed):
        by_intent.setdefault(each.intent, []).append(each.text)
    weights = [domain.intents[intent].prior for intent in by_intent]
    single = [chance.choice(by_intent[intent]) for intent in chance.choices(list(by_intent), weights, k=number - number // 2)]
    return tuple(dict.fromkeys([*single, *(each.text for each in commands(domain, number // 2, seed))]))


def _known(domain: Domain, texts: Iterable[str]) -> tuple[str, ...]:
    """The texts whose words are all in the vocabulary of that domain's recogniser."""
    lines = language_model(domain).dictionary.read_text(encoding="utf-8").splitlines()
    words = {line.split(maxsplit=1)[0].split("(")[0] for line in lines if line}
    plain = ("".join(letter for letter in text.lower() if letter.isalpha() or letter in "' ") for text in texts)
    return tuple(dict.fromkeys(" ".join(text.split()) for text in plain if text.split() and set(text.split()) <= words))
