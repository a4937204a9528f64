"""Argument values, numbered: arrays of integers are faster to score than names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain

Ids = NDArray[np.int64]

KIND = {"place": 1, "object": 2, "person": 3}  # entity kind → number; 0 is the kind of "", no value
LITERAL = 4  # kind of a value that is not an entity of the domain


@dataclass(frozen=True, slots=True)
class Values:
    """V values: number 0 is "", no value; then the entities of the domain, then literals."""

    names: tuple[str, ...]
    numbers: Mapping[str, int]  # name → number
    kinds: Ids  # (V,) kind numbers

    @classmethod
    def of(cls, domain: Domain) -> Values:
        """The empty value and the entities of the domain."""
        kinds = {"": 0}
        for kind, owner in domain.by_kind.items():
            for name in owner:
                kinds.setdefault(name, KIND[kind])  # the first of two with one name wins, as in `Domain.entity`
        return cls(tuple(kinds), {name: number for number, name in enumerate(kinds)}, np.array([*kinds.values()], np.int64))

    def __len__(self) -> int:
        return len(self.names)

    def extended(self, more: Iterable[str]) -> Values:
        """These values and more; new names get the next numbers and count as literals."""
        new = tuple(name for name in dict.fromkeys(more) if name not in self.numbers)
        numbers = {**self.numbers, **{name: number for number, name in enumerate(new, len(self))}}
        return Values(self.names + new, numbers, np.concatenate((self.kinds, np.full(len(new), LITERAL, np.int64))))

    def among(self, chosen: Iterable[str]) -> NDArray[np.bool_]:
        """(V,) whether each value is one of `chosen`; always False for "", no value."""
        mask = np.zeros(len(self), np.bool_)
        mask[[self.numbers[name] for name in chosen if self.numbers.get(name)]] = True
        return mask
