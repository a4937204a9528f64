"""Whether an understanding carries the conditions, times, standing rules and questions of a label."""

from __future__ import annotations

import math
import re

from _meaning_actions import Interpretation, fits
from _meaning_labels import Expression, Label, LabelledAct
from _meaning_restrictions import keeps, same_word
from _meaning_words import covers, negated, same_value, stems, stems_in_order
from sayso.representation import Condition, Description, Timing
from sayso.types import Clause

_SAME_CONDITION = ({"when", "after"}, {"if", "unless"}, {"when", "if"}, {"when", "while"}, {"after", "until"})
_SAME_QUESTION = ({"where", "which"}, {"where", "yes_no"}, {"what", "which"}, {"who", "which"})
_STRICT = frozenset(("if", "unless", "when", "until"))  # a condition of these kinds that wasn't said makes another sentence
_LATER = frozenset(("in", "at", "every"))
# Words of labels that a sentence may say otherwise, and pronouns, each of which may stand for a word of the label.
_LIGHT = frozenset(("in", "on", "at", "inside", "into", "someth", "somebod", "someon", "anyth", "anybod", "anyon"))
_PRONOUN = re.compile(r"\b(it|he|she|they|them|him|her|there|one|some|i|me|my|we)\b")
_DAYTIME = re.compile(r"\b(am|pm|morning|afternoon|evening|night|tonight|noon|midnight)\b|\b([01]\d|2[0-3]):[0-5]\d")
_CLOCK = re.compile(r"(?:(today|tomorrow)\s+)?(\d{1,2}):(\d{2})")
ENOUGH = 0.6  # of a condition's words


def carries(given: Interpretation, label: Label) -> bool:
    """Whether all restrictions, conditions and times are there, and no condition or time that wasn't said."""
    modifiers = [clause.modifiers for clause in given.understanding.clauses]
    conditions = [each.kind for of in modifiers for each in of.conditions]
    timings = [each.kind for of in modifiers for each in of.timings]
    return (
        all(keeps(given, each) for each in label.keep)
        and all(_conditional(given, kind, words) for kind, words in label.conditions)
        and all(_timed(given, label, kind, value) for kind, value in label.timings)
        and (bool(label.conditions) or not _STRICT & {*conditions})
        and (bool(label.timings or label.conditions or label.rule) or not _LATER & {*timings})
    )


def _conditional(given: Interpretation, kind: str, words: str) -> bool:
    modifiers = [clause.modifiers for clause in given.understanding.clauses]
    if any(_holds(condition, kind, words) for of in modifiers for condition in of.conditions):
        return True
    spoken = [timing.text for of in modifiers for timing in of.timings]
    return kind in ("until", "before", "after") and any(covers(text, words) for text in spoken)


def _holds(condition: Condition, kind: str, words: str) -> bool:
    if not same_word(kind, condition.kind, _SAME_CONDITION):
        return False
    wanted = negated(words) != (kind == "unless")
    held = condition.negated != (condition.kind == "unless")
    parts = (condition.subject, *(condition.relation.landmarks if condition.relation else ()))
    known = " ".join((condition.text, condition.event, condition.attribute, *(entities_of(part) for part in parts if part)))
    return wanted == held and _mostly(known, words, len(_PRONOUN.findall(condition.text.lower())))


def _mostly(known: str, words: str, pronouns: int = 0) -> bool:
    """Whether the text holds the first and most of the words: labels say in short words what a person says in more or in others."""
    wanted = [word for word in stems_in_order(words) if word not in _LIGHT and not negated(word)]
    held = [word in stems(known) for word in wanted]
    enough = ENOUGH * len(held)
    return not held or ((held[0] or pronouns > 0) and sum(held) >= 0.5 and sum(held) + pronouns >= enough)


def entities_of(description: Description) -> str:
    """The ids of the best candidates."""
    best = max((score for _, score in description.candidates), default=0.0)
    return " ".join(entity for entity, score in description.candidates if score >= best - 1e-6)


def _timed(given: Interpretation, label: Label, kind: str, value: str) -> bool:
    timings = [timing for clause in given.understanding.clauses for timing in clause.modifiers.timings]
    if not re.search(r"\d", value) and any(covers(timing.text, value) for timing in timings):  # "morning"
        return True
    if any(timing.kind == kind and any(_equal(part.strip(), timing, label) for part in value.split("|")) for timing in timings):
        return True
    spans = [action.argument("extent") for action in given.understanding.actions]
    return kind in ("for", "in") and any(span and same_value(value, span) for span in spans)  # "wait for ten seconds"


def _equal(value: str, timing: Timing, label: Label) -> bool:
    clock = _CLOCK.fullmatch(value)
    if not clock:
        return same_value(value, str(timing.seconds))
    wanted = 3600.0 * int(clock[2]) + 60.0 * int(clock[3])
    # "At six" is six in the morning or in the evening.
    day = 86400.0 if _DAYTIME.search(label.say.lower()) else 43200.0
    same_day = clock[1] != "tomorrow" or timing.day == 1
    return same_day and math.isfinite(timing.seconds) and math.isclose(wanted % day, timing.seconds % day, abs_tol=1.0)


def rules(given: Interpretation, wanted: LabelledAct) -> bool:
    """Whether a clause is that standing rule: a prohibition, or a habit with its time or event."""
    for index, clause in enumerate(given.understanding.clauses):
        if not _standing(clause):
            continue
        held = [each.action for each in given.understanding.action_belief.candidates if each.clause == index]
        acts = [LabelledAct((action.name,), tuple(((role,), (value,)) for role, value in action.arguments)) for action in held[:1]]
        if any(fits(given, wanted, act) for act in acts or [LabelledAct((clause.intent,))]):
            return True
    return False


def _standing(clause: Clause) -> bool:
    modifiers = clause.modifiers
    often = any(timing.kind == "every" for timing in modifiers.timings) or any(each.kind == "when" for each in modifiers.conditions)
    return modifiers.mood in ("rule", "prohibition") or often


def answers(given: Interpretation, wanted: Expression) -> bool:
    """Whether a clause is that question: where(keys)."""
    return any(_asks(given, clause, wanted) for clause in given.understanding.clauses)


def _asks(given: Interpretation, clause: Clause, wanted: Expression) -> bool:
    held = clause.modifiers.question
    if not held or not any(same_word(name, held, _SAME_QUESTION) for name in wanted.name.split("|")):
        return False
    entities = [role.entity for role in clause.roles]
    best = [entities_of(role.description) for role in clause.roles if role.description]
    named = [name for entity in entities for name in _names(given, entity)]
    said = [role.text for role in clause.roles]  # with restrictions: "people … are sitting"
    known = " ".join((clause.text, *said, *entities, *best, *named))
    return all(any(_mostly(known, part) for part in argument.split("|")) for argument in wanted.arguments)


def _names(given: Interpretation, entity: str) -> tuple[str, ...]:
    held = given.domain.entity(entity)
    return held.names if held else ()
