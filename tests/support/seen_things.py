"""Things in a picture as a backend would find them, by hand: for tests of descriptions."""

from collections.abc import Sequence

import numpy as np

from sayso.grounding.backend import Look
from sayso.types import Candidate, Image

LENS = (200.0, 200.0, 160.0, 120.0)
LEVEL_POSE = np.array([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])


def textured(depth: bool = False) -> Image:
    """A picture in which something can be seen."""
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 255, (240, 320, 3), dtype=np.uint8)
    return Image(rgb, 0.0, np.ones((240, 320), np.float32), LENS, LEVEL_POSE) if depth else Image(rgb, 0.0)


def thing(u: float, v: float, width: float = 20.0, height: float = 20.0, p: float = 0.95, depth: float = 0.0) -> Candidate:
    """A thing whose box has its middle at (u, v); with `depth`, its point is in the map of LEVEL_POSE."""
    box = (u - width / 2, v - height / 2, u + width / 2, v + height / 2)
    if depth <= 0.0:
        return Candidate(p, (u, v), box)
    point = (depth, -(u - LENS[2]) / LENS[0] * depth, 1.0 - (v - LENS[3]) / LENS[1] * depth)
    return Candidate(p, (u, v), box, point, 1e-4 * np.eye(3))


class HandMadeBackend:
    """Finds what it was told to: plain phrase → candidates."""

    threshold = 0.5

    def __init__(self, **found: Sequence[Candidate]) -> None:
        self.found = {phrase.replace("_", " "): tuple(candidates) for phrase, candidates in found.items()}

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """The candidates of each phrase."""
        return tuple(self._look(phrase) for phrase in phrases)

    def _look(self, phrase: str) -> Look:
        candidates = self.found.get(phrase, ())
        presence = max((candidate.probability for candidate in candidates), default=0.0)
        return Look(phrase, np.full((6, 8), 1 / 48), presence, candidates, () if phrase in self.found else tuple(phrase.split()))
