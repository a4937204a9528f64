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
from sayso.speech.fused import FUSED_FEATURES, FusedEvidence, FusedRecogniser
from sayso.speech.recogniser import normalised
from sayso.speech.sphinx import SphinxRecogniser
from sayso.training.speech.train import JudgedTrial, SpeechTrial, as_data, fit, judge, measure, trials
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


def train_speech(domain_path: Path | None, number: int, recordings: Path | None, output: Path | None) -> None:
    """Fit config/speech.yaml on `number` commands and as many other sounds; the file also has the held-out measures.

    The recordings are for measuring only. First pocketsphinx is fitted, then both recognisers together.

    Raises:
        AudioError: flite or espeak-ng are not installed.
        ModelError: the package moonshine-voice is not installed.
    """
    domain = load_domain(domain_path)
    recogniser = SphinxRecogniser(domain, calibration=ConfidenceModel((0.0,) * len(FEATURES), 0.0, 0.0, (0.0,) * len(FEATURES)))
    fitting = list(trials(domain, TUNING_VOICES, number, None, part=0))
    measuring = list(trials(domain, HELD_OUT_VOICES, number, recordings, part=1))
    calibration = fit(list(judge(recogniser, fitting, "fitting")))
    measures = measure(list(judge(recogniser, measuring, "measuring")), calibration)
    both = trainable(domain, calibration)
    fused = fused_section(judge_fused(both, fitting, "fitting both"), judge_fused(both, measuring, "measuring both"))
    path = output or config_dir() / "speech.yaml"
    found = {"confidence": as_data(calibration), "held_out": measures, **fused}
    path.write_text(HEADER + yaml.safe_dump(found, sort_keys=False), encoding="utf-8")


def trainable(domain: Domain, second: ConfidenceModel) -> FusedRecogniser:
    """The recogniser before its confidence is fitted; `second` is pocketsphinx's calibration."""
    nothing = (0.0,) * len(FUSED_FEATURES)
    return FusedRecogniser(domain, calibration=ConfidenceModel(nothing, 0.0, 0.0, nothing), second=second)


def judge_fused(recogniser: FusedRecogniser, heard: Sequence[SpeechTrial], doing: str) -> list[FusedTrial]:
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
