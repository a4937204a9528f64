"""The numbers of the stop models: thresholds, delays and the recogniser's weights, chosen on the tuning part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sayso.speech.stopping.recogniser import SETTINGS, RecogniserSettings, StopRecogniser, write_settings
from sayso.speech.stopping.spotter import MODEL, StopSpotter
from sayso.speech.stopping.verifier import MODEL as VERIFIER
from sayso.speech.stopping.verifier import StopVerifier
from sayso.training.stop.card import Measured
from sayso.training.stop.config import Part, StopConfig
from sayso.training.stop.evaluation import PLAIN, Scores, found
from sayso.training.stop.measure import lowest_threshold
from sayso.training.stop.network import StopNetwork, export
from sayso.training.stop.recogniser_fit import doubts, fitted_weights
from sayso.training.stop.verifier_network import StopVerifierNetwork
from sayso.training.stop.verifier_network import export as export_verifier

Fitted = dict[str, float]  # threshold and delay
UNKNOWN: Fitted = {"threshold": 0.5, "delay": 0.0}
Measure = Callable[[StopSpotter, Part, str], Scores]  # the scores of a spotter, with its name for the report
NOISE = "10 dB"


class Choice:
    """Writes the models into a folder, and measures each way to decide: the spotter alone, with the verifier, and all three."""

    def __init__(self, config: StopConfig, folder: Path, measured: Measure) -> None:
        """`folder` receives the files."""
        self._config, self._measured = config, measured
        self.spotter, self.verifier, self.recogniser = folder / MODEL, folder / VERIFIER, folder / SETTINGS

    def alone(self, networks: Sequence[StopNetwork]) -> Measured:
        """The spotter, with the lowest threshold that keeps to the limit of false stops in quiet."""
        return self._way(
            "spotter alone", lambda: StopSpotter(path=self.spotter), lambda fitted: export(networks, fitted, self.spotter), self._quiet()
        )

    def two(self, verifier: StopVerifierNetwork) -> Measured:
        """The same for spotter and verifier."""
        numbers = self._config.verifier.model_dump(include={"asked_from", "weight", "speeds"})
        return self._way(
            "without the recogniser",
            lambda: StopSpotter(path=self.spotter, verifier=StopVerifier(self.verifier)),
            lambda fitted: export_verifier(verifier, {**numbers, **fitted}, self.verifier),
            self._quiet(),
        )

    def all_three(self, two: Measured) -> Measured:
        """The same for all three, with weights fitted on the doubtful moments of the two, and a limit of false stops in noise too.

        Raises:
            SaysoError: there are too few doubtful moments.
        """
        settings = self._config.recogniser
        equal = (1.0,) * len(settings.seconds), 0.0
        self._keep(*equal, UNKNOWN)
        asked_from = self._config.verifier.asked_from
        weights, bias = fitted_weights(doubts(two.tuning, StopRecogniser(self.recogniser), asked_from))
        return self._way(
            "all three",
            lambda: StopSpotter(path=self.spotter, verifier=StopVerifier(self.verifier), recogniser=StopRecogniser(self.recogniser)),
            lambda fitted: self._keep(weights, bias, fitted),
            {**self._quiet(), NOISE: settings.false_stops_per_hour},
        )

    def _quiet(self) -> dict[str, float]:
        return {"quiet": self._config.false_stops_per_hour}

    def _keep(self, weights: tuple[float, ...], bias: float, fitted: Fitted) -> None:
        settings = self._config.recogniser
        write_settings(RecogniserSettings(settings.asked, settings.seconds, weights, settings.least, bias, **fitted), self.recogniser)

    def _way(self, name: str, spotter: Callable[[], StopSpotter], keep: Callable[[Fitted], None], limits: Mapping[str, float]) -> Measured:
        """Measure both parts; `limits` are false stops an hour by condition."""
        keep(UNKNOWN)
        tuning = self._measured(spotter(), "tuning", name)
        threshold = max(lowest_threshold(tuning.all_others(condition, PLAIN), limit) for condition, limit in limits.items())
        keep({"threshold": threshold, "delay": round(found(tuning.all_stops("quiet"), threshold).delay(0.5), 3)})
        return Measured(name, threshold, tuning, self._measured(spotter(), "held_out", name))
