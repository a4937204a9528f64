"""The values that arguments of actions may have, by number: rows of numbers are weighed faster than rows of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain

Ids = NDArray[np.int64]

KIND = {"place": 1, "object": 2, "person": 3}  # numbers of the kinds of entities; 0 is that of "", no value
LITERAL = 4  # the kind of a value that names nothing of the domain


@dataclass(frozen=True, slots=True)
class Values:
    """V values; 0 is "", no value, then come the entities of a domain."""

    names: tuple[str, ...]
    numbers: Mapping[str, int]  # of the names
    kinds: Ids  # (V,) numbers of their kinds

    @classmethod
    def of(cls, domain: Domain) -> Values:
        """No value, and the entities of that domain."""
        kinds = {"": 0}
        for kind, owner in domain.by_kind.items():
            for name in owner:
                kinds.setdefault(name, KIND[kind])  # the first of two that share a name, as in `Domain.entity`
        return cls(tuple(kinds), {name: number for number, name in enumerate(kinds)}, np.array([*kinds.values()], np.int64))

    def __len__(self) -> int:
        return len(self.names)

    def extended(self, more: Iterable[str]) -> Values:
        """These and more: what is new is numbered on, and a literal."""
        new = tuple(name for name in dict.fromkeys(more) if name not in self.numbers)
        numbers = {**self.numbers, **{name: number for number, name in enumerate(new, len(self))}}
        return Values(self.names + new, numbers, np.concatenate((self.kinds, np.full(len(new), LITERAL, np.int64))))

    def among(self, chosen: Iterable[str]) -> NDArray[np.bool_]:
        """(V,) is it one of those? Never is "", no value."""
        answer = np.zeros(len(self), np.bool_)
        answer[[self.numbers[name] for name in chosen if self.numbers.get(name)]] = True
        return answer
