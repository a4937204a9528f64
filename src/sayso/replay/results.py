"""The results of a replay as files: reproducible results, this machine's latencies, and the accepted run."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError
from sayso.replay.expectations import Expected, beside
from sayso.replay.judging import exact
from sayso.replay.types import Latency, ReplayConfig, ReplayResult, UtteranceRecord, rounded

RECORDS, DETAILS, LATENCY, SUMMARY, MEDIA = "utterances.jsonl", "details.jsonl", "latency.jsonl", "summary.json", "media"
STAGES = ("recognise", "classify", "select", "plan", "ground")


@dataclass(frozen=True, slots=True)
class Bagful:
    """A bag with its result, its expectations and its last accepted run."""

    path: Path
    result: ReplayResult
    expected: Expected | None = None
    accepted: tuple[tuple[UtteranceRecord, float | None], ...] = ()  # records and their times, s


@dataclass(frozen=True, slots=True)
class Tally:
    """How many expectations of a bag, or of all bags, were met."""

    utterances: int
    met: int  # expectations
    expected: int  # all expectations, including unexpected utterances
    needed: float  # share that must be met

    @property
    def share(self) -> float | None:
        """Share of the expectations that are met; None if there are none."""
        return self.met / self.expected if self.expected else None

    @property
    def ok(self) -> bool:
        """Whether enough are met."""
        return self.share is None or self.share >= self.needed - 1e-12


def tally(bag: Bagful, min_exact: float | None = None) -> Tally:
    """The tally of a bag; `min_exact` overrides the threshold of its expectations."""
    expected = bag.expected
    met, every = exact(bag.result, expected) if expected else (0, 0)
    needed = min_exact if min_exact is not None else expected.thresholds.exact if expected else 1.0
    return Tally(sum(record.verdict != "missing" for record in bag.result.records), met, every, needed)


def is_ok(bags: Sequence[Bagful], min_exact: float | None = None) -> bool:
    """Whether no bag failed and enough expectations are met: over all bags if `min_exact` is given, else in each bag."""
    if any(bag.result.failed for bag in bags):
        return False
    tallies = [tally(bag, min_exact) for bag in bags]
    if min_exact is None:
        return all(one.ok for one in tallies)
    return Tally(0, sum(one.met for one in tallies), sum(one.expected for one in tallies), min_exact).ok


def write_results(bags: Sequence[Bagful], folder: Path, summary: Mapping[str, Any]) -> None:
    """Write utterances.jsonl, details.jsonl, latency.jsonl and summary.json; each appears complete or not at all.

    Raises:
        SaysoError: they cannot be written.
    """
    results = [bag.result for bag in bags]
    details = (
        {"bag": result.bag, "number": record.number, **detail}
        for result in results
        for record, detail in zip(result.records, result.details, strict=True)
        if detail
    )
    latencies = ({name: rounded(value) for name, value in asdict(one).items()} for result in results for one in result.latencies)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / RECORDS, _lines(record.data() for result in results for record in result.records))
        _write(folder / DETAILS, _lines(details))
        _write(folder / LATENCY, _lines(latencies))
        _write(folder / SUMMARY, json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    except OSError as unwritable:
        raise SaysoError(f"{folder}: cannot be written ({unwritable.strerror}); --out FOLDER names another place") from None


def summary_of(
    bags: Sequence[Bagful], config: ReplayConfig, fingerprint: Mapping[str, str], min_exact: float | None = None
) -> dict[str, Any]:
    """The content of summary.json. It does not depend on the machine or the time of day."""
    records = [record for bag in bags for record in bag.result.records]
    heard = [record for record in records if record.verdict != "missing"]
    tallies = [tally(bag, min_exact) for bag in bags]
    met, expected = sum(one.met for one in tallies), sum(one.expected for one in tallies)
    return {
        "ok": is_ok(bags, min_exact),
        "utterances": len(heard),
        "expected": expected,
        "met": met,
        "exact": rounded(met / expected) if expected else None,
        "min_exact": min_exact,
        "verdicts": _counts(record.verdict for record in records if record.verdict),
        "decisions": _counts(record.decision for record in heard if record.decision),
        "as_recorded": sum(not record.changed for record in heard if record.recorded_decision),
        "recorded": sum(bool(record.recorded_decision) for record in heard),
        "errors": sum(bool(record.error) for record in heard),
        "seconds": rounded(sum(bag.result.seconds for bag in bags)),
        "bags": [_of_bag(bag, one) for bag, one in zip(bags, tallies, strict=True)],
        "configuration": {
            "from": config.start or "",
            "backend": config.backend,
            "answer_within": config.answer_within,
            "correct_within": config.correct_within,
            "grounding": config.grounding,
            "remap": [f"{theirs}:={ours}" for theirs, ours in config.remap],
            "sha256": dict(fingerprint),
        },
    }


def _of_bag(bag: Bagful, one: Tally) -> dict[str, Any]:
    return {
        "bag": bag.result.bag,
        "ok": one.ok and not bag.result.failed,
        "failed": bag.result.failed,
        "domain": bag.result.domain,
        "utterances": one.utterances,
        "expected": one.expected,
        "met": one.met,
        "min_exact": one.needed if bag.expected else None,
        "seconds": rounded(bag.result.seconds),
        "messages": bag.result.messages,
        "problems": [str(problem) for problem in bag.result.problems],
    }


def write_accepted(bag: Bagful, folder: Path | None = None) -> Path:
    """Write an accepted run beside its bag, for comparison with later runs.

    Raises:
        SaysoError: it cannot be written there.
    """
    file = beside(bag.path, folder).accepted
    took = {latency.number: latency.total for latency in bag.result.latencies}
    kept = (replace(record, verdict="", wrong="") for record in bag.result.records if record.verdict != "missing")
    try:
        _write(file, _lines({**record.data(), "took": rounded(took.get(record.number))} for record in kept))
    except OSError as unwritable:
        raise SaysoError(f"{file}: cannot be written ({unwritable.strerror}); --expect FOLDER names another place") from None
    return file


def read_accepted(bag: Path, folder: Path | None = None) -> tuple[tuple[UtteranceRecord, float | None], ...]:
    """The last accepted run; empty if there is none.

    Raises:
        SaysoError: the file was not written by `sayso replay --accept`.
    """
    file = beside(bag, folder).accepted
    if not file.is_file():
        return ()
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return tuple((UtteranceRecord.of(row), row.get("took")) for row in rows)
    except OSError as closed:
        raise SaysoError(f"{file}: {closed.strerror}") from None
    except (ValueError, TypeError, AttributeError):
        raise SaysoError(f"{file}: was not written by 'sayso replay --accept'; accept the run again, or remove the file") from None


def typical(latencies: Iterable[Latency]) -> dict[str, float]:
    """Median latency by stage, s."""
    found: dict[str, float] = {}
    every = list(latencies)
    for stage in STAGES:
        values = [value for one in every if (value := getattr(one, stage)) is not None]
        if values:
            found[stage] = statistics.median(values)
    return found


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def _write(file: Path, text: str) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(file)
