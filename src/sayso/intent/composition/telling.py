"""Acts of speaking: "tell ben the time", "answer a question", "introduce anna to ben"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast, get_args

from sayso.domain import Domain
from sayso.intent.composition.filling import in_order
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.parser.tree import SpanNode
from sayso.representation import QuestionName, Relation
from sayso.types import Clause, Role

TELL, ANSWER, GREET = "tell", "answer", "greet"  # intents
TELLING = frozenset((TELL, ANSWER))  # intents
SOMEBODY = "person"  # the pronoun of whoever fits a description: "the waving person", "a man"
INVITATION: QuestionName = "invitation"
SPEAKING = TELLING | {GREET}
MESSAGE = "message"
EVENTS = frozenset(("when", "if", "after"))  # conditions that may be what is to be told
PEOPLE = frozenset(("theme", "recipient"))  # labels of people who are made known to each other
KINDS = get_args(QuestionName)
OF_ITSELF = frozenset(KINDS[KINDS.index("abilities") :])  # kinds of questions about the robot and its clock, and what it can tell


def told(act: SpanNode, words: SpannedWords, kind_of: Callable[[str], str]) -> QuestionName | None:
    """What an act of speaking is to tell of the robot itself: "tell anna the time"; None if it says what to say."""
    asked = act.child("question")
    message = act.child(MESSAGE)
    if asked is None and message is not None and (kind := kind_of(words.text(message))) in OF_ITSELF:
        return cast("QuestionName", kind)
    if asked is not None:
        return cast("QuestionName", asked.value) if asked.value in OF_ITSELF else None
    return INVITATION if act.value == ANSWER and act.child(MESSAGE) is None else None


def telling(clause: Clause, kind: QuestionName) -> Clause:
    """The clause that is to tell that, in the robot's own words."""
    roles = tuple(role for role in clause.roles if role.name not in (MESSAGE, "theme"))
    return replace(clause, roles=roles, left_over=(), modifiers=replace(clause.modifiers, question=kind))


def asking(act: SpanNode) -> tuple[SpanNode, ...]:
    """The parts of an act of answering, with whoever has the question as the recipient: "answer the quiz of the woman"."""
    owner = next((each for child in act.children for each in child.all(lambda node: node.label == "owner")), None)
    if owner is None or act.child("recipient") is not None:
        return act.children
    return (*(child for child in act.children if child.label != "theme"), replace(owner, label="recipient"))


def presented(act: SpanNode) -> SpanNode | None:
    """Who is made known to somebody else by an act of greeting: "introduce anna to ben"; None if nobody is."""
    people = [child for child in act.children if child.label in PEOPLE]
    return people[0] if act.value == GREET and len(people) > 1 else None


def with_people(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, each with the people whom the ones before it tell: to whom it speaks, and whom its pronouns mean."""
    found: list[Clause] = []
    for clause in clauses:
        found.append(_with_somebody(_listening(clause, found[-1]), found) if found else clause)
    return found


def _listening(clause: Clause, before: Clause) -> Clause:
    """The clause of speaking without a listener, to the person with whom the one before it has to do: "find anna and say goodbye"."""
    spoken = clause.intent in SPEAKING and {clause.modifiers.mood, before.modifiers.mood} == {"request"}
    if not spoken or clause.role("recipient") is not None:
        return clause
    person = _somebody(before)
    return clause if person is None else replace(clause, roles=(*clause.roles, replace(person, name="recipient")))


def _with_somebody(clause: Clause, before: Sequence[Clause]) -> Clause:
    """The clause, whose pronoun means whom another one before it only describes: "find the waving person and guide them to the door"."""
    met = next((person for each in reversed(before) if (person := _somebody(each)) is not None), None)
    if met is None or met.entity or met.description is None or met.description.pronoun != SOMEBODY:
        return clause
    pronouns = {role.name for role in clause.roles if _refers_to_somebody(role)}
    return replace(clause, roles=tuple(replace(met, name=role.name) if role.name in pronouns else role for role in clause.roles))


def _refers_to_somebody(role: Role) -> bool:
    """Whether the role is a pronoun of a person whom nothing tells yet."""
    described = role.description
    return role.kind == "person" and not role.entity and described is not None and described.pronoun not in ("", SOMEBODY)


def _somebody(clause: Clause) -> Role | None:
    """The person with whom a clause has to do, at the place where it looks for them; None if there is none."""
    person = next((role for role in clause.roles if role.kind == "person" and role.name in PEOPLE), None)
    described, place = person.description if person is not None else None, clause.role("source")
    if person is None or described is None or described.relations or place is None or place.description is None:
        return person
    return replace(person, description=replace(described, relations=(Relation("in", (place.description,)),)))


def with_event(domain: Domain, clause: Clause, words: SpannedWords) -> Clause:
    """The clause with the event of its condition as its message, if it has none: "alert me when someone enters the room"."""
    specs = domain.intents[clause.intent].roles if clause.modifiers.mood == "request" else {}
    name = next((name for name, spec in specs.items() if set(spec.kinds) == {"words"} and spec.required), "")
    event = next((each for each in clause.modifiers.conditions if each.kind in EVENTS and each.subject is not None), None)
    if not name or clause.role(name) is not None or event is None or event.subject is None:
        return clause
    said = Role(name, words.whole[event.subject.start : event.end], event.subject.start, event.end, kind="words", score=1.0)
    return replace(clause, roles=in_order((*clause.roles, said)))
