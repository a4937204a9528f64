"""Compare two configurations on the same bags: which utterances differ, which is right more often, which is faster."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sayso.replay.paired import Interval, McNemarTable, mcnemar, mean_interval, median_interval
from sayso.replay.types import Latency, ReplayResult, UtteranceRecord, rounded

APART = 1.5  # s: speech ends further apart belong to different utterances; recognisers differ by some tenths
EXPECTED = 5.0  # s: how far a missed expectation may be from the utterance that met it in the other result
FIELDS = ("text", "intent", "decision", "action", "plan", "grounded")


@dataclass(frozen=True, slots=True)
class Pair:
    """An utterance in both results; None where only the other one heard it."""

    first: UtteranceRecord | None
    second: UtteranceRecord | None

    @property
    def either(self) -> UtteranceRecord:
        """The record of the first, else of the second."""
        record = self.first or self.second
        assert record is not None
        return record

    @property
    def differs(self) -> tuple[str, ...]:
        """Names of the fields that differ; ("heard",) if only one result has the utterance."""
        if self.first is None or self.second is None:
            return ("heard",)
        return tuple(name for name in FIELDS if getattr(self.first, name) != getattr(self.second, name))

    @property
    def judged(self) -> tuple[bool, bool] | None:
        """Whether each was right; None without an expectation.

        A result without the utterance is right: an expected utterance would be recorded as missing.
        """
        if self.first is None or self.second is None:
            verdict = self.either.verdict
            if verdict in ("", "missing"):
                return None
            return (self.first is None or verdict == "right", self.second is None or verdict == "right")
        if not self.first.verdict or not self.second.verdict:
            return None
        return (self.first.verdict == "right", self.second.verdict == "right")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second configuration compared with the first."""

    names: tuple[str, str]
    pairs: tuple[Pair, ...]
    agreement: McNemarTable | None  # None if there are no expectations
    accuracy: tuple[Interval, Interval] | None
    gain: Interval | None  # accuracy of the second minus that of the first
    milliseconds: tuple[float, float] | None  # medians, end of speech to plan
    slower: Interval | None  # ms, median over the utterances of second minus first

    @property
    def differing(self) -> tuple[Pair, ...]:
        """The utterances that differ in any field."""
        return tuple(pair for pair in self.pairs if pair.differs)

    def data(self) -> dict[str, Any]:
        """As JSON; numbers to six significant digits."""
        agreement = self.agreement
        return {
            "names": list(self.names),
            "utterances": len(self.pairs),
            "differing": [_differing(pair) for pair in self.differing],
            "mcnemar": {name: rounded(value) for name, value in asdict(agreement).items()} if agreement else None,
            "accuracy": [_interval(one) for one in self.accuracy] if self.accuracy else None,
            "gain": _interval(self.gain),
            "milliseconds": [rounded(one) for one in self.milliseconds] if self.milliseconds else None,
            "slower_ms": _interval(self.slower),
        }

    def verdict(self) -> str:
        """One line for a person."""
        if self.agreement is None or self.gain is None:
            same = len(self.pairs) - len(self.differing)
            return f"{same} of {len(self.pairs)} utterances are the same; there are no expectations (sayso replay --accept writes them)"
        if self.agreement.only_first == self.agreement.only_second == 0:
            return f"the same {self.agreement.both} of {self.agreement.n} utterances are right in both"
        better = self.names[self.agreement.only_second > self.agreement.only_first]
        even = self.agreement.only_first == self.agreement.only_second
        finding = "neither is right more often" if even else f"{better} is right more often"
        chance = "which is unlikely to be chance" if self.agreement.p_value < 0.05 else "which may be chance"
        return f"{finding}{'' if even else ', ' + chance} (McNemar, exact: p = {self.agreement.p_value:.3g})"


def compare(first: Sequence[ReplayResult], second: Sequence[ReplayResult], names: tuple[str, str]) -> Comparison:
    """Pair the utterances of the same bags and compare them. Bags that failed in one result are left out of both."""
    ours, theirs = ({result.bag: result for result in results if not result.failed} for results in (first, second))
    pairs = tuple(pair for bag in ours if bag in theirs for pair in paired(ours[bag].records, theirs[bag].records))
    judged = [(pair.either.bag, *right) for pair in pairs if (right := pair.judged) is not None]
    bags, right_first, right_second = (list(column) for column in zip(*judged, strict=True)) if judged else ([], [], [])
    gains = [float(b) - float(a) for a, b in zip(right_first, right_second, strict=True)]
    before, after = _latencies(ours.values()), _latencies(theirs.values())
    both = [
        (before[key_a] * 1e3, after[key_b] * 1e3)
        for pair in pairs
        if pair.first and pair.second and (key_a := _key(pair.first)) in before and (key_b := _key(pair.second)) in after
    ]
    return Comparison(
        names=names,
        pairs=pairs,
        agreement=mcnemar(right_first, right_second) if judged else None,
        accuracy=(mean_interval(right_first, bags), mean_interval(right_second, bags)) if judged else None,
        gain=mean_interval(gains, bags) if judged else None,
        milliseconds=(float(np.median([a for a, _ in both])), float(np.median([b for _, b in both]))) if both else None,
        slower=median_interval([b - a for a, b in both]) if both else None,
    )


def paired(first: Sequence[UtteranceRecord], second: Sequence[UtteranceRecord]) -> Iterator[Pair]:
    """Pair the utterances of one bag by the nearest end of speech within `APART`, each once; in order of time.

    Utterances of sound files are paired by file.
    """
    order = sorted(range(len(second)), key=lambda j: (second[j].file, second[j].t))
    places = [(second[j].file, second[j].t) for j in order]
    near = []
    for i, a in enumerate(first):
        widest = math.inf if a.file else EXPECTED
        for j in order[bisect_left(places, (a.file, a.t - widest)) : bisect_right(places, (a.file, a.t + widest))]:
            apart = abs(a.t - second[j].t)
            if a.file or apart <= APART or "missing" in (a.verdict, second[j].verdict):
                near.append((apart, a.utterance_id != second[j].utterance_id, i, j))
    near.sort()
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in near:
        if i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    pairs = [Pair(record, second[partner[i]] if i in partner else None) for i, record in enumerate(first)]
    pairs += [Pair(None, record) for j, record in enumerate(second) if j not in taken]
    yield from sorted(pairs, key=lambda pair: (pair.either.file, pair.either.t, pair.either.number))


def _latencies(results: Iterable[ReplayResult]) -> dict[tuple[str, int], float]:
    """Seconds from the end of the speech to the plan, where measured."""
    every: Iterable[Latency] = (latency for result in results for latency in result.latencies)
    return {(latency.bag, latency.number): latency.total for latency in every if latency.total > 0.0}


def _key(record: UtteranceRecord) -> tuple[str, int]:
    return record.bag, record.number


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    """An interval for JSON, which lacks NaN: unknown bounds are null."""
    return (
        None if interval is None else {name: rounded(value) if math.isfinite(value) else None for name, value in asdict(interval).items()}
    )


def _differing(pair: Pair) -> dict[str, Any]:
    fields: dict[str, Any] = {"bag": pair.either.bag, "t": pair.either.t, "file": pair.either.file, "differs": list(pair.differs)}
    names = ("text", "verdict") if pair.differs == ("heard",) else ("verdict", *pair.differs)
    for side, record in (("first", pair.first), ("second", pair.second)):
        fields[side] = {name: getattr(record, name) for name in names} if record else None
    return fields
