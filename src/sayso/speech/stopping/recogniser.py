"""The third opinion on "stop" when spotter and verifier are in doubt: a general recogniser, not trained for the task.

Spotter and verifier know the sound of stop; a recogniser (`moonshine`) also knows the alternatives. It compares the most probable text
that ends with "stop", "halt" or "hold" with the most probable text overall: "house lights blue" is clearly something else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech.moonshine import END, Moonshine
from sayso.speech.stopping.verifier import SEEN, add_log_odds, prepared
from sayso.types import SAMPLE_RATE

SETTINGS = "stop_recogniser.yaml"
HEADING = "# When the recogniser decides on a doubtful stop, and with which weight. Written by `sayso train stop`; stop.md explains it.\n"
# Moonshine's tokens " stop", " Stop", "stop", "Stop" and " halt"; " hold", " Hold", "hold", "Hold", since it writes "Hold." for "halt".
WORDS = (5040, 22303, 9847, 16329, 25212, 4808, 21771, 8948, 29144)
POINT = 29889  # its token "."
_PLACES = 3  # best positions in the most probable text at which to try the words


@dataclass(frozen=True, slots=True)
class RecogniserSettings:
    """Parameters fitted on the tuning set."""

    asked: tuple[float, float]  # range of P(stop) in which to run it; outside, it would hardly change the decision
    seconds: tuple[float, ...]  # of the sound, up to the judged moment; for each length there is a log ratio
    weights: tuple[float, ...]  # of these log ratios
    least: float  # lower limit of a log ratio; the upper limit is 0, because texts recognised in noise are meaningless
    bias: float  # added to the log odds
    threshold: float  # of all three together, in (0, 1)
    delay: float  # s from the end of the word to the decision, median


def write_settings(settings: RecogniserSettings, path: Path) -> None:
    """Write the file that `StopRecogniser` reads."""
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}
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
            self.settings = _settings(yaml.safe_load(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError) as unreadable:
            raise ModelError(f"{path} holds no settings of the stop recogniser: make them with 'sayso train stop'") from unreadable
        self._moonshine = Moonshine()
        self.log_ratios(np.zeros(SEEN, np.int16))  # warm-up: the first run is slower, and the first stop must not wait for it

    def in_doubt(self, p_stop: float) -> bool:
        """Whether spotter and verifier are unsure enough to run the recogniser."""
        low, high = self.settings.asked
        return low <= p_stop <= high

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of all three: adds the weighted log ratios to the log odds of the other two.

        Args:
            p_stop: in [0, 1], of spotter and verifier.
            samples: (N,) at most `SEEN`, up to the judged moment.
        """
        settings = self.settings
        return add_log_odds(p_stop, settings.bias + float(np.dot(settings.weights, self.log_ratios(samples))))

    def log_ratios(self, samples: NDArray[np.int16]) -> NDArray[np.float64]:
        """(n,) the log ratio for the last part of the sound, for each of the n lengths, within the limits.

        In a noisy room a short part is the better one: from noise before the word, the recogniser invents a text to which the word
        does not belong. A longer part has the words before it ("don't").
        """
        ratios = [self.log_ratio(samples[-round(seconds * SAMPLE_RATE) :], seconds) for seconds in self.settings.seconds]
        return np.clip(ratios, self.settings.least, 0.0)

    def log_ratio(self, samples: NDArray[np.int16], seconds: float = SEEN / SAMPLE_RATE) -> float:
        """Ln P of the most probable text that ends with a stop word, minus ln P of the most probable text.

        The former keeps a prefix of the latter, chosen to maximise its probability; only a full stop may follow the stop word.

        Args:
            samples: (N,) at most that many seconds.
            seconds: silence is added before the sound up to this duration.
        """
        vectors = self._moonshine.vectors(prepared(samples.astype(np.float32), round(seconds * SAMPLE_RATE)))
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


def _settings(fields: dict[str, Any]) -> RecogniserSettings:
    low, high = fields.pop("asked")
    seconds, weights = (tuple(map(float, fields.pop(name))) for name in ("seconds", "weights"))
    if len(seconds) != len(weights) or not all(0.0 < each <= SEEN / SAMPLE_RATE for each in seconds):
        raise ValueError(f"weights {weights} for the durations {seconds}")
    return RecogniserSettings((float(low), float(high)), seconds, weights, **{name: float(value) for name, value in fields.items()})
