"""The known meaning of recorded utterances: from the expectations beside a bag, and from the answers in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sayso.errors import SaysoError
from sayso.replay.expectations import Expectation, Expected
from sayso.replay.results import Bagful
from sayso.replay.session import jobs, session
from sayso.replay.types import ReplayConfig, UtteranceRecord


@dataclass(frozen=True, slots=True)
class ConfirmedUtterance:
    """An utterance of one clause whose meaning is known."""

    bag: str
    text: str
    meant: tuple[str, ...]  # actions as text, any of which is right
    posterior: tuple[tuple[str, float], ...]  # (action as text, probability) of its candidates


def confirmed(bags: list[Path], config: ReplayConfig) -> Iterator[ConfirmedUtterance]:
    """Play the bags and yield the utterances with a known meaning.

    Raises:
        SaysoError: a bag cannot be read.
    """
    for bag in session(jobs(bags), config):
        if bag.result.failed:
            raise SaysoError(bag.result.failed)
        yield from _of(bag)


def _of(bag: Bagful) -> Iterator[ConfirmedUtterance]:
    answered = {record.answers: record.action for record in bag.result.records if record.answers and record.decision == "execute"}
    for record, detail in zip(bag.result.records, bag.result.details, strict=True):
        posterior = tuple((row["action"], float(row["probability"])) for row in detail.get("candidates", ()))
        if record.clauses != 1 or record.answers or not posterior:
            continue
        meant = _expected(bag.expected, record) or ((answered[record.utterance_id],) if record.utterance_id in answered else ())
        if meant:
            yield ConfirmedUtterance(bag.result.bag, record.text, meant, posterior)


def _expected(expected: Expected | None, record: UtteranceRecord) -> tuple[str, ...]:
    """The expected actions of that utterance."""
    if expected is None:
        return ()
    near = [one for one in expected.utterances if one.action and _is_about(one, record, expected.tolerance)]
    return min(near, key=lambda one: abs((one.t or 0.0) - record.t)).action if near else ()


def _is_about(one: Expectation, record: UtteranceRecord, tolerance: float) -> bool:
    return one.file == record.file if one.file else one.t is not None and abs(one.t - record.t) <= tolerance
