"""Possible worlds: which things are there, how things measure, and which relations hold, drawn from their probabilities.

A world is one draw of everything that is uncertain. The meaning of a description is decided in each world as if all were certain; how
often each meaning comes is its probability. So a landmark that may not be there, or a superlative that is close, makes the meaning as
doubtful as it is, and nothing is cut off at a threshold before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sayso.grounding.things import SeenThing, contained
from sayso.types import FloatArray

WORLDS = 2000
SEED = 20
PART = 0.8  # share of the smaller box that lies in the larger one, from which both are of one thing
APART = 0.1  # m: what is farther apart is two things
Mask = NDArray[np.bool_]  # (worlds, things)


class PossibleWorlds:
    """Draws for n things. The draws of a thing depend only on its number, so that further things change nothing.

    The draws of each quantity are stratified (one in each of WORLDS equal parts of [0, 1]; McKay et al. 1979): a single thing's
    probability is exact to 1 / WORLDS.

    Of two boxes of a kind, one of which has most of the other in it, the smaller one is mostly a part of the same thing: a person's
    shoulder. So at most one of them is there. Each keeps its probability, as far as the surer ones leave room.
    """

    def __init__(self, things: Sequence[SeenThing]) -> None:
        self.things = things
        self._presence = self.uniform("presence")
        self._free, self._room = self._exclusive()

    def fits(self, phrase: str) -> Mask:
        """Where each thing is what the plain phrase describes. A thing's phrases share one draw: what is a red cup is a cup."""
        p = np.array([thing.fits.get(phrase, 0.0) for thing in self.things])
        return np.asarray(self._free & (self._presence * self._room < p))

    def _exclusive(self) -> tuple[Mask, FloatArray]:
        """(worlds, things) where no surer thing excludes a thing, and (things,) in which share of the worlds that is so."""
        free = np.ones((WORLDS, len(self.things)), dtype=bool)
        there = np.zeros_like(free)
        for at, thing in enumerate(self.things):
            for other in (number for number in range(at) if is_part(thing, self.things[number])):
                free[:, at] &= ~there[:, other]
            room = free[:, at].mean()
            there[:, at] = free[:, at] & (self._presence[:, at] * room < max(thing.fits.values(), default=0.0))
        return free, np.asarray(free.mean(axis=0))

    def holds(self, name: str, degree: FloatArray) -> Mask:
        """(worlds, things, …) Where a relation of each thing holds, given P = `degree` (things, …). One draw a thing and name."""
        draws = self.uniform(name)
        return np.asarray(draws.reshape(draws.shape + (1,) * (degree.ndim - 1)) < degree)

    def measured(self, name: str, values: FloatArray, deviation: FloatArray) -> FloatArray:
        """(worlds, things) The values with normal errors."""
        return np.asarray(values + deviation * ndtri(self.uniform(name)))

    def uniform(self, name: str) -> FloatArray:
        """(worlds, things) draws in (0, 1) that the name stands for."""
        return np.array([self._column(name, number) for number in range(len(self.things))]).reshape(len(self.things), WORLDS).T

    def _column(self, name: str, number: int) -> FloatArray:
        """(worlds,) draws in (0, 1) of one thing that the name stands for."""
        return (np.random.default_rng([SEED, *name.encode(), number]).permutation(WORLDS) + 0.5) / WORLDS


def is_part(thing: SeenThing, other: SeenThing) -> bool:
    """Whether the boxes of two things of a kind may be of one thing: one has most of the other in it, and no points tell them apart."""
    if not thing.fits.keys() & other.fits.keys() or contained(thing.candidate.box, other.candidate.box) < PART:
        return False
    away = math.dist(thing.candidate.point, other.candidate.point)
    return math.isnan(away) or away <= APART
