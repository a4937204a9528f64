"""Messages as the map draws them, live and from a recording."""

from __future__ import annotations

from sayso.types import ObjectBelief, People

LEAST = 0.005  # less probable places are not shown


def belief_as_data(belief: ObjectBelief) -> dict[str, float]:
    """Place → probability of an object."""
    places = zip(belief.places, belief.probabilities.tolist(), strict=True)
    return {place: round(p, 4) for place, p in places if p >= LEAST}


def people_as_data(people: People) -> dict[str, list[float]]:
    """Person → x, y in the map, m."""
    return {name: [round(x, 2), round(y, 2)] for name, (x, y, _) in people.people.items()}
