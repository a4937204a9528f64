"""The third opinion on "stop" when spotter and verifier are in doubt: a general recogniser, not trained for the task.

Spotter and verifier know the sound of stop; a recogniser (`moonshine`) also knows the alternatives. It compares the most probable text
that ends with "stop", "halt" or "hold" with the most probable text overall: "house lights blue" is clearly something else.
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
from sayso.speech.stopping.verifier import SEEN, add_log_odds, prepared

SETTINGS = "stop_recogniser.yaml"
HEADING = "# When the recogniser decides on a doubtful stop, and with which weight. Written by `sayso train stop`; stop.md explains it.\n"
# Moonshine's tokens " stop", " Stop", "stop", "Stop" and " halt"; " hold", " Hold", "hold", "Hold", since it writes "Hold." for "halt".
WORDS = (5040, 22303, 9847, 16329, 25212, 4808, 21771, 8948, 29144)
POINT = 29889  # its token "."
_PLACES = 3  # best positions in the most probable text at which to try the words


@dataclass(frozen=True, slots=True)
class RecogniserSettings:
    """Parameters fitted on the tuning set."""

    asked: tuple[float, float]  # range of P(stop) of the other two in which to run it; outside, it would hardly change the decision
    weight: float  # of its log ratio
    least: float  # lower limit of the log ratio; the upper limit is 0, because texts recognised in noise are meaningless
    none: float  # neutral log ratio, neither for nor against a stop
    threshold: float  # of all three together, in (0, 1)
    delay: float  # s from the end of the word to the decision, median


def write_settings(settings: RecogniserSettings, path: Path) -> None:
    """Write the file that `StopRecogniser` reads."""
    fields = {**asdict(settings), "asked": list(settings.asked)}
    path.write_text(HEADING + yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")


class StopRecogniser:
    """P(stop) of spotter and verifier, and the judged sound → P(stop) of all three."""

    def __init__(self, path: Path | None = None) -> None:
        """Load the shipped settings, or another file written by `sayso train stop`.

        Raises:
            ModelError: the file is missing, altered or malformed, or the package moonshine-voice is not installed.
        """
        path = path or model_path(SETTINGS)
        try:
            fields = yaml.safe_load(path.read_text(encoding="utf-8"))
            low, high = fields.pop("asked")
            self.settings = RecogniserSettings((float(low), float(high)), **{name: float(value) for name, value in fields.items()})
        except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError) as unreadable:
            raise ModelError(f"{path} holds no settings of the stop recogniser: make them with 'sayso train stop'") from unreadable
        self._moonshine = Moonshine()
        self.log_ratio(np.zeros(SEEN, np.int16))  # warm-up: the first run is slower, and the first stop must not wait for it

    def in_doubt(self, p_stop: float) -> bool:
        """Whether spotter and verifier are unsure enough to run the recogniser."""
        low, high = self.settings.asked
        return low <= p_stop <= high

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of all three: adds the weighted log ratio to the log odds of the other two.

        Args:
            p_stop: in [0, 1], of spotter and verifier.
            samples: (N,) at most `SEEN`, up to the judged moment.
        """
        settings = self.settings
        return add_log_odds(p_stop, settings.weight * (min(max(self.log_ratio(samples), settings.least), 0.0) - settings.none))

    def log_ratio(self, samples: NDArray[np.int16]) -> float:
        """Ln P of the most probable text that ends with a stop word, minus ln P of the most probable text.

        The former keeps a prefix of the latter, chosen to maximise its probability; only a full stop may follow the stop word.
        """
        vectors = self._moonshine.vectors(prepared(samples.astype(np.float32)))
        tokens, rows = self._moonshine.best(vectors)
        chosen = rows[np.arange(len(tokens)), tokens]
        before = np.cumsum(chosen) - chosen
        words = np.array(WORDS)[rows[:, WORDS].argmax(axis=1)]
        with_word = before + rows[np.arange(len(tokens)), words]
        best = -np.inf
        for place in np.argsort(-with_word)[:_PLACES]:
            if with_word[place] > best:
                best = max(best, with_word[place] + self._log_p_end(vectors, [*tokens[:place], int(words[place])]))
        return float(best - chosen.sum())

    def _log_p_end(self, vectors: NDArray[np.float32], tokens: list[int]) -> float:
        """Ln P that the text ends after these tokens, or after a full stop."""
        bare, pointed = self._moonshine.after(vectors, [*tokens, POINT])[-2:]
        return float(np.logaddexp(bare[END], bare[POINT] + pointed[END]))
