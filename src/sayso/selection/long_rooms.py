"""Rooms that are longer than the robot sees: who is not seen from one place may stand at the other end."""

from __future__ import annotations

import math

from sayso.domain.model import Domain
from sayso.representation import Description
from sayso.selection.world_view import WorldView

SIGHT = 6.0  # m at which a person tracker still sees people; that of the simulation
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
    away = {name: math.dist(place.pose[:2], view.pose[:2]) for name, place in domain.places.items() if domain.room_of(name) == room}
    farthest = max(away, key=lambda name: away[name])
    return farthest if away[farthest] > SIGHT else ""


def second_look(domain: Domain, description: Description, view: WorldView) -> str:
    """Where to go on looking for a person whom the robot has not seen from the middle of a long room; empty for nowhere.

    Only from the place of the room itself, where a search begins: so it ends after two looks.
    """
    room = _room_said(domain, description)
    if not room or math.dist(domain.places[room].pose[:2], view.pose[:2]) > NEAR:
        return ""
    return beyond_sight(domain, description, view)


def _room_said(domain: Domain, description: Description) -> str:
    """The room in which somebody is said to be; empty for none, and for a piece of furniture."""
    marks = [relation.landmarks[0].candidates for relation in description.relations if relation.name in _INSIDE and not relation.negated]
    said = next((places[0][0] for places in marks if places), "")
    return said if said in domain.places and domain.places[said].kind == "room" else ""
