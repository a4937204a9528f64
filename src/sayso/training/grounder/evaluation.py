"""Evaluation of a grounder: with the deployed file, on pictures of held-out arrangements."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.geometry import point_in_map
from sayso.grounding.grounder import VisualGrounder
from sayso.training.grounder.phrases import PhraseBook, PhraseSampler
from sayso.training.grounder.pictures import Pictures
from sayso.types import FloatArray, Grounding, Image

HIT = 0.06  # m: the accuracy that the gripper needs
FAR = 2.0  # m: the goals apply to things between NEAR and FAR
NEAR = 0.6


@dataclass(frozen=True)
class PointingTrial:
    """The result of one phrase on one picture."""

    phrase: str
    category: str  # of the thing it means; empty if it means nothing in the picture
    present: bool
    near_miss: bool  # absent, but a thing of that noun or that colour is in the picture
    pixels: int  # visible pixels of the thing it means
    distance: float  # m from the camera, NaN if absent
    confidence: float
    on_it: bool  # the pixel is on it
    error: float  # m from the point to the nearest visible point of it, NaN if absent
    seconds: float


@dataclass(frozen=True)
class Examination:
    """Tests a grounder with phrases for present and absent things."""

    pictures: Pictures
    book: PhraseBook
    visible: int  # the least number of pixels for a thing to count as present
    seed: int

    def trials(self, grounder: VisualGrounder) -> Iterator[PointingTrial]:
        """For every picture: phrases for up to four of its things, and as many for absent ones."""
        sampler = PhraseSampler(self.book)
        for number in range(len(self.pictures)):
            rng = np.random.default_rng((self.seed, number))
            looks = self.book.look_numbers(self.pictures.colors[number])
            pixels = self.pictures.pixels[number]
            seen_looks = [looks[thing] for thing in np.flatnonzero(pixels)]
            clear = rng.permutation(np.flatnonzero(pixels >= self.visible))[:4]
            for thing in clear:
                yield self._present(grounder, number, int(thing), sampler.present(looks[thing], rng))
            for _ in range(max(len(clear), 2)):
                yield self._absent(grounder, number, seen_looks, sampler.absent(seen_looks, rng))

    def _present(self, grounder: VisualGrounder, number: int, thing: int, phrase: int) -> PointingTrial:
        looks = self.book.look_numbers(self.pictures.colors[number])
        image, text = image_of(self.pictures, number), self.book.phrases[phrase].text
        grounding, seconds = _timed(grounder, image, text)
        meant = [other for other in np.flatnonzero(self.pictures.pixels[number]) if self.book.fits[looks[other], phrase]]
        mask = np.isin(self.pictures.owner[number], np.array(meant) + 1)
        surface = _points(image, mask)
        column, row = (round(value) for value in grounding.pixel)
        return PointingTrial(
            phrase=text,
            category=self.book.domain.objects[self.book.object_ids[thing]].category,
            present=True,
            near_miss=False,
            pixels=int(mask.sum()),
            distance=float(np.median(np.linalg.norm(surface - image.pose[:3, 3], axis=1))),
            confidence=grounding.confidence,
            on_it=bool(mask[row, column]),
            error=float(np.linalg.norm(surface - np.array(grounding.point), axis=1).min()),
            seconds=seconds,
        )

    def _absent(self, grounder: VisualGrounder, number: int, seen_looks: list[int], phrase: int) -> PointingTrial:
        missing = self.book.phrases[phrase]
        grounding, seconds = _timed(grounder, image_of(self.pictures, number), missing.text)
        seen = [self.book.looks[look] for look in seen_looks]
        near = any(missing.noun in self.book.nouns(look) or missing.color == look.color for look in seen)
        nowhere = float("nan")
        return PointingTrial(missing.text, "", False, near, 0, nowhere, grounding.confidence, False, nowhere, seconds)


def image_of(pictures: Pictures, number: int) -> Image:
    """The picture as an image of the robot's camera."""
    intrinsics, pose = pictures.camera(number)
    fx, fy, cx, cy = (float(value) for value in intrinsics)
    depth = pictures.depth[number].astype(np.float32)
    return Image(np.asarray(pictures.rgb[number]), 0.0, depth, (fx, fy, cx, cy), np.asarray(pose))


def _timed(grounder: VisualGrounder, image: Image, phrase: str) -> tuple[Grounding, float]:
    started = time.perf_counter()
    grounding = grounder(image, phrase)
    return grounding, time.perf_counter() - started


def _points(image: Image, mask: NDArray[np.bool_]) -> FloatArray:
    """(N, 3) the map points of the pixels in the mask."""
    assert image.depth is not None
    pixels = [(float(u), float(v), float(image.depth[v, u])) for v, u in np.argwhere(mask)]
    points = [point_in_map((u, v), depth, image.intrinsics, image.pose) for u, v, depth in pixels]
    return np.array(points).reshape(-1, 3)


def auroc(positive: FloatArray, negative: FloatArray) -> float:
    """P(a random positive scores above a random negative), ties count half (Mann and Whitney 1947)."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate((positive, negative)))[: len(positive)]
    return float((ranks.sum() - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative)))


def calibration_error(confidence: FloatArray, right: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error over bins of equal width (Guo et al. 2017)."""
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(confidence[which == b].mean() - right[which == b].mean()) * (which == b).mean() for b in range(bins) if (which == b).any()]
    return float(sum(gaps))


def log_odds(p: FloatArray) -> FloatArray:
    """ln(p / (1 − p)), kept finite."""
    clipped = np.clip(p, 1e-12, 1.0 - 1e-12)
    return np.log(clipped / (1.0 - clipped))


def platt(logits: FloatArray, right: NDArray[np.bool_]) -> tuple[float, float]:
    """Scale and shift with which 1 / (1 + exp(−(scale · logit + shift))) is the probability of being right (Platt 1999).

    Args:
        logits: (N,).
        right: (N,) whether each was right.
    """
    from scipy.optimize import minimize

    def loss(x: FloatArray) -> float:
        z = x[0] * logits + x[1]
        return float(np.mean(np.logaddexp(0.0, np.where(right, -z, z))))

    scale, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return float(scale), float(shift)
