"""The robot's own grounder on rendered pictures that it never saw: the apartment, random homes, and what its training left out.

The pictures and questions are those of the model card (models/grounder.md). Rendered pictures and templated phrases: smoke tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sayso.console.bench import Row, quantile_row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.grounding.grounder import VisualGrounder
from sayso.scene import load_scene
from sayso.sim.simulation import Simulation
from sayso.training.grounder.config import GrounderConfig, load_config
from sayso.training.grounder.evaluation import FAR, NEAR, Examination, PointingTrial, Question
from sayso.training.grounder.phrases import Phrase, PhraseBook
from sayso.training.grounder.pictures import Pictures
from sayso.training.grounder.scenes import Scenes
from sayso.types import Image

HERE = Path(__file__).parent
NOVEL = HERE / "_grounding_novel_home.yaml", HERE / "_grounding_novel_scene.yaml"
NOVEL_PICTURES, QUICK_PICTURES = 400, 40
SMALLEST = ("keys", "remote", "fruit", "pen", "toothbrush")
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
FEW = 100  # a bin with fewer answers says little
ANSWERS = 20  # of the timing


@dataclass(frozen=True)
class _Tries:
    """Results, with the threshold above which a thing counts as found."""

    trials: list[PointingTrial]
    threshold: float

    def found(self, holds: Callable[[PointingTrial], bool]) -> tuple[float, int]:
        """Share found of the near things for which that holds, %, and how many these are."""
        near = [trial for trial in self.trials if trial.present and NEAR <= trial.distance <= FAR and holds(trial)]
        return 100.0 * float(np.mean([trial.confidence > self.threshold for trial in near])) if near else float("nan"), len(near)

    def false_alarms(self) -> tuple[float, int]:
        """Share found of what is absent, %, and how many these are."""
        absent = [trial for trial in self.trials if not trial.present]
        return 100.0 * float(np.mean([trial.confidence > self.threshold for trial in absent])), len(absent)


def rows(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; quick: few pictures."""
    config, grounder = load_config(), VisualGrounder()
    if quick:
        config = config.model_copy(update={"apartment": {"test": QUICK_PICTURES}, "homes": {"test": 1}, "pictures_per_home": {"test": 20}})
    book = PhraseBook(load_domain(), config.words, config.held_out)
    with TemporaryDirectory() as folder:
        tried = {held: _tries(config, book, grounder, Path(folder), held) for held in (False, True)}
        kinds = _kinds(config, grounder, Path(folder), QUICK_PICTURES if quick else NOVEL_PICTURES)
    apartment = config.apartment["test"]
    groups = {
        "apartment": _Tries([trial for trial in tried[False].trials if trial.number < apartment], grounder.threshold),
        "random homes never seen": _Tries([trial for trial in tried[False].trials if trial.number >= apartment], grounder.threshold),
    }
    for name, goal in (("apartment", 93.0), ("random homes never seen", 88.0)):
        yield _found(f"{name}: found at .6–2 m", groups[name], lambda _: True, goal)
        yield _refused(f"{name}: absent things found", groups[name], 1.0)
    both = tried[False]
    for kind in SMALLEST:
        yield _found(f"smallest things: {kind}", both, lambda trial, kind=kind: trial.category == kind, 88.0)
    yield from _held_out(config, tried[True], kinds)
    yield from _errors(groups["apartment"])
    yield from _calibration(both)
    yield from _times(grounder)


def _tries(config: GrounderConfig, book: PhraseBook, grounder: VisualGrounder, folder: Path, held_out: bool) -> _Tries:
    pictures = Pictures(folder / f"test-{held_out}", config.pictures("test"), len(book.object_ids))
    for picture in counted(Scenes(book, config, folder).pictures("test", 0, held_out), "pictures"):
        pictures.append(picture)
    return _Tries(
        list(counted(Examination(pictures, book, config.visible, config.seed).trials(grounder), "phrases looked for")), grounder.threshold
    )


@dataclass(frozen=True)
class _NovelKinds(Examination):
    """Asks each picture for the things of new kinds, whether they are there or not."""

    kinds: tuple[str, ...] = ()

    def questions(self) -> Iterator[Question]:
        for number in range(len(self.pictures)):
            for kind in self.kinds:
                thing = self.book.object_ids.index(kind)
                pixels = self.pictures.pixels[number, thing]
                if pixels == 0 or pixels >= self.visible:
                    yield Question(number, thing if pixels else -1, Phrase("", kind))


def _kinds(config: GrounderConfig, grounder: VisualGrounder, folder: Path, count: int) -> _Tries:
    kinds = config.held_out.kinds
    words = config.words.model_copy(update={"recolored": {**config.words.recolored, **{kind: (kind,) for kind in kinds}}})
    book = PhraseBook(load_domain(NOVEL[0]), words, config.held_out)
    only = config.model_copy(update={"apartment": {"test": count}, "homes": {"test": 0}})
    pictures = Pictures(folder / "novel", count, len(book.object_ids))
    for picture in counted(islice(Scenes(book, only, folder, NOVEL[1]).pictures("test", 0), count), "pictures of new things", count):
        pictures.append(picture)
    examination = _NovelKinds(pictures, book, config.visible, config.seed, kinds)
    return _Tries(list(counted(examination.trials(grounder), "new things looked for")), grounder.threshold)


def _held_out(config: GrounderConfig, painted: _Tries, kinds: _Tries) -> Iterator[Row]:
    combinations = set(config.held_out.combinations)
    yield _found("held-out combinations of colour and kind", painted, lambda trial: (trial.color, trial.category) in combinations, 90.0)
    for color in config.held_out.colors:
        yield _found(f"held-out colour: {color}", painted, lambda trial, color=color: color in trial.phrase.split(), 85.0)
    yield _refused("held-out combinations and colours: absent things found", painted, 1.0)
    for kind in config.held_out.kinds:
        yield _found(f"held-out kind: {kind}", kinds, lambda trial, kind=kind: trial.category == kind, 70.0)
        near = [trial for trial in kinds.trials if trial.category == kind and NEAR <= trial.distance <= FAR]
        share = 100.0 * float(np.mean([trial.on_it for trial in near])) if near else float("nan")
        yield Row(f"held-out kind: {kind}, the best guess lies on it", share, "%", "higher", n=len(near))
    yield _refused("held-out kinds: absent ones found", kinds, 1.0)


def _found(measure: str, tries: _Tries, holds: Callable[[PointingTrial], bool], goal: float) -> Row:
    share, n = tries.found(holds)
    return Row(measure, share if n else None, "%", "higher", goal, n=n, reason="" if n else "none was seen")


def _refused(measure: str, tries: _Tries, goal: float) -> Row:
    share, n = tries.false_alarms()
    return Row(measure, share, "%", "lower", goal, n=n)


def _errors(tries: _Tries) -> Iterator[Row]:
    found = [trial for trial in tries.trials if trial.present and NEAR <= trial.distance <= FAR and trial.confidence > tries.threshold]
    errors = 100.0 * np.array([trial.error for trial in found])
    low, middle, high, most = (float(each) for each in np.nanquantile(errors, (0.25, 0.5, 0.75, 0.9)))
    yield Row("error of the point in the apartment, median", middle, "cm", "lower", 3.0, spread=(low, high), n=len(found))
    yield Row("error of the point in the apartment, 90 % below", most, "cm", "lower", 8.0, n=len(found))


def _calibration(tries: _Tries) -> Iterator[Row]:
    """By bins: how far the mean probability is from the share of answers whose best guess is right."""
    confidence = np.array([trial.confidence for trial in tries.trials])
    right = np.array([trial.on_it for trial in tries.trials])
    for low, high in pairwise(BINS):
        inside = (confidence >= low) & ((confidence < high) | (high == 1.0))
        gap = 100.0 * float(confidence[inside].mean() - right[inside].mean()) if inside.any() else None
        reason = "" if inside.sum() >= FEW else "few answers"
        yield Row(f"probability {low:g}–{high:g}: said less true", gap, "points", "lower", 3.0, n=int(inside.sum()), reason=reason)


def _times(grounder: VisualGrounder) -> Iterator[Row]:
    seen = Simulation(load_scene()).render()
    assert seen.depth is not None
    fx, fy, cx, cy = (2.0 * value for value in seen.intrinsics)
    image = Image(
        seen.rgb.repeat(2, axis=0).repeat(2, axis=1), 0.0, seen.depth.repeat(2, axis=0).repeat(2, axis=1), (fx, fy, cx, cy), seen.pose
    )
    pictures, phrases = [], []
    for _ in range(ANSWERS):
        started = time.perf_counter()
        patches = grounder.view(image).patches
        between = time.perf_counter()
        grounder.grounding(image, patches, "red cup")
        pictures.append(between - started)
        phrases.append(time.perf_counter() - between)
    yield quantile_row("one picture, 640×480", pictures, 0.5, 60.0)
    yield quantile_row("one phrase more", phrases, 0.5, 3.0)
