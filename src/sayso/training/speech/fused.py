"""`sayso train speech`: fit the recognisers' confidence on synthetic speech, and measure it on other voices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.progress import track

from sayso.domain import Domain, load_domain
from sayso.paths import config_dir
from sayso.speech.confidence import FEATURES, ConfidenceModel
from sayso.speech.fused import FUSED_FEATURES, FusedEvidence, FusedRecogniser, log_odds
from sayso.speech.recogniser import normalised
from sayso.training.speech.train import JudgedTrial, SpeechTrial, as_data, fit, measure, trials
from sayso.training.speech.voices import HELD_OUT_VOICES, TUNING_VOICES
from sayso.types import FloatArray

LISTED = 5  # texts of a transcript
TEMPERATURES = np.geomspace(0.5, 8.0, 41)

HEADER = """# The recognisers' confidence: of pocketsphinx alone, and of it together with Moonshine (fused). By `sayso train speech`;
# `held_out` is measured on voices not used for the fit.
"""


@dataclass(frozen=True, slots=True)
class FusedTrial(JudgedTrial):
    """A trial with what both recognisers heard."""

    both: FusedEvidence

    @property
    def alone(self) -> JudgedTrial:
        """What pocketsphinx heard."""
        return JudgedTrial(self.trial, self.both.second, self.both.second_path)

    def beside(self, second: ConfidenceModel) -> FusedTrial:
        """The same with this calibration of pocketsphinx."""
        return judged(self.trial, replace(self.both, second_log_odds=log_odds(second, self.both.second_path)))

    @property
    def label(self) -> bool | None:
        """Whether every word is right: one wrong word may be the one that matters."""
        return self.errors == 0


def train_speech(domain_path: Path | None, number: int, recordings: Path | None, output: Path | None) -> None:
    """Fit config/speech.yaml on `number` commands and as many other sounds; the file also has the held-out measures.

    The recordings are for measuring only. First pocketsphinx is fitted, then both recognisers together.

    Raises:
        AudioError: flite or espeak-ng are not installed.
        ModelError: the package moonshine-voice is not installed.
    """
    domain = load_domain(domain_path)
    recogniser = trainable(domain)
    tuning = judge(recogniser, list(trials(domain, TUNING_VOICES, number, None, part=0)), "fitting")
    held_out = judge(recogniser, list(trials(domain, HELD_OUT_VOICES, number // 2, recordings, part=1)), "measuring")
    calibration = fit([trial.alone for trial in tuning])
    found = {"confidence": as_data(calibration), "held_out": measure([trial.alone for trial in held_out], calibration)}
    found |= fused_section([trial.beside(calibration) for trial in tuning], [trial.beside(calibration) for trial in held_out])
    path = output or config_dir() / "speech.yaml"
    path.write_text(HEADER + yaml.safe_dump(found, sort_keys=False), encoding="utf-8")


def trainable(domain: Domain) -> FusedRecogniser:
    """The recogniser before its confidence is fitted."""
    unfitted = [ConfidenceModel((0.0,) * len(names), 0.0, 0.0, (0.0,) * len(names)) for names in (FUSED_FEATURES, FEATURES)]
    return FusedRecogniser(domain, calibration=unfitted[0], second=unfitted[1])


def judge(recogniser: FusedRecogniser, heard: Sequence[SpeechTrial], doing: str) -> list[FusedTrial]:
    """Recognise each trial, with a progress bar."""
    return [judged(trial, recogniser.evidence(trial.samples)) for trial in track(heard, doing)]


def judged(trial: SpeechTrial, evidence: FusedEvidence) -> FusedTrial:
    """The trial with its result."""
    texts = evidence.fused.texts
    return FusedTrial(trial, texts[0].text if texts else "", evidence, evidence)


def fit_fused(tuning: Sequence[FusedTrial]) -> ConfidenceModel:
    """The confidence as for pocketsphinx; the temperature at which the best text's probability predicts best whether it is right."""
    commands = [trial for trial in tuning if trial.trial.text and trial.both.heard]
    right = np.array([trial.errors == 0 for trial in commands])
    losses = [log_loss(best_text(commands, temperature), right) for temperature in TEMPERATURES]
    return replace(fit(tuning), temperature=float(TEMPERATURES[int(np.argmin(losses))]))


def best_text(commands: Sequence[FusedTrial], temperature: float) -> FloatArray:
    """(N,) P(best text | sound) of each trial."""
    lists = ([(text.text, text.score / temperature) for text in trial.both.fused.texts] for trial in commands)
    return np.exp([normalised(scores, LISTED)[0].log_p for scores in lists])


def log_loss(p: FloatArray, right: NDArray[np.bool_]) -> float:
    """Mean −ln of the probability given to what was the case."""
    bounded = np.clip(p, 1e-6, 1.0 - 1e-6)
    return float(-np.mean(np.log(np.where(right, bounded, 1.0 - bounded))))


def fused_section(tuning: Sequence[FusedTrial], held_out: Sequence[FusedTrial]) -> dict[str, object]:
    """The fitted part of config/speech.yaml with its measures on other voices."""
    calibration = fit_fused(tuning)
    return {"fused_confidence": as_data(calibration, FUSED_FEATURES), "fused_held_out": measure(held_out, calibration)}
