"""Two readers, one meaning: the rules' reading of a sentence or the parser's, and what supports it.

The readers share nothing but the words. Where their meanings are the same, nothing is to be chosen. Else the parser's likeliest meaning is
taken if it is probable enough, but never against a reading that keeps the robot at rest: a stop, a ban, a habit, words taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sayso.intent.hearings import TextReading, meaning
from sayso.types import Clause, Support

PROBABLE = 0.9  # least P(meaning | words) of the parser to be taken against the rules
LIKELY = 0.5  # P of structures that say about the same, from which the parser agrees
RESTING = frozenset(("prohibition", "rule", "retracted"))  # moods that ask for nothing to be done
STOP = "stop"
STRANGE = 1.0  # nats: out of scope is what the robot cannot do, if the rules read nothing in it
DRIVEN = frozenset(("move", "turn"))  # intents of which a direction may be lost
CLEAR = 0.98  # least P(k | clause) of a clear act
ENTITIES = frozenset(("place", "object", "person"))


@dataclass(frozen=True, slots=True)
class ParsedMeaning:
    """What some of the parser's structures say."""

    clauses: tuple[Clause, ...]
    p: float  # of all of them


def reconciled(ruled: TextReading, text: str, parsed: Mapping[object, ParsedMeaning], gist: float) -> TextReading:
    """The reading that is acted on, with its support in each clause.

    Args:
        ruled: the rules' reading.
        text: the words that the parser read, of which its clauses count the characters.
        parsed: the parser's meanings, each by what `meaning` makes of its clauses.
        gist: P(a structure says about the same as the rules' reading): of what is not composed, a question or a habit.
    """
    alike = parsed.get(meaning(ruled.clauses))
    same = alike.p if alike is not None else 0.0
    best = max(parsed.values(), key=lambda each: each.p, default=None)
    if best is not None and best.p >= PROBABLE and best.p > same and _may_replace(best.clauses, ruled.clauses):
        strangeness = max((clause.out_of_scope for clause in ruled.clauses), default=STRANGE)
        clauses = tuple(replace(each, out_of_scope=strangeness) if each.modifiers.mood == "unable" else each for each in best.clauses)
        return TextReading(text, _supported(clauses, Support(best.p, agreed=False)))
    clauses = _with_lost(ruled.clauses, alike.clauses) if alike is not None else ruled.clauses
    return replace(ruled, clauses=_supported(clauses, Support(max(same, gist), agreed=alike is not None or best is None or gist >= LIKELY)))


def tells(clause: Clause) -> bool:
    """Whether the rules know what is to be told, shown or pointed at, or how somebody looks: of that the parser knows nothing."""
    told = clause.intent == "describe" or clause.modifiers.question != ""
    return (
        (told or describes_somebody(clause)) and clause.modifiers.mood == "request" and not clause.left_over and clause.out_of_scope <= 0.0
    )


def describes_somebody(clause: Clause) -> bool:
    """Whether it speaks of a person without a name."""
    return any(role.description is not None and role.description.pronoun == "person" for role in clause.roles)


def _may_replace(parsed: Sequence[Clause], ruled: Sequence[Clause]) -> bool:
    """Whether the parser's meaning is better than the rules': for a question that it can't answer, only than none at all."""
    if any(clause.modifiers.note for clause in parsed):
        return all(clause.out_of_scope > 0.0 for clause in ruled)
    if any(clause.modifiers.mood in RESTING or clause.negated for clause in ruled):
        return False
    if any(clause.modifiers.mood == "unable" for clause in parsed) and len(parsed) <= len(ruled) and all(map(_is_clear, ruled)):
        return False  # the rules know an act for it, and use every word
    return _stops(parsed) or not _stops(ruled)


def _is_clear(clause: Clause) -> bool:
    """Whether the act is clear, and each word has its part in it."""
    unlinked = any(role.kind in ENTITIES and not role.entity and not role.candidates for role in clause.roles)
    return not clause.left_over and not unlinked and clause.out_of_scope <= 0.0 and bool(clause.probabilities.max() >= CLEAR)


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
