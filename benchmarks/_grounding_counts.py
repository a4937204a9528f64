"""How many things of a kind a photograph shows: one to five that are marked, all of them large enough to be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from _meaning_share import Share
from sayso.console.bench import Row
from sayso.domain import load_domain
from sayso.grounding.describe import DescriptionGrounder
from sayso.grounding.detector import Detector
from sayso.grounding.resolution import resolve
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.training.data.photographs import Photograph, photographs
from sayso.training.detector.phrases import large_enough

MOST = 5  # things of a kind


def count_rows(backend: Detector, sets: Sequence[tuple[str, str, tuple[str, ...]]], smallest: float, limit: int) -> Iterator[Row]:
    """Yield the rows.

    Args:
        backend: the detector.
        sets: data set, split and the kinds that are marked; none: all of the detector's.
        smallest: share of the picture.
        limit: pictures of each set; 0: all.
    """
    described = DescriptionGrounder(backend, AnswerDescriber(load_domain()))
    exact, errors = list[bool](), list[float]()
    for data, split, marked in sets:
        for photo in photographs(data, split, limit):
            counted = _counted(photo, marked or backend.calibration.classes, smallest)
            for look, number in zip(backend.look(photo.image, list(counted)), counted.values(), strict=True):
                found = resolve(look.phrase, described.description(look.phrase), (look,), photo.image, backend.threshold)
                p = dict(found.counts)
                exact.append(max(p, key=lambda n: p[n]) == number)
                errors.append(abs(sum(n * share for n, share in p.items()) - number))
    yield Share(sum(exact), len(exact)).row("photographs: the likeliest number of things is the marked one", "higher")
    yield Row("photographs: error of the expected number", float(np.mean(errors)) if errors else None, "things", "lower", n=len(errors))


def _counted(photo: Photograph, kinds: Sequence[str], smallest: float) -> dict[str, int]:
    """Kind → how many are marked."""
    of = {kind: [thing for thing in photo.things if thing.kind == kind] for kind in kinds}
    return {
        kind: len(some) for kind, some in of.items() if 1 <= len(some) <= MOST and all(large_enough(photo, each, smallest) for each in some)
    }
