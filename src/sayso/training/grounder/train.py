"""`sayso train grounder`: render scenes, train the network, calibrate and evaluate it, write the model and its card."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sayso.domain import load_domain
from sayso.grounding.grounder import MODEL, PresenceCalibration, VisualGrounder
from sayso.models import record_model
from sayso.paths import models_dir, work_dir
from sayso.training.grounder.batches import Batches
from sayso.training.grounder.card import card, summary
from sayso.training.grounder.config import SPLITS, GrounderConfig, load_config
from sayso.training.grounder.evaluation import Examination, PointingTrial, log_odds, platt
from sayso.training.grounder.export import export
from sayso.training.grounder.fit import fit
from sayso.training.grounder.network import GroundingNetwork
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Pictures
from sayso.training.grounder.scenes import Scenes

SOURCE = "trained on pictures that the embedded simulation rendered; see grounder.md"
COMMAND = "sayso train grounder"


def train_grounder(config_path: Path | None = None, threads: int = 2) -> None:
    """Train and write models/grounder.onnx and models/grounder.md; an interrupted run continues.

    Args:
        config_path: default: the grounder.yaml beside this module.
        threads: of torch.

    Raises:
        SaysoError: the configuration, the domain, the scene or the rendering is not usable.
    """
    config = load_config(config_path)
    book = PhraseBook(load_domain(), config.words)
    scenes = Scenes(book)
    torch.set_num_threads(threads)
    what, said = TextColumn("{task.description}"), TextColumn("{task.fields[said]}")
    console = Console()
    with Progress(what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), said, console=console) as progress:
        text = _Training(config, book, scenes, work_dir() / "build" / "grounder" / _key(config, scenes), progress).model_card()
    (models_dir() / "grounder.md").write_text(text, encoding="utf-8")
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    console.print(text, markup=False)


def _key(config: GrounderConfig, scenes: Scenes) -> str:
    """A hash of what the pictures depend on, so that a changed scene is rendered again."""
    content = {"pictures": config.pictures, "seeds": config.seeds, "words": config.words.model_dump(), "scene": scenes.digest}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class _Training:
    """The steps from scenes to an evaluated model; `folder` caches the slow ones."""

    config: GrounderConfig
    book: PhraseBook
    scenes: Scenes
    folder: Path
    progress: Progress

    def model_card(self) -> str:
        """Render, train, calibrate, write and evaluate the model; returns the card."""
        train, tune, test = (self._rendered(split) for split in SPLITS)
        network = self._fitted(train)
        calibration = self._calibrated(network, tune)
        models_dir().mkdir(exist_ok=True)
        export(network, calibration, models_dir() / MODEL)
        results = self._tried(VisualGrounder(models_dir() / MODEL), test, "measuring")
        (self.folder / "results.json").write_text(json.dumps([asdict(trial) for trial in results]), encoding="utf-8")
        today = datetime.now(timezone.utc).date()
        return card(summary(results, calibration.threshold), network, self.config, today)

    def _rendered(self, split: str) -> Pictures:
        pictures = Pictures(self.folder / split, self.config.pictures[split], len(self.book.object_ids))
        task = self.progress.add_task(f"rendering {split}", total=len(pictures), completed=pictures.done, said="")
        try:
            for picture in self.scenes.pictures(self.config.seeds[split], pictures.done, len(pictures)):
                pictures.append(picture)
                self.progress.update(task, completed=pictures.done)
                if pictures.done % 250 == 0:
                    pictures.flush()
        finally:
            pictures.flush()
        return pictures

    def _fitted(self, pictures: Pictures) -> GroundingNetwork:
        torch.manual_seed(self.config.seed)
        network = GroundingNetwork(self.book.vocabulary.size)
        task = self.progress.add_task("training", total=self.config.steps, said="")
        smoothed: dict[str, float] = {}

        def report(step: int, parts: dict[str, float]) -> None:
            for name, value in parts.items():
                smoothed[name] = value if step < 20 else 0.98 * smoothed.get(name, value) + 0.02 * value
            said = " · ".join(f"{name} {value:.3f}" for name, value in smoothed.items())
            self.progress.update(task, completed=step, said=said)
            if step % 250 == 0:
                self.progress.console.log(f"step {step}: {said}")

        checkpoint = self.folder / f"network-{self.config.digest}.pt"
        fit(network, Batches(pictures, self.book, self.config), self.config, checkpoint, report)
        return network

    def _calibrated(self, network: GroundingNetwork, pictures: Pictures) -> PresenceCalibration:
        """Platt scaling of "it is there and the pixel lies on it", and the threshold with the allowed rate of false alarms."""
        raw = PresenceCalibration(self.book.vocabulary, scale=1.0, shift=0.0, threshold=0.5)
        file = self.folder / "uncalibrated.onnx"
        export(network, raw, file)
        results = self._tried(VisualGrounder(file), pictures, "calibrating")
        logits = log_odds(np.array([trial.confidence for trial in results]))
        scale, shift = platt(logits, np.array([trial.on_it for trial in results]))
        scaled = PresenceCalibration(self.book.vocabulary, scale, shift, threshold=0.5)
        absent = [scaled.confidence(float(logit)) for logit, trial in zip(logits, results, strict=True) if not trial.present]
        # Three quarters of the allowed rate, as a margin for other pictures; never below one half, so that "found" means probable.
        threshold = max(0.5, float(np.quantile(absent, 1.0 - 0.75 * self.config.false_alarms)))
        return replace(scaled, threshold=threshold)

    def _tried(self, grounder: VisualGrounder, pictures: Pictures, doing: str) -> list[PointingTrial]:
        task = self.progress.add_task(doing, total=None, said="")
        results = []
        for trial in Examination(pictures, self.book, self.config.visible, self.config.seed).trials(grounder):
            results.append(trial)
            self.progress.update(task, completed=len(results))
        self.progress.update(task, total=len(results))
        return results
