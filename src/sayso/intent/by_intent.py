"""What follows from the examples of an intent, computed when it is first asked for: a sentence concerns few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec

T = TypeVar("T")


class ByIntent(Mapping[str, T]):
    """Intent → what `make` makes of it."""

    def __init__(self, domain: Domain, make: Callable[[IntentSpec], T]) -> None:
        self._intents, self._make = domain.intents, make
        self._made: dict[str, T] = {}

    def __getitem__(self, intent: str) -> T:
        if intent not in self._made:
            self._made[intent] = self._make(self._intents[intent])
        return self._made[intent]

    def __iter__(self) -> Iterator[str]:
        return iter(self._intents)

    def __len__(self) -> int:
        return len(self._intents)
