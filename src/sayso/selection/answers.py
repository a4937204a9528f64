"""Answers to questions about the home, from the domain and the belief of where things are. Each says how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sayso.domain.model import Domain
from sayso.domain.wording import called, listed
from sayso.representation import Relation
from sayso.selection.denotation import denotation
from sayso.selection.naming import role_specs
from sayso.selection.world_view import PlaceBeliefs, WorldView
from sayso.types import Action, Clause, Role

SURE, LIKELY, WORTH_SAYING = 0.9, 0.5, 0.2
PERSONS = ("anyone", "anybody", "someone", "somebody", "everyone", "everybody")
ANYTHING = (*PERSONS, "anything", "something", "everything", "nothing", "stuff", "things")
MOST = 6  # things in a list
_KINDS = {"object": "things", "place": "places", "person": "people"}
UNANSWERED = "I understood the question, but I can't answer it."


def answer_to(domain: Domain, clause: Clause, view: WorldView) -> str:
    """What the robot says to a question.

    Args:
        domain: the home.
        clause: of mood "question"; `theme` is what is asked about, `source` the place in the question.
        view: what the robot believes.
    """
    match clause.modifiers.question:
        case "abilities":
            return _abilities(domain)
        case "activity":
            return f"I am busy: I {view.doing}." if view.doing else "Nothing at the moment."
        case "where":
            return _where(domain, clause, view)
        case "how_many":
            return _how_many(domain, clause, view)
        case "yes_no":
            return _yes_no(domain, clause, view)
        case "colour":
            return _colour(domain, clause)
        case "who" if clause.role("theme") is not None and not _place(clause):
            return _holder(domain, clause, view)
        case "who":
            return _inside(domain, clause, view, tuple(domain.people), "nobody")
        case "what" | "which":
            return _which(domain, clause, view)
    return UNANSWERED


def probability_at(domain: Domain, entity: str, place: str, view: WorldView) -> float:
    """P(the entity is at the place or at one inside it)."""
    return PlaceBeliefs(domain, view).at(entity, place)


def _where(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme = clause.role("theme")
    entities = _entities(domain, theme, view)
    if not entities:
        return _unknown(theme)
    return " ".join(_located(domain, entity, view) for entity in entities[:MOST])


def _located(domain: Domain, entity: str, view: WorldView) -> str:
    if entity in domain.places:
        room = domain.places[entity].inside
        return f"{_name(domain, entity)} is in {called(domain, room)}." if room else f"{_name(domain, entity)} is a room here."
    places = sorted(PlaceBeliefs(domain, view).places(entity).items(), key=lambda pair: -pair[1])
    if not places:
        return f"I don't know where {called(domain, entity)} {_is(domain, entity)}."
    best, p = places[0]
    at = _at(domain, best)
    if p >= SURE:
        return f"{_name(domain, entity)} {_is(domain, entity)} {at}: {p:.0%} sure."
    others = [f"{_at(domain, place)} ({share:.0%})" for place, share in places[1:3] if share >= WORTH_SAYING]
    more = f", or {listed(others, 'or')}" if others else ""
    return f"{_name(domain, entity)} {_is(domain, entity)} probably {at} ({p:.0%}){more}."


def _how_many(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme, place = clause.role("theme"), _place(clause)
    members = list(_members(theme))
    described = theme.description if theme is not None else None
    if described is not None and described.pronoun == "person" and not members:
        if described.unknown or described.attributes:  # "how many people are sitting"
            return f"I can't tell how many {_counted(described.text)}."
        members = [person for person in domain.people if person != domain.speaker]
    if not members:
        return "I know of none." if described is not None and described.head and not described.unknown else _unknown(theme)
    if place:
        expected = [entity for entity in members if probability_at(domain, entity, place, view) >= LIKELY]
        names = f": {listed([called(domain, entity) for entity in expected])}" if expected else ""
        return f"I expect {len(expected)} {_at(domain, place)}{names}."
    return f"I know of {len(members)}: {listed([called(domain, entity) for entity in members])}."


def _counted(text: str) -> str:
    """What "how many" asked for, as the end of a sentence."""
    words = text.removeprefix("many ")
    return words if {"is", "are"} & set(words.split()) else f"{words} there are"


def _yes_no(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme, place = clause.role("theme"), _place(clause)
    if place and theme is not None and theme.text.split()[0] in ANYTHING:
        return _inside(domain, clause, view, tuple(domain.people if theme.text.split()[0] in PERSONS else domain.objects), "nothing")
    entities = _entities(domain, theme, view)
    if not entities:
        return _unknown(theme)
    asked_where = clause.role("source")
    if not place or (asked_where and asked_where.description and asked_where.description.parts):
        return " ".join(_located(domain, entity, view) for entity in entities[:MOST])
    entity = max(entities, key=lambda each: probability_at(domain, each, place, view))
    p = probability_at(domain, entity, place, view)
    said = f"{called(domain, entity)} {_is(domain, entity)} {_at(domain, place)}"
    if p >= LIKELY:
        return f"{'Yes' if p >= SURE else 'Probably'}: {said}, {p:.0%} sure."
    return f"Probably not ({p:.0%}). {_located(domain, entity, view)}"


def _colour(domain: Domain, clause: Clause) -> str:
    theme = clause.role("theme")
    known = [(entity, domain.objects[entity].attributes.get("color", "")) for entity in _members(theme) if entity in domain.objects]
    named = [f"{called(domain, entity)} {_is(domain, entity)} {color}" for entity, color in known if color]
    if not named:
        return _unknown(theme)
    return f"{listed(named[:MOST])[0].upper()}{listed(named[:MOST])[1:]}."


def _inside(domain: Domain, clause: Clause, view: WorldView, among: tuple[str, ...], none: str) -> str:
    """What or who is at the place of the question."""
    place = _place(clause)
    if not place:
        if among == tuple(domain.people):
            return " ".join(_located(domain, person, view) for person in among if person != domain.speaker)
        members = _entities(domain, clause.role("theme"), view)
        return f"I know of {listed([called(domain, entity) for entity in members[:MOST]])}." if members else UNANSWERED
    sure = sorted(((probability_at(domain, entity, place, view), entity) for entity in among), reverse=True)
    found = [f"{called(domain, entity)} ({p:.0%})" for p, entity in sure[:MOST] if p >= WORTH_SAYING]
    at = _at(domain, place)
    return f"Probably {at}: {listed(found)}." if found else f"I expect {none} {at}."


def _which(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Which things are at the place of the question, or which of them has the order that is asked for."""
    theme = clause.role("theme")
    described = theme.description if theme is not None else None
    if theme is not None and described is not None and described.pronoun == "person":
        return f"I can't tell that about people: I don't know “{theme.text}”."
    if described is not None and described.order:
        return _of_order(domain, clause, view)
    named = tuple(each for each in _members(theme) if each in domain.objects)  # "which of the books"
    return _inside(domain, clause, view, named or tuple(domain.objects), "none of them" if named else "nothing")


def _of_order(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Which is the biggest, or the three smallest, at the place of the question."""
    theme, place = clause.role("theme"), clause.role("source")
    described = theme.description if theme is not None else None
    if theme is None or described is None:
        return UNANSWERED
    if place is not None and place.description is not None:
        described = replace(described, relations=(*described.relations, Relation("at", (place.description,))))
    meant = denotation(domain, described, view)
    if not meant.best or (meant.why and len(meant.referents) > 1):
        problem = meant.none or meant.why or f"I don't know {theme.text}"
        return f"{problem[0].upper()}{problem[1:]}."
    names = listed([called(domain, entity) for entity in meant.best])
    return f"{names[0].upper()}{names[1:]}: {meant.probability:.0%} sure."


def _holder(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Who has the thing: the robot knows its own gripper and the places of things, not the hands of people."""
    entities = _entities(domain, clause.role("theme"), view)
    if not entities:
        return _unknown(clause.role("theme"))
    if entities[0] in domain.people:
        return _located(domain, entities[0], view)
    return f"I can't tell who has {called(domain, entities[0])}. {_located(domain, entities[0], view)}"


def _abilities(domain: Domain) -> str:
    can = []
    for name, spec in domain.actions.items():
        if spec.goal:
            words = (spec.say or name.replace("_", " ")).format_map(_Anything(domain, Action(name)))
            can.append(" ".join(words.split()))
    return f"I can {listed(list(dict.fromkeys(can)))}."


class _Anything(dict[str, str]):
    """What may fill a role of an action: "things", "people"."""

    def __init__(self, domain: Domain, action: Action) -> None:
        super().__init__()
        self._domain, self._action = domain, action

    def __missing__(self, role: str) -> str:
        kinds = {kind for spec in role_specs(self._domain, self._action, role) for kind in spec.kinds}
        return next((word for kind, word in _KINDS.items() if kind in kinds), "")


def _entities(domain: Domain, role: Role | None, view: WorldView) -> list[str]:
    """The entities meant by the role's description, by the belief; all that fit equally."""
    if role is None:
        return []
    if role.description is not None and role.description.restricted:
        found = denotation(domain, role.description, view).referents
        return list(found[0][0]) if found else []
    return list(_members(role))


def _members(role: Role | None) -> Iterator[str]:
    """The entities whose name fits best."""
    if role is None or not role.candidates:
        return
    best = role.candidates[0][1]
    yield from (entity for entity, score in role.candidates if score >= best - 1e-6)


def _place(clause: Clause) -> str:
    place = clause.role("source") or clause.role("goal")
    return place.entity if place is not None and place.kind == "place" else ""


def _at(domain: Domain, place: str) -> str:
    if place in domain.people:
        return f"with {called(domain, place)}"
    spec = domain.places.get(place)
    preposition = "in" if spec is not None and spec.kind == "room" else "on" if spec is not None and spec.surface else "at"
    return f"{preposition} {called(domain, place)}"


def _name(domain: Domain, entity: str) -> str:
    name = called(domain, entity)
    return name[0].upper() + name[1:]


def _is(domain: Domain, entity: str) -> str:
    thing = domain.objects.get(entity)
    words = thing.spoken(entity).split() if thing is not None else [""]
    return "are" if words[-1].endswith("s") and not words[-1].endswith("ss") and words[-1] not in ("cereals",) else "is"


def _unknown(role: Role | None) -> str:
    return f"I don't know “{role.text}”." if role is not None else UNANSWERED
