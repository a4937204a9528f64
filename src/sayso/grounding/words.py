"""What a unit of a phrase means, as numbers: a noun by the shipped sentence encoder, a colour by what it looks like."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from sayso.encoder import SentenceEncoder
from sayso.grounding.colors import named_lab
from sayso.grounding.phrase import PhraseUnit

WORDS = 6  # of a unit; more are cut
COLOR = 4  # numbers of a colour after the word vector: 1, and L*, a*, b* in hundreds; zeros for a noun
REMEMBERED = 1024  # units


class UnitReader:
    """Reads units one by one, so that "red" means the same in every phrase, and remembers them."""

    def __init__(self, encoder: SentenceEncoder | None = None) -> None:
        self._encoder = encoder or SentenceEncoder()
        self._known: OrderedDict[PhraseUnit, tuple[NDArray[np.float32], NDArray[np.float32]]] = OrderedDict()

    def __call__(self, unit: PhraseUnit) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(WORDS, D + COLOR) one vector a word, zeros after the last; and (WORDS,) 1 where there is a word."""
        held = self._known.get(unit)
        if held is None:
            words = unit.text.split()[:WORDS]
            found = self._encoder.words(words)
            vectors = np.zeros((WORDS, found.shape[1] + COLOR), np.float32)
            if unit.color:
                vectors[0, -COLOR:] = color_numbers(unit.text)
            else:
                vectors[: len(words), :-COLOR] = found
            held = vectors, (np.arange(WORDS) < len(words)).astype(np.float32)
            self._known[unit] = held
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return held


def color_numbers(name: str) -> NDArray[np.float32]:
    """(COLOR,) what a colour looks like. Its place among the others is enough to recognise it without having seen it."""
    return np.array([1.0, *named_lab()[name] / 100.0], np.float32)
