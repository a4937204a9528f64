"""Several views of one arrangement in the simulation: what full, sparse and linear attention over them (equation 18) bring and cost.

The questions are about the first view; up to seven others are taken from around it. The pictures are of the test split: nothing was
fitted on them. All of it is rendered: a smoke test of what several views are worth on a robot.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from sayso.console.bench import Row, quantile_row
from sayso.console.watch import counted
from sayso.domain import load_domain
from sayso.grounding.attention import Patches
from sayso.grounding.grounder import VisualGrounder
from sayso.grounding.spatial import SpatialAttention, full_attention, linear_attention, random_feature_attention, sparse_attention
from sayso.grounding.views import View, fused
from sayso.training.grounder.card import summary
from sayso.training.grounder.config import GrounderConfig, load_config
from sayso.training.grounder.evaluation import Examination, PointingTrial, image_of
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Pictures
from sayso.training.grounder.scenes import Scenes
from sayso.types import Grounding, Image

KINDS: dict[str, SpatialAttention] = {
    "full": full_attention,
    "sparse": sparse_attention,
    "linear, cells of a grid": linear_attention,
    "linear, random features": random_feature_attention,
}
VIEWS = 8
COUNTS = (1, 2, 4, 8)


@dataclass(frozen=True)
class Seen:
    """Arrangements from several places."""

    pictures: Pictures  # the views that the questions are about
    views: tuple[tuple[View, ...], ...]  # of each arrangement, the others first and that one last


def rows(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; quick: few arrangements."""
    config, grounder = load_config(), VisualGrounder()
    book = PhraseBook(load_domain(), config.words, config.held_out)
    with TemporaryDirectory() as folder:
        seen = _seen(config, book, grounder, Path(folder), 8 if quick else 120)
        yield from _accuracy(config, book, grounder, seen)
    yield from _times(seen.views[0], 1 if quick else 5)


def _seen(config: GrounderConfig, book: PhraseBook, grounder: VisualGrounder, folder: Path, count: int) -> Seen:
    pictures = Pictures(folder / "views", VIEWS * count, len(book.object_ids))
    first = Pictures(folder / "first", count, len(book.object_ids))
    for of_one in counted(islice(Scenes(book, config, folder).views("test", VIEWS), count), "arrangements", count):
        first.append(of_one[0])
        for each in (*of_one[1:], of_one[0]):
            pictures.append(each)
    views = [grounder.view(image_of(pictures, number)) for number in range(VIEWS * count)]
    return Seen(first, tuple(tuple(views[start : start + VIEWS]) for start in range(0, len(views), VIEWS)))


def _accuracy(config: GrounderConfig, book: PhraseBook, grounder: VisualGrounder, seen: Seen) -> Iterator[Row]:
    examination = Examination(seen.pictures, book, config.visible, config.seed)

    def trials(count: int, attend: SpatialAttention) -> list[PointingTrial]:
        together = [fused(views[-count:], attend) for views in seen.views]
        return list(examination.trials(partial(_ground, grounder, together)))

    alone = summary(trials(1, sparse_attention), grounder.threshold)
    for name, attend in KINDS.items():
        for count in COUNTS[1:] if name == "sparse" else (VIEWS,):
            measured = summary(trials(count, attend), grounder.threshold)
            for measure, better in (("found", "higher"), ("false alarms", "lower"), ("AUROC", "higher")):
                unit, scale = ("", 1.0) if measure == "AUROC" else ("%", 100.0)
                yield Row(
                    f"{count} views, {name}: {measure}", scale * measured[measure], unit, "higher" if better == "higher" else "lower",
                    baselines={"one view": scale * alone[measure]}, n=int(measured["things" if measure == "found" else "absent"]),
                )  # fmt: skip


def _ground(grounder: VisualGrounder, together: Sequence[Patches], image: Image, phrase: str) -> Grounding:
    return grounder.grounding(image, together[round(image.stamp)], phrase)


def _times(views: Sequence[View], repeats: int) -> Iterator[Row]:
    for count in COUNTS[1:]:
        for name, attend in KINDS.items():
            spent = []
            for _ in range(repeats):
                started = time.perf_counter()
                fused(views[-count:], attend)
                spent.append(time.perf_counter() - started)
            patches = count * len(views[-1].patches.features)
            yield quantile_row(f"attention of 4,800 patches over {patches:,}, {name}", spent, 0.5, None)
