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
from sayso.speech.stopping.verifier import SEEN, log_odds_of, prepared
from sayso.types import SAMPLE_RATE

SETTINGS = "stop_recogniser.yaml"
HEADING = "# When the recogniser decides on a doubtful stop, and with which weight. Written by `sayso train stop`; stop.md explains it.\n"
# Moonshine's tokens " stop", " Stop", "stop", "Stop" and " halt"; " hold", " Hold", "hold", "Hold", since it writes "Hold." for "halt".
WORDS = (5040, 22303, 9847, 16329, 25212, 4808, 21771, 8948, 29144)
POINT = 29889  # its token "."
_FRAME = SAMPLE_RATE // 50
_NOISY, _CLEAR = 15.0, 35.0  # dB between loud and quiet frames: noise 10 dB below the voice, and none
_PLACES = 3  # best positions in the most probable text at which to try the words


@dataclass(frozen=True, slots=True)
class RecogniserSettings:
    """Parameters fitted on the tuning set."""

    asked: tuple[float, float]  # range of P(stop) of the other two in which to run it; outside, it would hardly change the decision
    seconds: float  # of the sound that it hears, up to the judged moment
    least: float  # lower limit of the log ratio; the upper limit is 0, because texts recognised in noise are meaningless
    weights: tuple[float, float, float]  # of spotter, verifier and recogniser
    bias: float  # added to their sum
    clear: float  # subtracted where there is no noise: where speech is heard better, more is asked for
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
        self.evidence(np.zeros(SEEN, np.int16))  # warm-up: the first run is slower, and the first stop must not wait for it

    def in_doubt(self, p_stop: float) -> bool:
        """Whether spotter and verifier are unsure enough to run the recogniser."""
        low, high = self.settings.asked
        return low <= p_stop <= high

    def __call__(self, p_stop: float, verified: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of all three, the logistic function of their weighted evidence.

        Args:
            p_stop: in [0, 1], of the spotter.
            verified: log odds that the verifier adds, the mean of the latest moments.
            samples: (N,) at most `SEEN`, up to the judged moment.
        """
        settings, evidence = self.settings, (log_odds_of(p_stop), verified, self.evidence(samples))
        log_odds = settings.bias + float(np.dot(settings.weights, evidence)) - settings.clear * clearness(samples)
        return float(1.0 / (1.0 + np.exp(-log_odds)))

    def evidence(self, samples: NDArray[np.int16]) -> float:
        """The log ratio within its limits, times the mean probability of a token of the most probable text.

        The recogniser hears the last part only: to noise before the word it finds a text into which any word fits. What it
        recognises with little certainty says little.
        """
        ratio, certainty = self.log_ratio(samples[-round(self.settings.seconds * SAMPLE_RATE) :], self.settings.seconds)
        return certainty * min(max(ratio, self.settings.least), 0.0)

    def log_ratio(self, samples: NDArray[np.int16], seconds: float = SEEN / SAMPLE_RATE) -> tuple[float, float]:
        """Ln P of the most probable text that ends with a stop word, minus ln P of the most probable text.

        The former keeps a prefix of the latter, chosen to maximise its probability; only a full stop may follow the stop word.

        Args:
            samples: (N,) at most that many seconds.
            seconds: silence is added before the sound up to this duration.

        Returns:
            The log ratio, and the geometric mean of the probabilities of the most probable text's tokens.
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
        return float(best - chosen.sum()), float(np.exp(chosen.mean()))

    def _log_p_end(self, vectors: NDArray[np.float32], tokens: list[int]) -> float:
        """Ln P that the text ends after these tokens, or after a full stop."""
        bare, pointed = self._moonshine.after(vectors, [*tokens, POINT])[-2:]
        return float(np.logaddexp(bare[END], bare[POINT] + pointed[END]))


def clearness(samples: NDArray[np.int16]) -> float:
    """From 0, as loud between the words as in them, to 1, quiet between them; by the levels of the sound's 20 ms frames."""
    frames = samples[: len(samples) // _FRAME * _FRAME].reshape(-1, _FRAME).astype(np.float64)
    if not len(frames):
        return 0.0
    quiet, loud = np.quantile(10.0 * np.log10(np.mean(frames**2, axis=1) + 1.0), (0.1, 0.95))
    return float(np.clip((loud - quiet - _NOISY) / (_CLEAR - _NOISY), 0.0, 1.0))


def _settings(fields: dict[str, Any]) -> RecogniserSettings:
    low, high = map(float, fields.pop("asked"))
    of_spotter, of_verifier, of_recogniser = map(float, fields.pop("weights"))
    numbers = {name: float(value) for name, value in fields.items()}
    settings = RecogniserSettings(asked=(low, high), weights=(of_spotter, of_verifier, of_recogniser), **numbers)
    if not 0.0 < settings.seconds <= SEEN / SAMPLE_RATE:
        raise ValueError(f"seconds: {settings.seconds:g}")
    return settings
