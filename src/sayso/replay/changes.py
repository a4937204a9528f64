"""Differences from the last accepted run: words, posterior, decision, and time taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.replay.compare import paired
from sayso.replay.results import Bagful
from sayso.replay.types import UtteranceRecord

FIELDS = ("text", "rejected", "intent", "decision", "action", "question", "plan", "grounded", "asked", "chosen", "error")
SHIFTED = 0.005  # smaller changes of a posterior are rounding
SLOWER = 1.5  # times as long, and at least SLOWER_BY s longer: a busy machine is not a slower stage
SLOWER_BY = 0.05


@dataclass(frozen=True, slots=True)
class Change:
    """One utterance."""

    record: UtteranceRecord  # as it is now; as it was, if it is no longer heard
    differences: tuple[tuple[str, str, str], ...]  # field, before, now
    took: tuple[float, float] | None = None  # s before and now, if it takes markedly longer


def changes(bag: Bagful) -> list[Change]:
    """The utterances that changed, in order; empty if no run was accepted."""
    if not bag.accepted:
        return []
    before_took = {record.number: took for record, took in bag.accepted}
    now_took = {latency.number: latency.total for latency in bag.result.latencies}
    found = []
    for before, now in _pairs(bag):
        slow = None
        if before is not None and now is not None:
            was, takes = before_took.get(before.number), now_took.get(now.number)
            if was and takes and takes > SLOWER * was and takes > was + SLOWER_BY:
                slow = was, takes
        differences = tuple(_differences(before, now))
        record = now or before
        if record is not None and (differences or slow):
            found.append(Change(record, differences, slow))
    return found


def _pairs(bag: Bagful) -> Iterator[tuple[UtteranceRecord | None, UtteranceRecord | None]]:
    """(before, now): sound files are paired by name, utterances in bags by time."""
    before = [record for record, _ in bag.accepted]
    now = [record for record in bag.result.records if record.verdict != "missing"]
    if not any(record.file for record in (*before, *now)):
        yield from ((pair.first, pair.second) for pair in paired(before, now))
        return
    ours, theirs = ({(record.file, record.utterance_id): record for record in records} for records in (before, now))
    for key in sorted(ours.keys() | theirs.keys()):
        yield ours.get(key), theirs.get(key)


def _differences(before: UtteranceRecord | None, now: UtteranceRecord | None) -> Iterator[tuple[str, str, str]]:
    if before is None or now is None:
        yield "heard", _heard(before), _heard(now)
        return
    for name in FIELDS:
        if getattr(before, name) != getattr(now, name):
            yield name, getattr(before, name), getattr(now, name)
    if (before.p is None) != (now.p is None) or abs((before.p or 0.0) - (now.p or 0.0)) > SHIFTED:
        yield "p", _number(before.p), _number(now.p)


def _heard(record: UtteranceRecord | None) -> str:
    return "nothing" if record is None else f"“{record.text}” ({record.decision})"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
