"""Meaning in words, for `sayso ask`, `sayso say` and the reports: descriptions, conditions, times, moods."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sayso.domain.wording import plural
from sayso.representation import Condition, Description, Relation, Timing
from sayso.types import Clause, Role

_QUANTITY = {"the": "the", "a": "any one", "all": "all", "both": "both", "every": "every", "some": "some", "any": "any", "no": "no"}
_MOOD = {
    "question": "a question",
    "rule": "a standing rule",
    "hint": "a hint",
    "prohibition": "not to be done",
    "retracted": "taken back",
}
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last", "-2": "last but one"}
_DAY = 86_400.0  # s


def description_in_words(description: Description) -> str:
    """A description with every restriction: "any one cup, next to (the bread), not (the red one)"."""
    if description.parts:
        return f" {description.joined} ".join(description_in_words(part) for part in description.parts)
    if description.pronoun and not description.attributes and not description.restricted and description.pronoun != "one":
        return description.pronoun
    quantity = {"other": "another", "exactly": str(description.count)}.get(description.quantity) or _QUANTITY[description.quantity]
    if quantity == "the" and not description.text.startswith("the "):
        quantity = ""
    noun = description.head or ("one" if description.pronoun == "one" else "thing")
    if description.quantity in ("all", "both") or (description.quantity == "exactly" and description.count != 1):
        noun = plural(noun)
    order = _ORDINALS.get(description.order, description.order)
    named = " ".join(filter(None, (quantity, order, *description.attributes, noun))).replace("some thing", "something")
    return ", ".join((named, *_restrictions(description)))


def said_for(role: Role) -> str:
    """The words of a role with all of its restrictions: "the cup next to the bread"."""
    described = role.description.text if role.description is not None and role.description.restricted else ""
    return described if len(described) > len(role.text) else role.text


def role_in_words(role: Role) -> str:
    """What a role's description adds to its words: "any one cup, next to (the bread)"; empty if nothing."""
    description = role.description
    return description_in_words(description) if description is not None and description.restricted else ""


def meaning_in_words(role: Role) -> str:
    """What a role means: a quantity with its unit, what its description adds, or the id of its entity; empty if nothing."""
    return f"{role.value:.4g} {role.unit}".rstrip() if math.isfinite(role.value) else role_in_words(role) or role.entity


def modifiers_in_words(clause: Clause) -> tuple[str, ...]:
    """What a clause adds to its act, one line for each addition."""
    return tuple(_modifiers(clause))


def _restrictions(description: Description) -> Iterator[str]:
    yield from map(_relation, description.relations)
    if description.purpose:
        yield f"to {description.purpose}"
    yield from (f"not ({description_in_words(excluded)})" for excluded in description.excluded)
    if description.unknown:
        yield f"unknown: {' '.join(description.unknown)}"


def _relation(relation: Relation) -> str:
    landmarks = " and ".join(f"({description_in_words(landmark)})" for landmark in relation.landmarks)
    return f"{'not ' if relation.negated else ''}{relation.name.replace('_', ' ')} {landmarks}"


def _modifiers(clause: Clause) -> Iterator[str]:
    modifiers = clause.modifiers
    if modifiers.mood in _MOOD:
        asked = f": {modifiers.question.replace('_', ' ')}" if modifiers.question else ""
        yield f"{_MOOD[modifiers.mood]}{asked}"
    yield from map(_condition, modifiers.conditions)
    yield from map(_timing, modifiers.timings)
    if modifiers.repeat != 1:
        yield f"{modifiers.repeat} times"
    if modifiers.note:
        yield f"note: {modifiers.note}"
    if clause.left_over:
        yield f"not understood: {', '.join(f'“{word}”' for word in clause.left_over)}"


def _condition(condition: Condition) -> str:
    subject = f"({description_in_words(condition.subject)})" if condition.subject else ""
    state = _relation(condition.relation) if condition.relation else " ".join(filter(None, (condition.event, condition.attribute)))
    negated = "not" if condition.negated else ""
    return " ".join(filter(None, (condition.kind, subject, negated, state))) if subject or state else condition.text


def _timing(timing: Timing) -> str:
    if timing.problem:
        return f"{timing.text}: {timing.problem}"
    if not math.isfinite(timing.seconds):
        return timing.text
    day = {0: "", 1: " tomorrow"}.get(timing.day, f" in {timing.day} days")
    if timing.kind in ("at", "until"):
        hours, minutes = divmod(round(timing.seconds % _DAY / 60), 60)
        return f"{timing.kind} {hours:02d}:{minutes:02d}{day}"
    return f"{timing.kind} {_duration(timing.seconds)}{day}"


def _duration(seconds: float) -> str:
    """A duration in its largest whole unit: 300 s → "5 min"."""
    for unit, length in (("d", _DAY), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and seconds % length == 0.0:
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"
