"""Paired statistics of two configurations on the same utterances: which is right more often or faster, and whether by chance."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap

from sayso.types import FloatArray

CONFIDENCE = 0.95
RESAMPLES = 9_999
ENOUGH_BAGS = 10
SEED = 7  # the same records give the same report


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the interval that holds the true value with probability `CONFIDENCE`."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class McNemarTable:
    """The table of McNemar's test: two configurations on the same utterances, right or wrong."""

    both: int  # right in both
    only_first: int
    only_second: int
    neither: int
    p_value: float  # P(a split at least this uneven of the differing pairs | both equally good); 1 if none differ

    @property
    def n(self) -> int:
        """Number of utterances."""
        return self.both + self.only_first + self.only_second + self.neither


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemarTable:
    """McNemar's exact test (McNemar 1947): under the null hypothesis, half of the differing pairs go either way.

    The binomial test is exact for any number of differing pairs, so the χ² approximation is never needed.
    """
    a, b = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    only_first, only_second = int(np.sum(a & ~b)), int(np.sum(~a & b))
    differing = only_first + only_second
    p_value = float(binomtest(only_first, differing, 0.5).pvalue) if differing else 1.0
    return McNemarTable(int(np.sum(a & b)), only_first, only_second, int(np.sum(~a & ~b)), p_value)


def mean_interval(values: Sequence[float], bags: Sequence[str] = ()) -> Interval:
    """Mean of `values` (N,) with its bias-corrected and accelerated bootstrap interval (Efron 1987).

    Utterances of one bag share speaker, room and noise. If `bags` (N,) has at least `ENOUGH_BAGS` names, whole bags are resampled
    instead of utterances, so that the interval holds for other bags.
    """
    array = np.asarray(values, dtype=np.float64)
    groups = np.unique(np.asarray(bags), return_inverse=True)[1] if len(bags) else np.zeros(array.size, np.intp)
    if array.size and groups.max() + 1 >= ENOUGH_BAGS:
        return _interval((np.bincount(groups, array), np.bincount(groups).astype(np.float64)), _ratio, "BCa")
    return _interval((array,), np.mean, "BCa")


def median_interval(values: Sequence[float]) -> Interval:
    """Median of `values` (N,) with its percentile bootstrap interval: BCa needs a smooth statistic."""
    return _interval((np.asarray(values, dtype=np.float64),), np.median, "percentile")


def _ratio(sums: FloatArray, counts: FloatArray, axis: int = -1) -> FloatArray:
    return np.asarray(sums.sum(axis=axis) / counts.sum(axis=axis))


def _interval(samples: tuple[NDArray[Any], ...], statistic: Callable[..., Any], method: str) -> Interval:
    """NaN bounds for fewer than two values; zero width if all resamples are equal."""
    nothing = float("nan")
    if not samples[0].size:
        return Interval(nothing, nothing, nothing)
    value = float(statistic(*samples))
    if samples[0].size == 1:
        return Interval(value, nothing, nothing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # BCa warns if values hardly vary: then use the percentiles
        for attempt in (method, "percentile"):
            found = _bootstrap(samples, statistic, attempt)
            if np.isfinite([found.low, found.high]).all():
                break
    return Interval(value, float(found.low), float(found.high))


def _bootstrap(samples: tuple[NDArray[Any], ...], statistic: Callable[..., Any], method: str) -> Any:
    size = samples[0].size
    return bootstrap(
        samples,
        statistic,
        paired=True,
        n_resamples=RESAMPLES if size <= 10_000 else RESAMPLES // 10,  # enough for a large sample
        confidence_level=CONFIDENCE,
        method=method,
        batch=max(1, 2_000_000 // size),  # resamples at a time, to limit memory
        random_state=np.random.default_rng(SEED),
    ).confidence_interval
