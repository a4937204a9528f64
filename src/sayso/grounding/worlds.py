"""Possible worlds: which things are there, how things measure, and which relations hold, drawn from their probabilities.

A world is one draw of everything that is uncertain. What a description means is decided in each world as if all were certain; how
often each meaning comes is its probability. So a landmark that may not be there, or a superlative that is close, makes the meaning as
doubtful as it is, and nothing is cut off at a threshold before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sayso.grounding.things import SeenThing
from sayso.types import FloatArray

WORLDS = 2000
SEED = 20
Mask = NDArray[np.bool_]  # (worlds, things)


class PossibleWorlds:
    """Draws for n things. The draws of a thing depend only on its number, so that further things change nothing.

    The draws of each quantity are stratified (one in each of WORLDS equal parts of [0, 1]; McKay et al. 1979): a single thing's
    probability is exact to 1 / WORLDS.
    """

    def __init__(self, things: Sequence[SeenThing]) -> None:
        self.things = things
        self._presence = self.uniform("presence")

    def fits(self, phrase: str) -> Mask:
        """Where each thing is what the plain phrase describes. A thing's phrases share one draw: what is a red cup is a cup."""
        p = np.array([thing.fits.get(phrase, 0.0) for thing in self.things])
        return np.asarray(self._presence < p)

    def holds(self, name: str, degree: FloatArray) -> Mask:
        """(worlds, things, …) Where a relation of each thing holds, given P = `degree` (things, …). One draw a thing and name."""
        draws = self.uniform(name)
        return np.asarray(draws.reshape(draws.shape + (1,) * (degree.ndim - 1)) < degree)

    def measured(self, name: str, values: FloatArray, deviation: FloatArray) -> FloatArray:
        """(worlds, things) The values with normal errors."""
        return np.asarray(values + deviation * ndtri(self.uniform(name)))

    def uniform(self, name: str) -> FloatArray:
        """(worlds, things) draws in (0, 1) that the name stands for."""
        key = [SEED, *name.encode()]
        columns = [np.random.default_rng([*key, number]).permutation(WORLDS) for number in range(len(self.things))]
        return (np.array(columns, dtype=np.float64).reshape(len(self.things), WORLDS).T + 0.5) / WORLDS
