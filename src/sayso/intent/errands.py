"""Merges clauses that together are one task: "get the apple and put it on the desk" is a put, with the apple from the first clause.
"Stop, stop" is one stop, and "count the cups and report to me" one count.

"Get" alone would be a bring, to the speaker. A pick-up stays a step of its own, unless it is of several things, or of one that is
only described: one gripper holds one thing, and "it" must be the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.representation import Modifiers, Relation
from sayso.types import Clause, Role

TAKING = frozenset(("bring", "find"))  # the first clause only obtains the thing …
GIVING = frozenset(("put", "bring", "give"))  # … and the second says what it is for
ANSWERED = frozenset(("count", "describe"))  # what the robot answers
TELLING = frozenset(("tell", "answer", "repeat"))
SPEAKER = frozenset(("me", "us"))
PRONOUNS = frozenset(("it", "them", "that", "this", "those", "these", "them both", "both", "both of them", "all of them"))
_PLAIN = Modifiers()


def merged(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses, with each taking and the giving after it merged into one clause with the intent of the giving.

    Of a request that is said again ("hang on, wait for two minutes"), the last one is kept.
    """
    result: list[Clause] = []
    for each in clauses:
        clause = _met_there(result, _led_back(result, each))
        if result and _continues(result[-1], clause):
            result[-1] = _joined(result[-1], clause)
        elif result and _is_report(result[-1], clause):
            result[-1] = replace(result[-1], text=f"{result[-1].text} and {clause.text}")
        elif result and _repeats(result[-1], clause):
            result[-1] = replace(clause, text=f"{result[-1].text} {clause.text}", start=result[-1].start)
        else:
            result.append(clause)
    return tuple(result)


def _continues(first: Clause, then: Clause) -> bool:
    """Whether the second clause says what to do with the thing that the first one takes."""
    taken, given = first.role("theme"), then.role("theme")
    if taken is None or given is None or then.intent not in GIVING:
        return False
    if first.intent not in TAKING and not (first.intent == "pick_up" and _described(taken)):
        return False
    if first.negated or then.negated or first.modifiers != _PLAIN or then.modifiers != _PLAIN:
        return False
    named = first.role("recipient")
    return given.text in PRONOUNS and taken.kind == "object" and (named is None or named.start == named.end or first.intent == "find")


def _is_report(first: Clause, then: Clause) -> bool:
    """Whether the second clause only says that the answer to the first one is to be told: "and report to me"."""
    if first.intent not in ANSWERED or then.intent not in TELLING or {*then.left_over} - {"report"}:
        return False
    to = then.role("recipient")
    return all(role is to for role in then.roles) and (to is None or to.text in SPEAKER) and then.modifiers == _PLAIN and not then.negated


def _repeats(first: Clause, then: Clause) -> bool:
    """Whether the second clause says the first one again, or more exactly: "stop stop", "hang on, wait there for two minutes"."""
    plain = first.modifiers == _PLAIN and then.modifiers == _PLAIN and not (first.negated or then.negated)
    bare = not first.left_over and all(_is_own_text(first, role) for role in first.roles)
    return plain and bare and first.intent == then.intent and first.start < first.end and then.start < then.end


def _is_own_text(clause: Clause, role: Role) -> bool:
    """Whether the role only holds the clause's own words: "come again" asks for no other words to be said."""
    return role.kind == "words" and role.text == clause.text


def _described(taken: Role) -> bool:
    """Whether the words are of several things, or of one among several."""
    return taken.description is not None and (taken.description.restricted or len(taken.candidates) > 1)


def _led_back(before: Sequence[Clause], clause: Clause) -> Clause:
    """The clause with the place where its person was met as its goal: "meet ben at the door, follow him, and lead him back"."""
    person = clause.role("recipient")
    if clause.intent != "guide" or person is None or clause.role("goal") is not None or "back" not in clause.text.split():
        return clause
    met = (role for each in before for role in each.roles if role.entity == person.entity and role.description is not None)
    places = [link.landmarks[0] for role in met if role.description for link in role.description.relations if link.name in ("at", "in")]
    if not places or not places[0].candidates:
        return clause
    (place, score), *_ = places[0].candidates
    goal = Role("goal", places[0].text, places[0].start, places[0].end, place, "place", score, places[0].candidates, description=places[0])
    return replace(clause, roles=(*clause.roles, goal))


def _met_there(before: Sequence[Clause], clause: Clause) -> Clause:
    """The clause with its person, or the first of its things, where the clauses before it are about.

    "Go to the kitchen, find a waving person, tell her the time"; "go to the kitchen and bring me the biggest thing", "… find a drink".
    """
    if clause.role("source") is not None:
        return clause
    roles = tuple(_placed(before, role) if _is_somebody(role) or _is_there(role, clause.intent) else role for role in clause.roles)
    return replace(clause, roles=roles) if roles != clause.roles else clause


def _is_somebody(role: Role) -> bool:
    """Whether it is a person who is only described, and of whom no place is said."""
    described = role.description
    return described is not None and described.pronoun == "person" and not (described.relations or described.candidates or described.plural)


def _is_there(role: Role, intent: str) -> bool:
    """Whether it is a thing without a place that an order alone tells apart, "the biggest thing", or any one to be found, "a drink"."""
    described = role.description
    if role.name != "theme" or role.kind != "object" or described is None or described.relations:
        return False
    return bool(described.order) or (intent == "find" and described.quantity in ("a", "any", "some"))


def _placed(before: Sequence[Clause], role: Role) -> Role:
    """The role with the place of the same person in an earlier clause, or else of the last drive."""
    assert role.description is not None
    for each in reversed(before):
        same = next((other for other in each.roles if other.description is not None and other.text == role.text), None)
        if same is not None and same.description is not None and same.description.relations:
            return replace(role, description=replace(role.description, relations=same.description.relations))
        place = each.role("source") if same is not None else each.role("goal") if each.intent == "go_to" else None
        if place is not None and place.kind == "place" and place.description is not None:
            return replace(role, description=replace(role.description, relations=(Relation("in", (place.description,)),)))
    return role


def _joined(first: Clause, then: Clause) -> Clause:
    """The second clause with the thing and the source of the first one."""
    taken = [role for role in first.roles if role.name in ("theme", "source")]
    kept = [role for role in then.roles if role.name not in {one.name for one in taken}]
    roles: tuple[Role, ...] = tuple(sorted([*taken, *kept], key=lambda role: (role.start, role.name)))
    return replace(
        then,
        text=f"{first.text} and {then.text}",
        start=first.start,
        roles=roles,
        out_of_scope=max(first.out_of_scope, then.out_of_scope),
        left_over=(*first.left_over, *then.left_over),
    )
