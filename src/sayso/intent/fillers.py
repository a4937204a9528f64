"""What the noun phrases of a clause add to its roles: people described, goals beside things, and where somebody or something is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.domain.model import IntentSpec
from sayso.intent.meaning.describe import NounPhrase
from sayso.intent.meaning.noun_words import RELATIONS
from sayso.intent.reading import Piece, Segment
from sayso.representation import Description, Relation, RelationName
from sayso.types import Role

SOMEWHERE = "somewhere"  # pronoun of a place that is described by what is there: "beside the laptop"
_BESIDE: frozenset[RelationName] = frozenset(("under", "above", "left_of", "right_of", "behind", "in_front_of", "between"))
_TO_PEOPLE = frozenset(("", "to", "for", "with", "after", "behind"))
_TOWARDS = {"to": "at", "into": "in", "onto": "on"}


def completed(domain: Domain, intent: IntentSpec, segment: Segment, piece: Piece, roles: Sequence[Role]) -> tuple[Role, ...]:
    """The roles of a clause, with what its noun phrases add.

    Args:
        domain: the home.
        intent: of the clause.
        segment: of the clause.
        piece: the clause.
        roles: with their places in the whole text and their descriptions.
    """
    found = list(roles)
    phrases = segment.phrases_of(piece)
    for phrase in phrases:
        name = _relation(phrase)
        filled = next((role for role in found if _covers(role, phrase)), None)
        if filled is None and _is_person(phrase) and phrase.preposition in _TO_PEOPLE and (free := _free(intent, found)):
            found.append(_role(free, "person", phrase))
        elif name and _names_object(domain, phrase) and _takes_goal(intent, found, filled):
            found = [role for role in found if role is not filled and role.name != "goal"]
            found.append(_somewhere("goal", name, phrase))
        elif name in _BESIDE and filled is not None and filled.name in ("goal", "source") and filled.kind == "place" and filled.entity:
            found[found.index(filled)] = replace(filled, description=_somewhere(filled.name, name, phrase).description)
        elif filled is None and name and _names_place(domain, phrase):
            _attach(found, name, phrase)
    return tuple(sorted(found, key=lambda role: (role.start, role.name)))


def _relation(phrase: NounPhrase) -> RelationName | None:
    """The relation of the phrase's preposition."""
    words = phrase.preposition
    return RELATIONS.get(tuple(words.split())) or RELATIONS.get((_TOWARDS.get(words, ""),))


def _covers(role: Role, phrase: NounPhrase) -> bool:
    described = phrase.description
    return role.start < described.end and described.start < role.end


def _is_person(phrase: NounPhrase) -> bool:
    """Whether it describes a person without a name: "the woman in the kitchen"."""
    return phrase.kind == "person" and phrase.description.pronoun == "person"


def _free(intent: IntentSpec, roles: Sequence[Role]) -> str:
    """A role of the intent for a person that nothing fills; empty for none."""
    filled = {role.name for role in roles}
    return next((name for name, spec in intent.roles.items() if "person" in spec.kinds and name not in filled), "")


def _names_object(domain: Domain, phrase: NounPhrase) -> bool:
    best = phrase.description.candidates[:1]
    return bool(best) and best[0][0] in domain.objects


def _names_place(domain: Domain, phrase: NounPhrase) -> bool:
    best = phrase.description.candidates[:1]
    return bool(best) and best[0][0] in domain.places


def _takes_goal(intent: IntentSpec, roles: Sequence[Role], filled: Role | None) -> bool:
    """Whether a thing is put beside the phrase's thing: the intent has a goal that no place fills, and a theme."""
    goal, theme = intent.roles.get("goal"), next((role for role in roles if role.name == "theme" and role is not filled), None)
    if goal is None or "place" not in goal.kinds or theme is None:
        return False
    return (filled is None or filled.name == "goal") and not any(
        role.name == "goal" and role.kind == "place" and role.entity for role in roles
    )


def _role(name: str, kind: str, phrase: NounPhrase) -> Role:
    described = phrase.description
    best = described.candidates[0] if described.candidates else ("", 0.0)
    return Role(name, described.text, described.start, described.end, best[0], kind, best[1], described.candidates, description=described)


def _somewhere(name: str, relation: RelationName, phrase: NounPhrase) -> Role:
    """The role of a place that is described by a thing or a place beside it."""
    landmark = phrase.description
    words = f"{phrase.preposition} {landmark.text}"
    place = Description(words, landmark.start, landmark.end, pronoun=SOMEWHERE, relations=(Relation(relation, (landmark,)),))
    return Role(name, words, landmark.start, landmark.end, kind="place", description=place)


def _attach(roles: list[Role], name: RelationName, phrase: NounPhrase) -> None:
    """Add where the thing or person before the phrase is: "accompany john from the sink to the door"."""
    place = phrase.description
    before = [role for role in roles if role.end <= place.start and role.description is not None and role.kind in ("object", "person")]
    if not before:
        return
    last = max(before, key=lambda role: role.end)
    described = last.description
    if described is None or described.pronoun in ("me", "us"):
        return
    between = any(last.end <= role.start < place.start for role in roles if role is not last)
    relation = Relation("at" if name == "from" and last.kind == "person" else name, (place,))
    located = replace(described, relations=(*described.relations, relation))
    roles[roles.index(last)] = replace(last, description=located, end=last.end if between else place.end)
