"""Roles that no intent's role finder fills: of questions ("is anna in the study?"), of conditions, and of unknown people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec
from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, PRESENTING
from sayso.intent.meaning.describe import NounPhrase
from sayso.intent.reading import ENTITY_KINDS, PlainSegment
from sayso.representation import Condition, Description, Relation
from sayso.types import Role

ADDRESSED = frozenset(("you", "i", "we", "us", "me", "myself", "yourself", "ya"))
_THINGS, _PERSONS, _PLACES = ("it", "that", "they", "them", "this"), ("he", "she", "him", "her", "they"), ("there",)
_NO_THEMES = ("you", "i", "me", "there")
_ASKED_FOR = ("room", "place", "shelf", "drawer", "got", "who")
_PLACED = ("on", "in", "at", "under", "next_to", "behind", "in_front_of")


def question_roles(domain: Domain, phrases: Sequence[Description]) -> tuple[Role, ...]:
    """The roles of a question from its noun phrases, in order."""
    known = any(phrase.candidates for phrase in phrases)  # then "any idea" of "any idea where my phone is" is not what is asked about
    theme: Description | None = None
    place: Description | None = None
    for phrase in phrases:
        if phrase.head in _ASKED_FOR and not phrase.relations and phrase is not phrases[-1]:  # "which room is the laptop in"
            continue
        bare, landmark = _without_place(domain, phrase)
        if landmark is not None:
            theme, place = theme or bare, _either(place, landmark)
        elif _is_place(domain, phrase) and (theme is not None or place is not None):
            place = _either(place, phrase)
        elif theme is None and (phrase.candidates or not known or phrase.pronoun or _counted(phrase)) and phrase.pronoun not in _NO_THEMES:
            theme = phrase
    if theme is not None and place is None and len(phrases) == 1 and _is_place(domain, theme):
        return (role_of("theme", theme, "place"), role_of("source", theme, "place"))
    found = [role_of("theme", theme, _kind(domain, theme))] if theme is not None else []
    return (*found, *([role_of("source", place, "place")] if place is not None else []))


def condition_roles(domain: Domain, conditions: Sequence[Condition]) -> tuple[Role, ...]:
    """What conditions speak of, so that "it" in the clause can mean it: "if the phone is in the bedroom bring it to me"."""
    found = []
    for condition in conditions:
        if condition.subject is not None and condition.subject.candidates:
            found.append(role_of("theme", condition.subject, _kind(domain, condition.subject)))
        if condition.relation is not None and _is_place(domain, condition.relation.landmarks[0]):
            found.append(role_of("source", condition.relation.landmarks[0], "place"))
    return tuple(found)


def resolved(conditions: Sequence[Condition], roles: Sequence[Role]) -> tuple[Condition, ...]:
    """The conditions with what their pronouns mean in the clause: "unless it's already there put the sponge in the sink"."""
    thing, person = _filler(roles, "object", ("theme",)), _filler(roles, "person", ("recipient", "theme"))
    place = _filler(roles, "place", ("goal", "source", "theme"))
    return tuple(_resolved(condition, thing, person, place) for condition in conditions)


def with_condition_place(domain: Domain, roles: Sequence[Role], conditions: Sequence[Condition]) -> tuple[Role, ...]:
    """The roles with "it" as the place that a condition speaks of: "once the table is empty put the vase on it"."""
    subjects = [condition.subject for condition in conditions if condition.subject is not None and condition.attribute]
    found = next((subject.candidates for subject in subjects if _is_place(domain, subject)), ())
    return tuple(
        replace(role, entity=found[0][0], kind="place", score=found[0][1], candidates=found)
        if found and role.name == "goal" and not role.entity and role.text in ("it", "that", "this")
        else role
        for role in roles
    )


def _resolved(condition: Condition, thing: Description | None, person: Description | None, place: Description | None) -> Condition:
    subject, relation, attribute = condition.subject, condition.relation, condition.attribute
    if subject is not None and subject.pronoun in _THINGS and thing is not None:
        subject = thing
    elif subject is not None and subject.pronoun in _PERSONS and person is not None:
        subject = person
    if relation is None and attribute in _PLACES and place is not None:
        relation, attribute = Relation("at", (place,)), ""
    elif relation is not None:
        relation = replace(relation, landmarks=tuple(_meant(mark, thing, place) for mark in relation.landmarks))
    return replace(condition, subject=subject, relation=relation, attribute=attribute)


def _meant(landmark: Description, thing: Description | None, place: Description | None) -> Description:
    if landmark.pronoun in _PLACES or landmark.text == "there":
        return place or landmark
    return thing or landmark if landmark.pronoun in _THINGS and landmark.text != "that" else landmark


def _filler(roles: Sequence[Role], kind: str, names: Sequence[str]) -> Description | None:
    """What fills the first of these roles with an entity of that kind."""
    found = (role for name in names for role in roles if role.name == name and role.kind == kind and role.candidates)
    role = next(found, None)
    if role is None:
        return None
    bare = Description(role.text, role.start, role.end, head=role.text.split()[-1] if role.text else "", candidates=role.candidates)
    return role.description or bare


def with_people(intent: IntentSpec, segment: PlainSegment, roles: Sequence[Role]) -> tuple[Role, ...]:
    """The roles with their descriptions, and with the people whom no name of the home stands for.

    "Jordan" and "the woman in the yellow shirt" are unknown, "everybody" is all of them. Without this, the default would take their place.
    """
    described = segment.described(roles)
    free = [name for name, spec in intent.roles.items() if "person" in spec.kinds and all(role.name != name for role in described)]
    people_named = [phrase for phrase in segment.phrases if _is_person(phrase, described)] if free else []
    if any(word.text in PRESENTING for word in segment.words):  # "introduce her to all the guests"
        people_named = [phrase for phrase in people_named if phrase.preposition == "to"] or people_named
    phrase = next(iter(people_named), None)
    if phrase is None:
        someone = _nobody_known(segment, described) if free else None
        return described if someone is None else tuple(sorted((*described, replace(someone, name=free[0])), key=lambda role: role.start))
    people = phrase.description
    kept = (_before(role, people, segment) for role in described)
    role = role_of(free[0], people, "person")
    return tuple(sorted((*(role for role in kept if role is not None), role), key=lambda role: (role.start, role.name)))


def _is_person(phrase: NounPhrase, roles: Sequence[Role]) -> bool:
    """Whether the phrase stands for a person whom no role has."""
    name = phrase.description
    covered = any(role.start < name.end and name.start < role.end and role.kind in ENTITY_KINDS for role in roles)
    if covered or phrase.preposition not in ("", "to", "for", "with") or name.parts or name.text in ADDRESSED:
        return False
    if phrase.kind == "person":
        return name.plural or not name.candidates
    bare = name.head and not (name.candidates or name.attributes or name.restricted) and name.text == name.text.removeprefix("the ")
    in_words = any(role.start < name.end and name.start < role.end for role in roles)
    return bool(bare) and name.quantity == "the" and not in_words


def _nobody_known(segment: PlainSegment, roles: Sequence[Role]) -> Role | None:
    """The role of "him" or "her" when nobody was spoken of: not the speaker."""
    for at, word in enumerate(segment.words):
        after = segment.words[at + 1].text if at + 1 < len(segment.words) else "the"
        covered = any(role.start <= word.start < role.end for role in roles)
        if word.text in ("him", "her") and not covered and (word.text == "him" or after in DETERMINERS | PREPOSITIONS.keys()):
            return Role("", word.text, word.start, word.end, kind="person")
    return None


def _before(role: Role, people: Description, segment: PlainSegment) -> Role | None:
    """The role without the words of the people in it: the message "hello" of "say hello to the woman"; None if nothing is left."""
    if role.end <= people.start or people.end <= role.start:
        return role
    text = segment.whole[role.start : people.start].removesuffix(" ").removesuffix(" to").strip()
    return replace(role, text=text, end=role.start + len(text), entity="" if role.kind == "words" else role.entity) if text else None


def _counted(phrase: Description) -> bool:
    """Whether it is what "how many" asks about, also if the home has nothing of the kind."""
    return phrase.text.startswith("many ")


def _either(place: Description | None, other: Description) -> Description:
    """One of two places: "is the phone on the desk or on the nightstand"."""
    if place is None or not place.candidates or not other.candidates or place.candidates == other.candidates:
        return place or other
    parts = (*(place.parts or (place,)), other)
    return Description(f"{place.text} or {other.text}", place.start, other.end, candidates=place.candidates, parts=parts, joined="or")


def _without_place(domain: Domain, phrase: Description) -> tuple[Description, Description | None]:
    """The phrase without its relation to a place, and that place."""
    for relation in phrase.relations:
        if _at_place(domain, relation):
            rest = tuple(other for other in phrase.relations if other is not relation)
            return replace(phrase, relations=rest), relation.landmarks[0]
    return phrase, None


def _at_place(domain: Domain, relation: Relation) -> bool:
    return relation.name in _PLACED and not relation.negated and _is_place(domain, relation.landmarks[0])


def _is_place(domain: Domain, phrase: Description) -> bool:
    return bool(phrase.candidates) and phrase.candidates[0][0] in domain.places


def _kind(domain: Domain, phrase: Description) -> str:
    best = phrase.candidates[0][0] if phrase.candidates else ""
    return next((kind for kind, known in domain.by_kind.items() if best in known), "object")


def role_of(name: str, phrase: Description, kind: str) -> Role:
    """The role that a noun phrase fills."""
    entity, score = phrase.candidates[0] if phrase.candidates else ("", 0.0)
    return Role(name, phrase.text, phrase.start, phrase.end, entity, kind, score, phrase.candidates, description=phrase)
