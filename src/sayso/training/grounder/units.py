"""The word vectors of the units of phrases, by the shipped sentence encoder, in several wordings."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from sayso.grounding.phrase import PhraseUnit
from sayso.grounding.words import COLOR, UnitReader
from sayso.training.grounder.phrases import PhraseBook

VARIED = 0.4  # share of the nouns that stand in another wording
NOISE = 0.05  # of the deviation of word vectors, and of 100 units of CIELAB: neighbouring words and colours are read alike


class UnitWords:
    """The units of a phrase book as word vectors; the same generator state gives the same wordings."""

    def __init__(self, book: PhraseBook, reader: UnitReader) -> None:
        forms = [[unit if unit.color else PhraseUnit(form.format(unit.text)) for unit in book.units] for form in book.words.variants]
        read = [[reader(unit) for unit in units] for units in forms]
        self._forms = np.stack([np.stack([vectors for vectors, _ in units]) for units in read])  # (F, U, T, D + COLOR)
        self._keep = np.stack([np.stack([keep for _, keep in units]) for units in read])  # (F, U, T)
        spread = np.full(self._forms.shape[-1], self._forms[..., :-COLOR].std(), np.float32)
        spread[-COLOR:] = 0.0, 1.0, 1.0, 1.0
        self._spread = torch.from_numpy(NOISE * spread)

    def draw(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """(U, T, D + COLOR) word vectors and (U, T) which of them there are."""
        count = self._forms.shape[1]
        form = np.where(rng.random(count) < VARIED, rng.integers(len(self._forms), size=count), 0)
        index = np.arange(count)
        words, keep = torch.from_numpy(self._forms[form, index]), torch.from_numpy(self._keep[form, index])
        return words + self._spread * torch.randn(words.shape), keep
