"""Who is not seen from one place of a room may stand at its other end, out of sight or behind something."""

from __future__ import annotations

import math

from sayso.domain.model import Domain
from sayso.meaning.world_view import WorldView
from sayso.representation import Description

SIGHT = 6.0  # m at which a person tracker still sees people; that of the simulation
ANOTHER_VIEW = 1.5  # m from where it has looked, from which furniture hides other parts of a room
NEAR = 0.75  # m from a place's pose within which the robot is at it
_INSIDE = frozenset(("in", "at", "on"))


def beyond_sight(domain: Domain, description: Description, view: WorldView) -> str:
    """The farthest place that the robot cannot see from where it is, of the room in which the described person is said to be.

    Empty if it sees the whole room, is not in it, or no room is said.
    """
    room = _room_said(domain, description)
    here = view.context.place if view.context is not None else ""
    if not room or here not in domain.places or domain.room_of(here) != room:
        return ""
    return _farthest(domain, room, view, SIGHT)


def second_look(domain: Domain, description: Description, view: WorldView) -> str:
    """Where to go on looking for a person whom the robot has not seen from the place of the room; empty for nowhere.

    Only from the place of the room itself, where a search begins: so it ends after two looks.
    """
    room = _room_said(domain, description)
    if not room or math.dist(domain.places[room].pose[:2], view.pose[:2]) > NEAR:
        return ""
    return _farthest(domain, room, view, ANOTHER_VIEW)


def _farthest(domain: Domain, room: str, view: WorldView, least: float) -> str:
    """The place of the room that is farthest from the robot; empty if that is nearer than `least`, m."""
    away = {name: math.dist(place.pose[:2], view.pose[:2]) for name, place in domain.places.items() if domain.room_of(name) == room}
    farthest = max(away, key=lambda name: away[name])
    return farthest if away[farthest] > least else ""


def _room_said(domain: Domain, description: Description) -> str:
    """The room in which somebody is said to be; empty for none, and for a piece of furniture."""
    marks = [relation.landmarks[0].candidates for relation in description.relations if relation.name in _INSIDE and not relation.negated]
    said = next((places[0][0] for places in marks if places), "")
    return said if said in domain.places and domain.places[said].kind == "room" else ""
