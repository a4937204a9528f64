"""Shares of sentences, as rows of the benchmark `meaning`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sayso.console.bench import Row


@dataclass(frozen=True, slots=True)
class Share:
    """k of n, in percent."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return 100.0 * self.k / self.n if self.n else None

    def row(self, measure: str, better: str, goal: float | None = None, **baselines: Share) -> Row:
        """A row with the Wilson 95 % interval (Wilson 1927) as spread."""
        others = {name.replace("_", " "): share.value for name, share in baselines.items() if share.n}
        if not self.n:
            return Row(measure, None, "%", better, goal, reason="no such sentence")  # type: ignore[arg-type]
        return Row(measure, self.value, "%", better, goal, others, wilson(self.k, self.n), self.n)  # type: ignore[arg-type]


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The score interval of a share k / n, in percent."""
    p = k / n
    centre, scale = p + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 100.0 * max(0.0, centre - half) / scale, 100.0 * min(scale, centre + half) / scale
