"""What a request to speak is about, if it names only that: "tell anna the time", "say something about yourself", "tell a joke"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from sayso.intent.meaning.lists import tables
from sayso.intent.meaning.own_questions import own_question
from sayso.representation import QuestionName, Relation
from sayso.types import Clause, Role

_SPEAKING = frozenset(("tell", "answer", "repeat"))  # intents
_MEETING = frozenset(("find", "greet", "come_here"))
_ANYTHING: QuestionName = "self"  # what the robot speaks of when it may choose
_PRESENTING = re.compile(r"\b(?:introduce|present) (?P<who>(?!me\b|us\b|you\b|yourself\b|myself\b|the\b|an?\b)[\w']+)(?= to\b)")
_PRONOUNS = frozenset(("him", "her", "them"))


def with_subjects(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """The clauses with `modifiers.question` for what a request to speak names; "introduce her to ben" with the words for it."""
    found: list[Clause] = []
    for clause in clauses:
        spoken = _presenting(found, clause)
        subject = _subject(spoken) if spoken.intent in _SPEAKING and spoken.modifiers.mood == "request" and not spoken.negated else None
        found.append(spoken if subject is None else _speaking(found, spoken, subject))
    return tuple(found)


def _speaking(before: Sequence[Clause], clause: Clause, subject: QuestionName) -> Clause:
    """The clause about that subject; without a listener it is for whom the clause before it finds: "find anna and tell a joke"."""
    roles = clause.roles
    if clause.role("recipient") is None and before and before[-1].intent in _MEETING:
        people = [role for role in before[-1].roles if role.kind == "person" or _is_described(role)]
        roles = (*roles, *(_listener(role, before[-1].role("source")) for role in people[:1]))
    return replace(clause, roles=roles, modifiers=replace(clause.modifiers, question=subject), left_over=())


def _listener(found: Role, place: Role | None) -> Role:
    """The person whom a clause finds at a place, as the one who is told."""
    described = found.description
    if described is not None and not described.relations and place is not None and place.description is not None:
        described = replace(described, relations=(Relation("in", (place.description,)),))
    return replace(found, name="recipient", kind="person", description=described)


def _is_described(role: Role) -> bool:
    return role.description is not None and role.description.pronoun == "person"


def _subject(clause: Clause) -> QuestionName | None:
    message = clause.role("message")
    text = message.text if message is not None else clause.text
    if _pattern("anything").fullmatch(clause.text):
        return _ANYTHING
    if _pattern("invitation").fullmatch(clause.text) or _pattern("invitation").fullmatch(text):
        return "invitation"
    known = next((name for name in ("joke", "self") if _pattern(name).fullmatch(text)), None)
    return cast("QuestionName", known) if known else own_question(text) or own_question(f"tell me {text}")


def _presenting(before: Iterable[Clause], clause: Clause) -> Clause:
    """The clause with the words for it, "this is anna", if it asks to make somebody known to others."""
    found = _PRESENTING.search(clause.text)
    if found is None or clause.role("recipient") is None:
        return clause
    who = found["who"]
    if who in _PRONOUNS:
        people = [role for each in before for role in each.roles if role.kind == "person" and role.entity and role.text]
        if not people:
            return clause
        who = people[-1].entity.replace("_", " ")
    start = clause.start + found.start("who")
    words = Role("message", f"this is {who}", start, start + len(found["who"]), kind="words")
    others = tuple(role for role in clause.roles if role.name == "recipient" and role.text != found["who"])
    return replace(clause, roles=(words, *others), left_over=tuple(word for word in clause.left_over if word != found["who"]))


@lru_cache(maxsize=8)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in tables("subjects.yaml")[name]))
