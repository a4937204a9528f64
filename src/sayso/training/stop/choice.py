"""The numbers of the stop models: thresholds, delays and the recogniser's weights, chosen on the tuning part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sayso.speech.stopping.recogniser import SETTINGS, RecogniserSettings, StopRecogniser, write_settings
from sayso.speech.stopping.spotter import MODEL, StopSpotter
from sayso.speech.stopping.verifier import MODEL as VERIFIER
from sayso.speech.stopping.verifier import StopVerifier, log_odds_of
from sayso.training.stop.card import Measured
from sayso.training.stop.config import Part, StopConfig
from sayso.training.stop.evaluation import CONDITIONS, PLAIN, Scores, found
from sayso.training.stop.measure import highest_threshold, lowest_threshold
from sayso.training.stop.network import StopNetwork, export
from sayso.training.stop.recogniser_fit import doubts, fitted_weights
from sayso.training.stop.verifier_network import StopVerifierNetwork
from sayso.training.stop.verifier_network import export as export_verifier

Fitted = dict[str, float]  # threshold and delay
UNKNOWN: Fitted = {"threshold": 0.5, "delay": 0.0}
Measure = Callable[[StopSpotter, Part, str], Scores]  # the scores of a spotter, with its name for the report


class Choice:
    """Writes the models into a folder, and measures each way to decide: the spotter alone, with the verifier, and all three."""

    def __init__(self, config: StopConfig, folder: Path, measured: Measure) -> None:
        """`folder` receives the files."""
        self._config, self._measured = config, measured
        self.spotter, self.verifier, self.recogniser = folder / MODEL, folder / VERIFIER, folder / SETTINGS

    def alone(self, networks: Sequence[StopNetwork]) -> Measured:
        """The spotter, with the lowest threshold that keeps to the limit of false stops."""
        return self._way(
            "spotter alone", lambda: StopSpotter(path=self.spotter), lambda fitted: export(networks, fitted, self.spotter), self._quiet
        )

    def two(self, verifier: StopVerifierNetwork) -> Measured:
        """The same for spotter and verifier."""
        numbers = self._config.verifier.model_dump(include={"asked_from", "weight", "speeds"})
        return self._way(
            "without the recogniser",
            lambda: StopSpotter(path=self.spotter, verifier=StopVerifier(self.verifier)),
            lambda fitted: export_verifier(verifier, {**numbers, **fitted}, self.verifier),
            self._quiet,
        )

    def all_three(self, alone: Measured, two: Measured) -> Measured:
        """All three, with weights fitted on the doubtful moments, and the highest thresholds that find enough stops in quiet and in noise.

        Raises:
            SaysoError: there are too few doubtful moments.
        """
        self._keep((1.0, 1.0, 1.0), 0.0, 0.0, UNKNOWN)
        recogniser = StopRecogniser(self.recogniser)
        weights, bias = fitted_weights(doubts(alone.tuning, two.tuning, recogniser, self._config.verifier.asked_from))
        self._keep(weights, bias, 0.0, UNKNOWN)
        quiet, noisy = self._thresholds(self._measured(self._all(), "tuning", "all three, before the difference for noise"))
        clear = round(max(log_odds_of(quiet) - log_odds_of(noisy), 0.0), 3)
        return self._way(
            "all three", self._all, lambda fitted: self._keep(weights, bias, clear, fitted), lambda tuning: min(self._thresholds(tuning))
        )

    def _all(self) -> StopSpotter:
        return StopSpotter(path=self.spotter, verifier=StopVerifier(self.verifier), recogniser=StopRecogniser(self.recogniser))

    def _thresholds(self, tuning: Scores) -> list[float]:
        """In quiet and in noise."""
        return [highest_threshold(tuning.all_stops(condition), self._config.recogniser.found[condition]) for condition in CONDITIONS]

    def _quiet(self, tuning: Scores) -> float:
        return lowest_threshold(tuning.all_others("quiet", PLAIN), self._config.false_stops_per_hour)

    def _keep(self, weights: tuple[float, float, float], bias: float, clear: float, fitted: Fitted) -> None:
        config = self._config.recogniser
        write_settings(RecogniserSettings(config.asked, config.seconds, config.least, weights, bias, clear, **fitted), self.recogniser)

    def _way(
        self, name: str, spotter: Callable[[], StopSpotter], keep: Callable[[Fitted], None], threshold_of: Callable[[Scores], float]
    ) -> Measured:
        """Measure the tuning part, choose the threshold on it, keep the numbers, and measure the held-out part."""
        keep(UNKNOWN)
        tuning = self._measured(spotter(), "tuning", name)
        threshold = threshold_of(tuning)
        keep({"threshold": threshold, "delay": round(found(tuning.all_stops("quiet"), threshold).delay(0.5), 3)})
        return Measured(name, threshold, tuning, self._measured(spotter(), "held_out", name))
