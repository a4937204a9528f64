"""Fits how a recogniser's texts are weighed by what they mean (src/sayso/intent/hearings.yaml), and prints the weights.

    python scripts/fit_hearings.py                 # about ten minutes; needs flite and espeak-ng
    python scripts/fit_hearings.py --write         # also writes the weights

Spoken by the tuning voices of `sayso train speech`: commands of the home, and commands that name a thing that the home doesn't have. The
latter keep the weights from becoming a cage; each counts for a quarter, so that they are some 2 % of what is fitted on. Only accepted
sounds count, with the right text in the list. The weights maximise the probability of the texts that mean what was said (a conditional
logit); they are not negative, and a ridge keeps them finite. Also printed: how often PocketSphinx was right where the best text was wrong
(SECOND of src/sayso/speech/fused.py).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import minimize

from sayso.domain import Domain, load_domain
from sayso.domain.sentences import sentences
from sayso.intent import IntentClassifier
from sayso.intent.hearings import FEATURES, TextReading, hearings, misgivings
from sayso.paths import project_root
from sayso.speech.fused import FusedRecogniser
from sayso.speech.language_model import corpus
from sayso.training.speech.train import trials
from sayso.training.speech.voices import TUNING_VOICES, in_a_room, speak
from sayso.types import FloatArray, Transcript

WEIGHTS = project_root() / "src" / "sayso" / "intent" / "hearings.yaml"
COMMANDS, PARTS = 264, (0, 2)  # of each seed of `trials`
STRANGE, SHARE = 80, 0.25  # commands with unknown things, and what each counts
RIDGE = 0.02
UNKNOWN = (
    *("spoon", "fork", "hat", "lamp", "mirror", "drill", "kite", "drum", "violin", "bracelet", "wallet", "comb", "shovel", "bell"),
    *("saucer", "napkin", "tray", "jacket", "necklace", "camera", "battery", "rope", "thermometer", "lantern", "whistle", "binder"),
    *("notebook", "mattress", "teapot", "funnel"),
)
HEADING = "# P(t | audio, home) ∝ P(t | audio) exp(−Σ weight · feature): see hearings.py. Written by scripts/fit_hearings.py from\n"


@dataclass(frozen=True, slots=True)
class WeighedTexts:
    """The texts heard for one command."""

    log_p: FloatArray  # (N,) of each text
    against: FloatArray  # (N, len(FEATURES)) what speaks against it
    right: NDArray[np.bool_]  # (N,) whether it means what was said
    counts: float  # 1, or SHARE


def spoken(domain: Domain) -> Iterator[tuple[str, NDArray[np.int16], float]]:
    """(text, sound, what it counts)."""
    for part in PARTS:
        commands = (each for each in trials(domain, TUNING_VOICES, COMMANDS, None, part) if each.source in ("command", "commands"))
        yield from ((each.text, each.samples, 1.0) for each in commands)
    chance, noise = random.Random(77), np.random.default_rng(77)
    known = {word for line in corpus(domain) for word in line.split()}
    nouns = [noun for noun in UNKNOWN if noun not in known]
    fitting = [each for each in sentences(domain, 20, seed=77) if [slot.name for slot in each.slots].count("object") == 1]
    for index, sentence in enumerate(chance.sample(fitting, STRANGE)):
        slot = next(slot for slot in sentence.slots if slot.name == "object")
        text = f"{sentence.text[: slot.start]}the {nouns[index % len(nouns)]}{sentence.text[slot.end :]}"
        yield text, in_a_room(speak(text, TUNING_VOICES[index % len(TUNING_VOICES)]), noise, 20.0), SHARE


def heard(domain: Domain) -> tuple[list[WeighedTexts], dict[str, int]]:
    """What was heard, and how often which recogniser was right where they meant different things."""
    recogniser, classify = FusedRecogniser(domain), IntentClassifier(domain)
    found, differ = [], {"first": 0, "second": 0, "neither": 0}
    for text, samples, counts in track([*spoken(domain)], "hearing"):
        evidence = recogniser.evidence(samples)
        result = recogniser.recognition(evidence)
        if result.rejected:
            continue
        transcript = Transcript("", 0.0, result.alternatives, result.confidence)
        weighed = classify.rescored(transcript).alternatives
        read = [classify.read(each.text) for each in weighed]
        meant = classify.read(text)
        right = np.array([means_the_same(each, meant) for each in read])
        if right.any():
            against = np.array([misgivings(domain, each) for each in read])
            found.append(WeighedTexts(np.array([each.log_p for each in weighed]), against, right, counts))
        second, best = classify.read(evidence.second), classify.read(transcript.text)
        if counts == 1.0 and not means_the_same(second, best):
            differ["first" if means_the_same(best, meant) else "second" if means_the_same(second, meant) else "neither"] += 1
    return found, differ


def means_the_same(one: TextReading, other: TextReading) -> bool:
    """Whether two texts are one hearing."""
    return one.text == other.text or (bool(one.clauses) and len(hearings([one, other], np.zeros(2))) == 1)


def loss(weights: FloatArray, found: Sequence[WeighedTexts]) -> float:
    """−ln P(the right texts), with a ridge."""
    total = RIDGE * float(weights @ weights)
    for each in found:
        log_p = each.log_p - each.against @ weights
        total -= each.counts * float(np.logaddexp.reduce(log_p[each.right]) - np.logaddexp.reduce(log_p))
    return total


def main() -> None:
    """Fit, print, and write if asked."""
    found, differ = heard(load_domain())
    fitted = minimize(loss, np.full(len(FEATURES), 0.5), args=(found,), bounds=[(0.0, 6.0)] * len(FEATURES)).x
    weights = {name: round(float(weight), 2) for name, weight in zip(FEATURES, fitted, strict=True)}
    n, before, after = len(found), loss(np.zeros(len(FEATURES)), found), loss(fitted, found)
    print(yaml.safe_dump(weights, sort_keys=False), f"{n} commands: −ln P {before:.1f} → {after:.1f}")
    print("where the two recognisers mean different things, right is", differ)
    if "--write" in sys.argv:
        about = f"# {n} spoken commands in the tuning voices; sum of −ln P {before:.1f} without, {after:.1f} with the weights.\n"
        WEIGHTS.write_text(HEADING + about + yaml.safe_dump({"weights": weights}, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
