"""Where a thing or a person is, in words that say how sure the robot is and why: a sighting, its own doing, or only a habit of the home."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.agenda.times import duration
from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised, is_or_are, is_plural, listed
from sayso.meaning.recollection import LastSeen
from sayso.meaning.world_view import P_KNOWN, PlaceBeliefs, WorldView

SURE, LIKELY, WORTH_SAYING = 0.9, 0.5, 0.2
JUST_NOW = 10.0  # s
_EPSILON = 1e-6


def probability_at(domain: Domain, entity: str, place: str, view: WorldView) -> float:
    """P(the entity is at the place or at one inside it)."""
    if entity == held(view):  # it is with the robot; where it lay before counts no longer
        return 0.0
    last = view.recent.last_seen.get(entity)
    if last is not None and last.how == "given" and place not in domain.people:
        return 0.0
    return PlaceBeliefs(domain, view).at(entity, place)


def is_evident(domain: Domain, entity: str, view: WorldView) -> bool:
    """Whether the robot has seen or put the thing; else its place is a habit of the home, of which nobody can be sure."""
    if entity in domain.places or entity in view.visible or entity in view.recent.last_seen or entity == held(view):
        return True
    belief = view.whereabouts.get(entity)
    known = [p for place, p in zip(belief.places, belief.probabilities, strict=True) if place in domain.places] if belief else []
    return max(known, default=0.0) > P_KNOWN + _EPSILON  # of habit alone nothing is believed more than that


def whereabouts(domain: Domain, entities: Sequence[str], asked: str, view: WorldView) -> str:
    """Say where each is; and that none is in the room of the question: “the door to the bathroom”, where the only one is in the hallway."""
    rooms = [domain.places[each].inside for each in entities if each in domain.places]
    room = domain.places.get(asked)
    elsewhere = room is not None and room.kind == "room" and len(rooms) == len(entities) and asked not in (*rooms, *entities)
    told = [located(domain, each, view) for each in entities]
    return " ".join([f"I know of none {at_place(domain, asked)}.", *told] if elsewhere else told)


def is_sure(domain: Domain, entity: str, p: float, view: WorldView) -> bool:
    """Whether that P is high, and rests on more than a habit of the home."""
    return p >= SURE and is_evident(domain, entity, view)


def located(domain: Domain, entity: str, view: WorldView) -> str:
    """Say “The keys are probably on the hall shelf (62%). I last saw them there 2 minutes ago.”."""
    if entity in domain.places:
        room = domain.places[entity].inside
        return f"{sentence_name(domain, entity)} is {f'in {called(domain, room)}' if room else 'a room here'}."
    if entity == held(view):
        return f"I am holding {called(domain, entity)}."
    last = view.recent.last_seen.get(entity)
    if last is not None and last.how == "given":
        it, is_ = _it(domain, entity), is_or_are(domain, entity)
        return f"I gave {called(domain, entity)} to {called(domain, last.place)}{_ago(last, view)}. I don't know where {it} {is_} now."
    return f"{_believed(domain, entity, view)} {seen_last(domain, entity, view)}"


def seen_last(domain: Domain, entity: str, view: WorldView) -> str:
    """Say when and where the thing was last seen, or that it was not."""
    last, it = view.recent.last_seen.get(entity), _it(domain, entity, accusative=True)
    if entity in view.visible:
        return f"I saw {it} less than a minute ago."
    if last is None:
        return "I know that from a look of mine." if is_evident(domain, entity, view) else f"I have not seen {it}."
    places = PlaceBeliefs(domain, view)
    best = max(places.places(entity).items(), key=lambda pair: pair[1], default=("", 0.0))[0]
    there = "there" if last.place and last.place in places.around(best) else at_place(domain, last.place) if last.place else ""
    return f"I {'put' if last.how == 'put' else 'last saw'} {' '.join(filter(None, (it, there)))}{_ago(last, view)}."


def whether_there(domain: Domain, entities: Sequence[str], place: str, view: WorldView) -> str:
    """Say whether one of them is at the place, and how sure that is."""
    entity = max(entities, key=lambda each: probability_at(domain, each, place, view))
    p = probability_at(domain, entity, place, view)
    said = f"{called(domain, entity)} {is_or_are(domain, entity)} {at_place(domain, place)}"
    if is_sure(domain, entity, p, view):
        return f"Yes: {said}, {p:.0%} sure. {seen_last(domain, entity, view)}"
    if p >= LIKELY:
        return f"Probably: {said} ({p:.0%}). {seen_last(domain, entity, view)}"
    return f"Probably not ({p:.0%}). {located(domain, entity, view)}"


def at_place(domain: Domain, place: str) -> str:
    """Say “on the desk”, “in the kitchen”, “with Anna”."""
    if place in domain.people:
        return f"with {called(domain, place)}"
    spec = domain.places.get(place)
    preposition = "in" if spec is not None and (spec.kind == "room" or spec.stores) else "on" if spec is not None and spec.surface else "at"
    return f"{preposition} {called(domain, place)}"


def sentence_name(domain: Domain, entity: str) -> str:
    """The name at the start of a sentence."""
    return capitalised(called(domain, entity))


def held(view: WorldView) -> str:
    """The id of what the robot holds, empty for nothing."""
    return view.context.holding if view.context is not None else ""


def _believed(domain: Domain, entity: str, view: WorldView) -> str:
    places = sorted(PlaceBeliefs(domain, view).places(entity).items(), key=lambda pair: -pair[1])
    name, is_ = sentence_name(domain, entity), is_or_are(domain, entity)
    if not places:
        return f"I don't know where {called(domain, entity)} {is_}."
    best, p = places[0]
    others = [f"{at_place(domain, place)} ({share:.0%})" for place, share in places[1:3] if share >= WORTH_SAYING]
    more = f", or {listed(others, 'or')}" if others else ""
    if is_sure(domain, entity, p, view):
        return f"{name} {is_} {at_place(domain, best)}: {p:.0%} sure."
    if p < LIKELY:
        perhaps = f": perhaps {at_place(domain, best)} ({p:.0%}){more}" if p >= WORTH_SAYING else ""
        return f"I don't know where {called(domain, entity)} {is_}{perhaps}."
    return f"{name} {is_} probably {at_place(domain, best)} ({p:.0%}){more}."


def _it(domain: Domain, entity: str, *, accusative: bool = False) -> str:
    if entity in domain.people:
        return called(domain, entity)
    return ("them" if accusative else "they") if is_plural(domain, entity) else "it"


def _ago(last: LastSeen, view: WorldView) -> str:
    return f" {ago(view.recent.now.ros - last.stamp)}" if view.recent.now is not None and last.stamp > 0.0 else ""


def ago(seconds: float) -> str:
    """Say “just now”, “less than a minute ago”, “5 minutes ago”, “3 hours ago”: no finer than anybody wants to know."""
    if seconds < JUST_NOW:
        return "just now"
    if seconds < 60.0:
        return "less than a minute ago"
    unit = next(size for size in (86400.0, 3600.0, 60.0) if seconds >= size)
    return f"{duration(seconds // unit * unit)} ago"
