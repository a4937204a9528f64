"""How a person looks, from what a tracker has told of them in the last seconds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sayso.looks import COLOURS, garment_of, group_of

# s for which a mistake lasts: a tracker that is wrong now is wrong in the next picture too. Reports within this time count as one.
LASTS = 1.0
LEAST = 1e-3  # P of a label is between this and 1 - this: no single report is the end of all doubt
OTHER = ""  # stands for whatever else it may be, of a label whose alternatives nobody knows

Report = tuple[float, str, float]  # s, label, P(label)


def posterior(reports: Iterable[Report]) -> dict[str, float]:
    """P(label | reports), for each label that was reported.

    The labels of a kind exclude each other: poses, gestures, colours of a coat. A report gives what it leaves of its probability to the
    others of the kind in equal parts. With n independent reports P is proportional to the product of theirs; with more reports than n, to
    the geometric mean of theirs to the power of n. n is the time they cover over `LASTS`, at least 1.

    Args:
        reports: of one person: time (s), label, P(label), in any order.
    """
    kinds: dict[tuple[str, ...], dict[float, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for stamp, look, p in reports:
        kinds[_kind(look)][stamp][look] = p
    found: dict[str, float] = {}
    for labels, glances in kinds.items():
        looks = max(1.0, (max(glances) - min(glances)) / LASTS)
        logs = {label: looks * sum(math.log(_p(label, told, labels)) for told in glances.values()) / len(glances) for label in labels}
        most = max(logs.values())
        total = sum(math.exp(each - most) for each in logs.values())
        told = {look for glance in glances.values() for look in glance}
        found |= {look: math.exp(logs[look] - most) / total for look in labels if look in told}
    return found


def _kind(look: str) -> tuple[str, ...]:
    """The labels of which one is right, this among them."""
    colour, garment = garment_of(look)
    if colour and garment:
        return tuple(f"{each}_{garment}" for each in COLOURS)
    return group_of(look) or (look, OTHER)


def _p(label: str, told: Mapping[str, float], labels: tuple[str, ...]) -> float:
    """P(label) by one report."""
    rest = max(0.0, 1.0 - sum(told.values())) / max(1, len(labels) - len(told))
    return min(1.0 - LEAST, max(LEAST, told.get(label, rest)))
