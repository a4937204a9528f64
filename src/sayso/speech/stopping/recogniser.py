"""The third opinion on "stop", for what spotter and verifier are in doubt about: a recogniser that was taught no such thing.

They learnt what stop sounds like; a recogniser (`moonshine`) knows what else can be said. It weighs the likeliest text that ends with
"stop", "halt" or "hold" against the likeliest text of all: "house lights blue" is no stop because it is something else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech.moonshine import END, Moonshine
from sayso.speech.stopping.verifier import SEEN, added, prepared

NUMBERS = "stop_recogniser.yaml"
HEADING = "# When the third opinion on a stop is asked for, and what it weighs. Written by `sayso train stop`; stop.md explains it.\n"
# Moonshine's tokens " stop", " Stop", "stop", "Stop" and " halt"; " hold", " Hold", "hold", "Hold": it writes "Hold." for "halt"
WORDS = (5040, 22303, 9847, 16329, 25212, 4808, 21771, 8948, 29144)
POINT = 29889  # and "."
_PLACES = 3  # in the likeliest text, the likeliest ones, at which the words are tried


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was chosen on the tuning part."""

    asked: tuple[float, float]  # P(stop) of the two between which it is asked: outside, its word would hardly change what is decided
    weight: float  # of its log ratio
    least: float  # the log ratio counts as no less; and as no more than 0: of noise it makes texts that mean nothing
    none: float  # a log ratio that speaks neither for a stop nor against it
    threshold: float  # of all three, in (0, 1)
    delay: float  # s from the end of the word to the decision, the median


def write_numbers(numbers: Numbers, path: Path) -> None:
    """Keep them in that file, as `StopRecogniser` reads it."""
    plain = {**asdict(numbers), "asked": list(numbers.asked)}
    path.write_text(HEADING + yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")


class StopRecogniser:
    """P(stop) of spotter and verifier and the sound that it was said of → P(stop) of all three."""

    def __init__(self, path: Path | None = None) -> None:
        """The numbers of models/, or of another file that `sayso train stop` wrote.

        Raises:
            ModelError: the file is missing, altered or says no such thing, or the package moonshine-voice is not installed.
        """
        path = path or model_path(NUMBERS)
        try:
            told = yaml.safe_load(path.read_text(encoding="utf-8"))
            first, last = told.pop("asked")
            self.numbers = Numbers((float(first), float(last)), **{name: float(value) for name, value in told.items()})
        except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError) as unreadable:
            raise ModelError(f"{path} does not say when a stop is one: make it with 'sayso train stop'") from unreadable
        self._moonshine = Moonshine()
        self.log_ratio(np.zeros(SEEN, np.int16))  # the first run takes longer: the first stop does not wait for it

    def in_doubt(self, p_stop: float) -> bool:
        """The two are so little sure that it is worth asking."""
        first, last = self.numbers.asked
        return first <= p_stop <= last

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of all three: to the log odds of the two its weighted log ratio is added.

        Args:
            p_stop: in [0, 1], of the two.
            samples: (N,) up to `SEEN` of them, until the moment that is judged.
        """
        told = self.numbers
        return added(p_stop, told.weight * (min(max(self.log_ratio(samples), told.least), 0.0) - told.none))

    def log_ratio(self, samples: NDArray[np.int16]) -> float:
        """How much likelier is the likeliest text that ends with a word of stopping than the likeliest text, as a difference of ln P.

        Of the likeliest text as many tokens are kept as give the best beginning for the word; after it nothing may come but a point.
        """
        vectors = self._moonshine.vectors(prepared(samples.astype(np.float32)))
        tokens, rows = self._moonshine.best(vectors)
        chosen = rows[np.arange(len(tokens)), tokens]
        before = np.cumsum(chosen) - chosen
        words = np.array(WORDS)[rows[:, WORDS].argmax(axis=1)]
        begun = before + rows[np.arange(len(tokens)), words]
        best = -np.inf
        for place in np.argsort(-begun)[:_PLACES]:
            if begun[place] > best:
                best = max(best, begun[place] + self._ended(vectors, [*tokens[:place], int(words[place])]))
        return float(best - chosen.sum())

    def _ended(self, vectors: NDArray[np.float32], tokens: list[int]) -> float:
        """The logarithm of the probability that after these tokens nothing comes, or a point and then nothing."""
        bare, pointed = self._moonshine.after(vectors, [*tokens, POINT])[-2:]
        return float(np.logaddexp(bare[END], bare[POINT] + pointed[END]))
