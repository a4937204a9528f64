"""The home as the page draws it: floor plan, names, and what one can say in it. Lengths in metres of the map frame."""

from __future__ import annotations

from typing import Any

from sayso.console.floor_plan import who
from sayso.domain import Domain
from sayso.domain.sentences import sentences
from sayso.scene.layout import Rectangle, obstacles, walls
from sayso.scene.scene import Scene

TRIED = 12  # fillings of an example sentence
SHORTEST = 2  # words of an example: "stop" has a button


def home_as_data(domain: Domain, scene: Scene) -> dict[str, Any]:
    """Floor plan and names of a home."""
    return {
        "name": scene.name,
        "area": list(scene.area),
        "rooms": [
            {"id": name, "name": domain.spoken(name), "area": list(room.area), "color": css(scene, room.floor.colors[0])}
            for name, room in scene.rooms.items()
        ],
        "walls": [corners(shape) for shape in walls(scene)],
        "furniture": [
            {"id": shape.name, "name": domain.spoken(shape.name), "corners": corners(shape)}
            for shape in obstacles(scene)
            if shape.name != "wall" and shape.name not in scene.people
        ],
        "people": [{"id": name, "name": who(domain, name).title(), "at": list(figure.at)} for name, figure in scene.people.items()],
        "places": {name: {"name": place.spoken(name), "at": list(place.pose[:2])} for name, place in domain.places.items()},
        "objects": {
            name: {"name": domain.spoken(name), "color": thing.attributes.get("color", "")} for name, thing in domain.objects.items()
        },
        "examples": examples(domain),
    }


def examples(domain: Domain) -> list[str]:
    """Sentences of this home that people may say, one for each of many intents, with the names that the robot uses."""
    found: dict[str, str] = {}
    for sentence in sentences(domain, TRIED):
        plain = all(slot.entity and slot.text.removeprefix("the ") == _name(domain, slot.entity) for slot in sentence.slots)
        if plain and len(sentence.text.split()) >= SHORTEST:
            found.setdefault(sentence.intent, sentence.text)
    return list(found.values())


def _name(domain: Domain, entity_id: str) -> str:
    return domain.spoken(entity_id).removeprefix("the ")


def corners(shape: Rectangle) -> list[list[float]]:
    """Its four corners, one after the other around it."""
    half_x, half_y = shape.half
    around = ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))
    return [[round(value, 3) for value in shape.point(x, y)] for x, y in around]


def css(scene: Scene, color: str) -> str:
    """A colour of the scene as "#rrggbb"."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in scene.rgb(color))
