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
from sayso.grounding.calibration import CandidateCalibration
from sayso.grounding.grounder import MODEL, UNITS, VisualGrounder
from sayso.grounding.words import UnitReader
from sayso.models import record_model
from sayso.paths import models_dir, work_dir
from sayso.scene import load_scene
from sayso.training.grounder.batches import Batches
from sayso.training.grounder.card import card, summary
from sayso.training.grounder.config import SPLITS, GrounderConfig, load_config
from sayso.training.grounder.evaluation import Examination, PointingTrial, logistic
from sayso.training.grounder.export import export
from sayso.training.grounder.fit import fit
from sayso.training.grounder.network import GroundingNetwork
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Pictures
from sayso.training.grounder.scenes import Scenes
from sayso.training.grounder.units import UnitWords
from sayso.training.grounder.untrained import fitted_pixels

SOURCE = "trained on pictures that the embedded simulation rendered; see grounder.md"
COMMAND = "sayso train grounder"
HELD_OUT = "held_out"  # the pictures of the test split, with the things in colours that no training picture has


def train_grounder(config_path: Path | None = None, threads: int = 2) -> None:
    """Train and write models/grounder.onnx, models/grounder_units.onnx and models/grounder.md; an interrupted run continues.

    Args:
        config_path: default: the grounder.yaml beside this module.
        threads: of torch.

    Raises:
        SaysoError: the configuration, the domain, the scene or the rendering is not usable.
    """
    config = load_config(config_path)
    book = PhraseBook(load_domain(), config.words, config.held_out)
    folder = work_dir() / "build" / "grounder" / _key(config)
    scenes = Scenes(book, config, folder)
    torch.set_num_threads(threads)
    what, said = TextColumn("{task.description}"), TextColumn("{task.fields[said]}")
    console = Console()
    with Progress(what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), said, console=console) as progress:
        text = _Training(config, book, scenes, folder, progress).model_card()
    (models_dir() / "grounder.md").write_text(text, encoding="utf-8")
    for name in (MODEL, UNITS):
        record_model(name, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    console.print(text, markup=False)


def _key(config: GrounderConfig) -> str:
    """A hash of what the pictures depend on, so that a changed scene is rendered again."""
    settings = config.model_dump(mode="json", include={"apartment", "homes", "pictures_per_home", "seeds", "words", "held_out"})
    content = {**settings, "scene": load_scene().model_dump(mode="json")}
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
        train, tune, test, held_out = (self._rendered(split) for split in (*SPLITS, HELD_OUT))
        network = self._fitted(train)
        models_dir().mkdir(exist_ok=True)
        self._calibrated(network, tune, models_dir())
        grounder = VisualGrounder(models_dir())
        apartment = self.config.apartment["test"]
        groups: dict[str, list[PointingTrial]] = {}
        for name, pictures in (("test", test), (HELD_OUT, held_out)):
            trials = self._tried(grounder, pictures, f"measuring {name}")
            (self.folder / f"{name}.json").write_text(json.dumps([asdict(trial) for trial in trials]), encoding="utf-8")
            groups[f"{name}, apartment"] = [trial for trial in trials if trial.number < apartment]
            groups[f"{name}, homes"] = [trial for trial in trials if trial.number >= apartment]
        figures = {name: summary(trials, grounder.threshold) for name, trials in groups.items()}
        return card(figures, network, self.config, datetime.now(timezone.utc).date())

    def _rendered(self, split: str) -> Pictures:
        source = "test" if split == HELD_OUT else split
        pictures = Pictures(self.folder / split, self.config.pictures(source), len(self.book.object_ids))
        task = self.progress.add_task(f"rendering {split}", total=len(pictures), completed=pictures.done, said="")
        try:
            for picture in self.scenes.pictures(source, pictures.done, split == HELD_OUT):
                pictures.append(picture)
                self.progress.update(task, completed=pictures.done)
                if pictures.done % 250 == 0:
                    pictures.flush()
        finally:
            pictures.flush()
        return pictures

    def _fitted(self, pictures: Pictures) -> GroundingNetwork:
        torch.manual_seed(self.config.seed)
        network = GroundingNetwork()
        task = self.progress.add_task("training", total=self.config.steps, said="")
        smoothed: dict[str, float] = {}

        def report(step: int, parts: dict[str, float]) -> None:
            for name, value in parts.items():
                smoothed[name] = 0.98 * smoothed.get(name, value) + 0.02 * value
            said = " · ".join(f"{name} {value:.3f}" for name, value in smoothed.items())
            self.progress.update(task, completed=step, said=said)
            if step % 250 == 0:
                self.progress.console.log(f"step {step}: {said}")

        checkpoint = self.folder / f"network-{self.config.digest}.pt"
        words = UnitWords(self.book, UnitReader())
        fit(network, Batches(pictures, self.book, self.config), words, self.config, checkpoint, report)
        return network

    def _calibrated(self, network: GroundingNetwork, pictures: Pictures, folder: Path) -> None:
        """Fit the probability that a region is meant, choose the threshold with the allowed rate of false alarms, and write the model."""
        units = (*self.book.nouns_known, *self.book.color_names, *self.book.words.shades)
        words = tuple(sorted({word for unit in units for word in unit.split()}))
        export(network, CandidateCalibration(1.0, 0.0, 0.0, 0.5, words), folder)
        examination = Examination(pictures, self.book, self.config.visible, self.config.seed)
        task = self.progress.add_task("calibrating", total=None, said="")
        held = []
        for opinions in examination.opinions(VisualGrounder(folder)):
            held.append(opinions)
            self.progress.update(task, completed=len(held))
        self.progress.update(task, total=len(held))
        weights, shift = logistic(np.concatenate([odds for odds, _ in held]), np.concatenate([right for _, right in held]))
        fitted = CandidateCalibration(float(weights[0]), float(weights[1]), shift, 0.5, words)
        absent = [
            max((fitted.probability(verdict, patches) for verdict, patches in odds), default=0.0)
            for (odds, _), question in zip(held, examination.questions(), strict=True)
            if question.thing < 0
        ]
        # Never below one half, so that "found" means probable.
        threshold = max(0.5, float(np.quantile(absent, 1.0 - self.config.false_alarms)))
        pixels = fitted_pixels(examination, folder, self.config.survey)
        export(network, replace(fitted, threshold=threshold, pixels=pixels), folder)

    def _tried(self, grounder: VisualGrounder, pictures: Pictures, doing: str) -> list[PointingTrial]:
        task = self.progress.add_task(doing, total=None, said="")
        results = []
        for trial in Examination(pictures, self.book, self.config.visible, self.config.seed).trials(grounder):
            results.append(trial)
            self.progress.update(task, completed=len(results))
        self.progress.update(task, total=len(results))
        return results
