"""Two readers, one meaning: the parser's reading of a sentence or the rules', and what supports it.

The rules are asked where the parser is not sure. Then the parser's likeliest meaning is taken, unless the rules' own is nearly as likely
by the parser's count, or keeps the robot at rest: a stop, a ban, a habit, words taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sayso.intent.hearings import TextReading, meaning
from sayso.intent.reading import ENTITY_KINDS
from sayso.types import Clause, Role, Support

LEAST = 0.1  # P(meaning | words) below which the parser has no meaning of its own
BOTH = 4.0  # odds for a meaning that the rules read too; counted on people's sentences that trained nothing
SURE = 0.9  # P(meaning) from which the parser needs no second opinion
CLEARLY = 0.6  # the same, against a reading of the rules that knows an act for each word
TALK = 0.8  # least P(talk | words) of the parser against the rules
RESTING = frozenset(("prohibition", "rule", "retracted"))  # moods that ask for nothing to be done
STOP = "stop"
STRANGE = 1.0  # nats: out of scope is what the robot cannot do, if the rules read nothing in it
DRIVEN = frozenset(("move", "turn"))  # intents of which a direction may be lost
CLEAR = 0.98  # least P(k | clause) of a clear act


@dataclass(frozen=True, slots=True)
class ParsedMeaning:
    """What some of the parser's structures say."""

    clauses: tuple[Clause, ...]
    p: float  # of all of them


def sure(text: str, parsed: Mapping[tuple[object, ...], ParsedMeaning]) -> TextReading | None:
    """The parser's reading of what it is sure of, if no second opinion can better it; None if the rules should be asked.

    Args:
        text: the words that the parser read.
        parsed: its meanings.
    """
    best = max(parsed.values(), key=lambda each: each.p, default=None)
    if best is None or not best.clauses or best.p < SURE:
        return None
    moods = {clause.modifiers.mood for clause in best.clauses}
    stopped = any(_stops(each.clauses) for each in parsed.values()) and not _stops(best.clauses)
    if "unable" in moods or stopped or not all(is_known(role) or _is_told(role) for clause in best.clauses for role in clause.roles):
        return None  # whether there is an act, an answer or a name after all, the rules know; a stop is never lost
    return TextReading(text, _supported(best.clauses, Support(best.p)))


def reconciled(ruled: TextReading, text: str, parsed: Mapping[tuple[object, ...], ParsedMeaning]) -> TextReading:
    """The reading that is acted on, with its support in each clause.

    Args:
        ruled: the rules' reading.
        text: the words that the parser read, of which its clauses count the characters.
        parsed: the parser's meanings, each by what `meaning` makes of its clauses.
    """
    alike = parsed.get(meaning(ruled.clauses))
    same = alike.p if alike is not None else 0.0
    best = max(parsed.values(), key=lambda each: each.p, default=None)
    if best is not None and not best.clauses:
        return _as_talk(ruled, best.p, same)
    if best is not None and best.p >= LEAST and best.p > BOTH * same and _may_replace(best, ruled.clauses):
        clauses = _as_strange(best.clauses, ruled.clauses, acts=best.p < SURE)
        return TextReading(text, _supported(clauses, Support(best.p, agreed=False)))
    clauses = _with_lost(ruled.clauses, alike.clauses) if alike is not None else ruled.clauses
    return replace(ruled, clauses=_supported(clauses, Support(same, agreed=alike is not None)))


def _as_talk(ruled: TextReading, p: float, same: float) -> TextReading:
    """The rules' reading of what the parser takes for talk: it is none of the robot's business, if that is probable enough."""
    clauses = _supported(ruled.clauses, Support(same, agreed=False))
    if p >= TALK and not any(clause.intent == STOP for clause in clauses):  # in whatever words: to stop for nothing does no harm
        clauses = tuple(replace(clause, out_of_scope=max(clause.out_of_scope, STRANGE)) for clause in clauses)
    return replace(ruled, clauses=clauses)


def describes_somebody(clause: Clause) -> bool:
    """Whether it speaks of a person without a name."""
    return any(role.description is not None and role.description.pronoun == "person" for role in clause.roles)


def _may_replace(parsed: ParsedMeaning, ruled: Sequence[Clause]) -> bool:
    """Whether the parser's meaning is better than the rules': for a question that it can't answer, only than none at all."""
    if any(clause.modifiers.note and clause.modifiers.mood == "unable" for clause in parsed.clauses):
        return all(clause.out_of_scope > 0.0 for clause in ruled)
    if any(clause.modifiers.mood in RESTING or clause.negated for clause in ruled):
        return all(clause.modifiers.mood in RESTING or clause.negated for clause in parsed.clauses)
    unable = any(clause.modifiers.mood == "unable" for clause in parsed.clauses)
    if all(map(_is_clear, ruled)) and (parsed.p < CLEARLY or (unable and len(parsed.clauses) <= len(ruled))):
        return False  # the rules know an act for each word
    return _stops(parsed.clauses) or not _stops(ruled)


def _as_strange(parsed: Sequence[Clause], ruled: Sequence[Clause], *, acts: bool) -> tuple[Clause, ...]:
    """The parser's clauses; a question without an answer is out of scope, if the rules read nothing in it; so are `acts` that it lacks."""
    strangeness = max((clause.out_of_scope for clause in ruled), default=STRANGE)
    return tuple(
        replace(each, out_of_scope=strangeness) if each.modifiers.mood == "unable" and (acts or each.modifiers.note) else each
        for each in parsed
    )


def _is_clear(clause: Clause) -> bool:
    """Whether the act is clear, and each word has its part in it."""
    return (
        not clause.left_over
        and all(map(is_known, clause.roles))
        and clause.out_of_scope <= 0.0
        and bool(clause.probabilities.max() >= CLEAR)
    )


def is_known(role: Role) -> bool:
    """Whether it is no thing, place or person, or one that the home knows."""
    return role.kind not in ENTITY_KINDS or bool(role.entity or role.candidates)


def _is_told(role: Role) -> bool:
    """Whether more than a name says what it is."""
    described = role.description
    return described is not None and bool(described.relations or described.parts or described.purpose)


def _with_lost(ruled: Sequence[Clause], parsed: Sequence[Clause]) -> tuple[Clause, ...]:
    """The rules' clauses, with the words that the parser could not use either: "face north", where both only know how to turn."""
    if len(ruled) != len(parsed):
        return tuple(ruled)
    found = []
    for one, other in zip(ruled, parsed, strict=True):
        lost = other.left_over if one.intent in DRIVEN else ()
        found.append(replace(one, left_over=tuple(dict.fromkeys((*one.left_over, *lost)))))
    return tuple(found)


def _stops(clauses: Sequence[Clause]) -> bool:
    return any(clause.intent == STOP and clause.modifiers.mood == "request" and _is_clear(clause) for clause in clauses)


def _supported(clauses: Sequence[Clause], support: Support) -> tuple[Clause, ...]:
    return tuple(replace(clause, support=support) for clause in clauses)
