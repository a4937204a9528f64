"""`sayso train speech`: fit the recognisers' confidence on synthetic speech, and measure it on other voices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.progress import track

from sayso.domain import Domain, load_domain
from sayso.paths import config_dir
from sayso.speech.confidence import FEATURES, Certainty, ConfidenceModel, log_odds
from sayso.speech.fused import FUSED_FEATURES, LISTED, FusedEvidence, FusedRecogniser, p_best
from sayso.speech.recogniser import normalised
from sayso.training.scores import expected_calibration_error
from sayso.training.speech.train import JudgedTrial, SpeechTrial, as_data, fit, logistic, measure, trials
from sayso.training.speech.tuning import HELD_OUT, TUNING, condition_trials
from sayso.training.speech.voices import HELD_OUT_VOICES
from sayso.types import FloatArray

BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.0))
QUIET = "plain"  # of conditions.yaml
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
        return judged(self.trial, replace(self.both, second_log_odds=log_odds(second.confidence(self.both.second_path))))

    @property
    def label(self) -> bool | None:
        """Whether every word is right: one wrong word may be the one that matters."""
        return self.errors == 0


def train_speech(domain_path: Path | None, number: int, recordings: Path | None, output: Path | None) -> None:
    """Fit config/speech.yaml on `number` commands and as much talk in many rooms; the file also has the held-out measures.

    The recordings are for measuring only. First pocketsphinx is fitted, then both recognisers together.

    Raises:
        AudioError: flite or espeak-ng are not installed.
        ModelError: the package moonshine-voice is not installed.
        SaysoError: the data sets with the talk are missing, or Kokoro cannot be downloaded.
    """
    domain = load_domain(domain_path)
    recogniser = trainable(domain)
    tuning = judge(recogniser, condition_trials(domain, TUNING, number), "fitting")
    held_out = judge(recogniser, trials(domain, HELD_OUT_VOICES, number // 2, recordings, part=1), "measuring")
    rooms = judge(recogniser, condition_trials(domain, HELD_OUT, number // 2), "measuring in many rooms")
    # pocketsphinx alone in quiet rooms only: fitted on noise, it accepted 12 instead of 3 % of other talk, and hardly more commands.
    calibration = fit([trial.alone for trial in tuning if trial.trial.condition == QUIET])
    found = {"confidence": as_data(calibration), "held_out": measure([trial.alone for trial in held_out], calibration)}
    found |= fused_section(*([trial.beside(calibration) for trial in part] for part in (tuning, held_out, rooms)))
    path = output or config_dir() / "speech.yaml"
    path.write_text(HEADER + yaml.safe_dump(found, sort_keys=False), encoding="utf-8")


def trainable(domain: Domain) -> FusedRecogniser:
    """The recogniser before its confidence is fitted."""
    unfitted = [ConfidenceModel((0.0,) * len(names), 0.0, 0.0, (0.0,) * len(names)) for names in (FUSED_FEATURES, FEATURES)]
    return FusedRecogniser(domain, calibration=unfitted[0], second=unfitted[1])


def judge(recogniser: FusedRecogniser, heard: Iterable[SpeechTrial], doing: str) -> list[FusedTrial]:
    """Recognise each trial, with a progress bar."""
    return [judged(trial, recogniser.evidence(trial.samples)) for trial in track(heard, doing, total=None)]


def judged(trial: SpeechTrial, evidence: FusedEvidence) -> FusedTrial:
    """The trial with its result."""
    texts = evidence.fused.texts
    return FusedTrial(trial, texts[0].text if texts else "", evidence, evidence)


def fit_fused(tuning: Sequence[FusedTrial]) -> ConfidenceModel:
    """The confidence as for pocketsphinx; the temperature at which the best text's share of the list predicts best whether it is right.

    Then how certain the best text is, given that share and the confidence.
    """
    commands = [trial for trial in tuning if trial.trial.text and trial.both.heard]
    right = np.array([trial.errors == 0 for trial in commands])
    losses = [log_loss(best_text(commands, temperature), right) for temperature in TEMPERATURES]
    free = replace(fit(tuning), temperature=float(TEMPERATURES[int(np.argmin(losses))]))
    accepted = [trial for trial in commands if free.confidence(trial.both) >= free.threshold]
    return replace(free, certainty=fit_certainty(accepted, free))


def fit_certainty(accepted: Sequence[FusedTrial], calibration: ConfidenceModel) -> Certainty:
    """How often the best text of an accepted command is right, and how often another of the list is if it is not."""
    shares, confidences = best_text(accepted, calibration.temperature), [calibration.confidence(trial.both) for trial in accepted]
    design = np.array([[log_odds(share), log_odds(confidence), 1.0] for share, confidence in zip(shares, confidences, strict=True)])
    right = np.array([trial.errors == 0 for trial in accepted], float)
    share, confidence, bias = (float(each) for each in logistic(design, right, np.ones(len(right)), 1.0))
    wrong = [trial for trial in accepted if trial.errors]
    listed = sum(trial.trial.text in [text.text for text in trial.both.fused.texts[1:LISTED]] for trial in wrong)
    return Certainty(share, confidence, bias, (listed + 1.0) / (len(wrong) + 2.0))


def best_text(commands: Sequence[FusedTrial], temperature: float) -> FloatArray:
    """(N,) P(best text | sound) of each trial."""
    lists = ([(text.text, text.score / temperature) for text in trial.both.fused.texts] for trial in commands)
    return np.exp([normalised(scores, LISTED)[0].log_p for scores in lists])


def log_loss(p: FloatArray, right: NDArray[np.bool_]) -> float:
    """Mean −ln of the probability given to what was the case."""
    bounded = np.clip(p, 1e-6, 1.0 - 1e-6)
    return float(-np.mean(np.log(np.where(right, bounded, 1.0 - bounded))))


def fused_section(tuning: Sequence[FusedTrial], held_out: Sequence[FusedTrial], rooms: Sequence[FusedTrial]) -> dict[str, object]:
    """The fitted part of config/speech.yaml with its measures on other voices."""
    calibration = fit_fused(tuning)
    return {
        "fused_confidence": as_data(calibration, FUSED_FEATURES),
        "fused_held_out": measure(held_out, calibration),
        "rooms_held_out": measure(rooms, calibration),
        "commands_by_room": by_room(rooms, calibration),
        "certainty_held_out": certainty_rows(rooms, calibration),
    }


def by_room(rooms: Sequence[FusedTrial], calibration: ConfidenceModel) -> dict[str, dict[str, float]]:
    """For each condition: the number of commands, and the shares that are right, accepted and right, accepted though wrong."""
    commands = [trial for trial in rooms if trial.trial.text]
    rows = {}
    for name in dict.fromkeys(trial.trial.condition for trial in commands):
        group = [trial for trial in commands if trial.trial.condition == name]
        right = np.array([trial.errors == 0 for trial in group])
        passed = np.array([calibration.confidence(trial.both) >= calibration.threshold for trial in group])
        shares = {"right": right, "accepted_right": passed & right, "accepted_wrong": passed & ~right}
        rows[name] = {"number": float(len(group)), **{key: round(float(value.mean()), 4) for key, value in shares.items()}}
    return rows


def certainty_rows(rooms: Sequence[FusedTrial], calibration: ConfidenceModel) -> dict[str, object]:
    """P(best text) of accepted commands against the share that is right, in all and in bins."""
    accepted = [trial for trial in rooms if trial.trial.text and calibration.confidence(trial.both) >= calibration.threshold]
    said = np.array([certain(trial, calibration) for trial in accepted])
    right = np.array([trial.errors == 0 for trial in accepted], float)
    rows: dict[str, object] = {"number": len(accepted), "calibration_error": 0.0}
    if not accepted:
        return rows
    rows["calibration_error"] = round(expected_calibration_error(said, right, np.ones(len(said))), 4)
    for low, high in BINS:
        inside = (said >= low) & ((said < high) | (high == 1.0))
        if inside.any():
            shares = {"said": round(float(said[inside].mean()), 3), "right": round(float(right[inside].mean()), 3)}
            rows[f"{low:g} to {high:g}"] = {"number": int(inside.sum()), **shares}
    return rows


def certain(trial: FusedTrial, calibration: ConfidenceModel) -> float:
    """P(best text | sound), as the recogniser publishes it."""
    return p_best(trial.both.fused, calibration, calibration.confidence(trial.both))
