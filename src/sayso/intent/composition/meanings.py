"""The meanings of a text, with their probabilities, and which of them is acted on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sayso.representation import Mood
from sayso.types import Clause, Support

STOP = "stop"
STOPPING = 0.2  # P(meaning | words) from which a stop is taken, whatever else may be meant: to stop for nothing does no harm
ANSWERING = 0.5  # P(meaning) relative to the likeliest, which can only be declined, from which a question is answered: that does no harm
LEAST_STRANGE = 1.0  # nats out of scope of talk


@dataclass(frozen=True, slots=True)
class ParsedMeaning:
    """What some of the parser's structures say."""

    clauses: tuple[Clause, ...]  # none of talk
    p: float  # of all of them


def chosen(meanings: Iterable[ParsedMeaning]) -> ParsedMeaning | None:
    """The likeliest meaning, or one that is likely enough to stop, or to answer rather than to decline; None if there is none."""
    ranked = sorted(meanings, key=lambda each: -each.p)
    stop = next((each for each in ranked if each.p >= STOPPING and any(map(_stops, each.clauses))), None)
    if stop is not None or not ranked or not _only(ranked[0], "unable"):
        return stop or next(iter(ranked), None)
    return next((each for each in ranked if _only(each, "question") and each.p >= ANSWERING * ranked[0].p), ranked[0])


def supported(meaning: ParsedMeaning, *, agreed: bool) -> tuple[Clause, ...]:
    """The clauses with what supports their sentence's meaning: its probability, and whether a second reader agrees."""
    return tuple(replace(clause, support=Support(meaning.p, agreed)) for clause in meaning.clauses)


def strangeness(p: float) -> float:
    """Nats: ln P(talk | words) / P(anything else | words) of what is rather talk."""
    return max(LEAST_STRANGE, math.log(p) - math.log(max(1.0 - p, 1e-6)))


def _only(meaning: ParsedMeaning, mood: Mood) -> bool:
    return bool(meaning.clauses) and all(clause.modifiers.mood == mood for clause in meaning.clauses)


def _stops(clause: Clause) -> bool:
    return clause.intent == STOP and clause.modifiers.mood == "request" and not clause.left_over
