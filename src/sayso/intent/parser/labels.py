"""The labels of spans, and the groups that a label's place depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.yaml_source import read_plain

ROOT = "root"  # the group of what holds the outermost spans
OTHER = "other"  # the value of an act that is none of the robot's intents
JOIN = "+"  # between the labels of spans with the same words, the outer one first
VALUED = ("act", "question", "hint")  # labels with a second decision: an intent, a kind


@lru_cache(maxsize=1)
def group_of() -> dict[str, str]:
    """Label → its group."""
    return {label: group for group, labels in read_plain(Path(__file__).with_name("labels.yaml")).items() for label in labels}


@dataclass(frozen=True)
class LabelSet:
    """What a span may be called: each label alone, and the chains of labels that share their words.

    Attributes:
        names: (L,) labels first, then chains: "role", "act+theme".
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, chains: Iterable[str]) -> LabelSet:
        """All single labels, and those chains."""
        return cls((*group_of(), *sorted({chain for chain in chains if JOIN in chain})))

    @cached_property
    def index(self) -> dict[str, int]:
        """Name → its place."""
        return {name: at for at, name in enumerate(self.names)}

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """(G,) the groups, the root first."""
        return (ROOT, *dict.fromkeys(group_of().values()))

    @cached_property
    def singles(self) -> int:
        """The number of single labels, which come first."""
        return len(group_of())

    @cached_property
    def parts(self) -> NDArray[np.float32]:
        """(L − singles, singles) 1 where a chain holds a label."""
        found = np.zeros((len(self.names) - self.singles, self.singles), np.float32)
        for row, chain in enumerate(self.names[self.singles :]):
            found[row, [self.index[label] for label in chain.split(JOIN)]] += 1.0
        return found

    @cached_property
    def outer(self) -> NDArray[np.int64]:
        """(L,) the single label that what lies around sees."""
        return np.array([self.index[name.split(JOIN)[0]] for name in self.names])

    @cached_property
    def inner_group(self) -> NDArray[np.int64]:
        """(L,) the group that what lies within sees."""
        return np.array([self.groups.index(group_of()[name.split(JOIN)[-1]]) for name in self.names])


def chain_of(labels: Sequence[str]) -> str:
    """The name of spans with the same words, the outer one first."""
    return JOIN.join(labels)
