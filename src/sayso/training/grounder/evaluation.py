"""Evaluation of a grounder: with the deployed file, on pictures of held-out arrangements."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.geometry import point_in_map
from sayso.grounding.grounder import Opinions, VisualGrounder, all_odds
from sayso.grounding.phrase import units_of
from sayso.grounding.untrained_colors import region_pixels
from sayso.training.grounder.phrases import Phrase, PhraseBook, PhraseSampler
from sayso.training.grounder.pictures import Pictures
from sayso.types import FloatArray, Grounding, Image

HIT = 0.06  # m: the accuracy that the gripper needs
FAR = 2.0  # m: the goals apply to things between NEAR and FAR
NEAR = 0.6

Grounds = Callable[[Image, str], Grounding]


@dataclass(frozen=True)
class PointingTrial:
    """The result of one phrase on one picture."""

    phrase: str
    category: str  # of the thing it means; empty if it means nothing in the picture
    color: str  # of that thing; the same
    present: bool
    near_miss: bool  # absent, but a thing of that noun or that colour is in the picture
    pixels: int  # visible pixels of the thing it means
    distance: float  # m from the camera, NaN if absent
    confidence: float
    on_it: bool  # the pixel is on it
    error: float  # m from the point to the nearest visible point of it, NaN if absent
    seconds: float
    number: int  # of the picture


@dataclass(frozen=True)
class Question:
    """A phrase about one picture."""

    number: int  # of the picture
    thing: int  # that it was made for, index in the domain; −1: it means nothing in the picture
    phrase: Phrase


@dataclass(frozen=True)
class ColoredRegion:
    """A region that may show what a phrase with a colour means."""

    color: str
    others: float  # log-odds that it shows the other units of the phrase
    pixels: tuple[NDArray[np.uint8], FloatArray]  # `region_pixels`
    right: bool


@dataclass(frozen=True)
class Examination:
    """Tests a grounder with phrases for present and absent things."""

    pictures: Pictures
    book: PhraseBook
    visible: int  # the least number of pixels for a thing to count as present
    seed: int

    def questions(self) -> Iterator[Question]:
        """For every picture: phrases for up to four of its things, and as many for absent ones."""
        sampler = PhraseSampler(self.book)
        for number in range(len(self.pictures)):
            rng = np.random.default_rng((self.seed, number))
            looks = self.book.look_numbers(self.pictures.colors[number])
            pixels = self.pictures.pixels[number]
            seen_looks = [looks[thing] for thing in np.flatnonzero(pixels)]
            clear = rng.permutation(np.flatnonzero(pixels >= self.visible))[:4]
            for thing in clear:
                yield Question(number, int(thing), self.book.phrases[sampler.present(looks[thing], rng)])
            for _ in range(max(len(clear), 2)):
                yield Question(number, -1, self.book.phrases[sampler.absent(seen_looks, rng)])

    def meant(self, question: Question) -> NDArray[np.bool_]:
        """(H, W) the pixels of all things that the phrase fits."""
        looks = self.book.look_numbers(self.pictures.colors[question.number])
        phrase = self.book.phrases.index(question.phrase)
        fitting = [thing for thing in np.flatnonzero(self.pictures.pixels[question.number]) if self.book.fits[looks[thing], phrase]]
        return np.isin(self.pictures.owner[question.number], np.array(fitting, np.int64) + 1)

    def trials(self, ground: Grounds) -> Iterator[PointingTrial]:
        """The results of all questions."""
        for question in self.questions():
            yield self._present(ground, question) if question.thing >= 0 else self._absent(ground, question)

    def opinions(self, grounder: VisualGrounder) -> Iterator[tuple[FloatArray, NDArray[np.bool_]]]:
        """For each question, what the network holds of each region (R, 2), and whether most of the region is meant (R,)."""
        for question in self.questions():
            held = grounder.opinions(grounder.view(image_of(self.pictures, question.number)).patches, units_of(question.phrase.text))
            yield held.odds, _are_meant(held, self.meant(question))

    def colored_regions(self, grounder: VisualGrounder) -> Iterator[ColoredRegion]:
        """For each question with a colour, each region that may show it."""
        numbered = (question for question in self.questions() if question.phrase.color)
        for number, asked in groupby(numbered, key=lambda question: question.number):
            image = image_of(self.pictures, number)
            seen = grounder.view(image).patches
            for question in asked:
                units = units_of(question.phrase.text)
                held = grounder.opinions(seen, units)
                others = all_odds(held.verdicts[:, [not unit.color for unit in units]]).tolist()
                for region, odds, right in zip(held.regions, others, _are_meant(held, self.meant(question)).tolist(), strict=True):
                    yield ColoredRegion(question.phrase.color, odds, region_pixels(image, held.shows, region), right)

    def _present(self, ground: Grounds, question: Question) -> PointingTrial:
        image, text = image_of(self.pictures, question.number), question.phrase.text
        grounding, seconds = _timed(ground, image, text)
        mask = self.meant(question)
        surface = _points(image, mask)
        column, row = (round(value) for value in grounding.pixel)
        return PointingTrial(
            phrase=text,
            category=self.book.domain.objects[self.book.object_ids[question.thing]].category,
            color=self.book.colors[self.pictures.colors[question.number, question.thing]],
            present=True,
            near_miss=False,
            pixels=int(mask.sum()),
            distance=float(np.median(np.linalg.norm(surface - image.pose[:3, 3], axis=1))),
            confidence=grounding.confidence,
            on_it=bool(mask[row, column]),
            error=float(np.linalg.norm(surface - np.array(grounding.point), axis=1).min()),
            seconds=seconds,
            number=question.number,
        )

    def _absent(self, ground: Grounds, question: Question) -> PointingTrial:
        missing, number = question.phrase, question.number
        grounding, seconds = _timed(ground, image_of(self.pictures, number), missing.text)
        looks = self.book.look_numbers(self.pictures.colors[number])
        seen = [self.book.looks[looks[thing]] for thing in np.flatnonzero(self.pictures.pixels[number])]
        near = any(missing.noun in self.book.nouns(look) or missing.color == look.color for look in seen)
        nowhere = float("nan")
        return PointingTrial(missing.text, "", "", False, near, 0, nowhere, grounding.confidence, False, nowhere, seconds, number)


def _are_meant(held: Opinions, meant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(R,) whether each region has a patch of which a third is meant, given the pixels (H, W) that are."""
    rows, cols = held.shows.shape
    share = meant.reshape(rows, meant.shape[0] // rows, cols, meant.shape[1] // cols).mean(axis=(1, 3))
    return np.array([share[region.mask].max() > 0.3 for region in held.regions], np.bool_)


def image_of(pictures: Pictures, number: int) -> Image:
    """The picture as an image of the robot's camera; its stamp is its number."""
    intrinsics, pose = pictures.camera(number)
    fx, fy, cx, cy = (float(value) for value in intrinsics)
    depth = pictures.depth[number].astype(np.float32)
    return Image(np.asarray(pictures.rgb[number]), float(number), depth, (fx, fy, cx, cy), np.asarray(pose))


def _timed(ground: Grounds, image: Image, phrase: str) -> tuple[Grounding, float]:
    started = time.perf_counter()
    grounding = ground(image, phrase)
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


def logistic(opinions: FloatArray, right: NDArray[np.bool_], *, signed: bool = False) -> tuple[FloatArray, float]:
    """Weights and shift with which 1 / (1 + exp(−(opinions · weights + shift))) is the probability of being right (Platt 1999).

    Args:
        opinions: (N, k).
        right: (N,) whether each was right.
        signed: whether an opinion may count against.
    """
    from scipy.optimize import minimize

    def loss(x: FloatArray) -> float:
        z = opinions @ x[:-1] + x[-1]
        return float(np.mean(np.logaddexp(0.0, np.where(right, -z, z))) + 1e-4 * (x[:-1] ** 2).sum())

    start = np.append(np.full(opinions.shape[1], 0.5), 0.0)
    found = minimize(loss, start, method="L-BFGS-B", bounds=[(None if signed else 0.0, None)] * opinions.shape[1] + [(None, None)]).x
    return np.asarray(found[:-1]), float(found[-1])
