"""What a page may ask to edit, as changes of fields in the domain file and the scene. Everything is named by its id."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.scene import Scene
from sayso.scene.layout import surfaces, turned
from sayso.web.editor.adding import added, seen_from_front
from sayso.web.editor.asked import name_of, number_of, text_of, texts_of, weights_of
from sayso.web.editor.building import door_changes, door_of, room_changes
from sayso.web.editor.changed import DIGITS, Asked, Changed, drawn, known, metres
from sayso.yaml_source import choices

_KINDS = {"place": "places", "object": "objects", "person": "people"}
_FIELDS: Mapping[str, Mapping[str, Callable[[Any, str], Any]]] = {
    "place": {"names": texts_of},
    "object": {"names": texts_of, "category": text_of, "color": text_of, "usual": weights_of, "care": number_of, "size": number_of},
    "person": {"names": texts_of, "usual": weights_of},
}


def changes(domain: Domain, scene: Scene | None, asked: Asked) -> list[Changed]:
    """The changes of an edit.

    Raises:
        SaysoError: there is no such edit, or it names what the home does not have.
    """
    what = asked.get("do")
    edits = {
        "move": lambda: _move(domain, scene, asked),
        "set": lambda: _set(domain, asked),
        "add": lambda: added(domain, scene, asked),
        "remove": lambda: _remove(domain, scene, asked),
        "intent": lambda: _intent(domain, asked),
        "room": lambda: room_changes(domain, scene, asked),
        "door": lambda: door_changes(scene, asked),
    }
    if not isinstance(what, str) or what not in edits:
        raise SaysoError(f"there is no edit {str(what)[:40]!r}; there are {', '.join(edits)}")
    return list(edits[what]())


def _move(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Put furniture, decor, a person, a thing or a place to x, y (m), turned to yaw (degrees)."""
    kind, name = asked.get("kind"), name_of(asked, "id")
    at = metres(number_of(asked.get("x"), "x"), number_of(asked.get("y"), "y"))
    yaw = None if asked.get("yaw") is None else round(number_of(asked["yaw"], "yaw"), 1)
    if kind == "place":
        x, y, before = domain.places[known(name, domain.places)].pose
        turn = before if yaw is None else round(math.radians(yaw), DIGITS)
        yield Changed("domain", ("places", name, "pose"), [*at, turn])
        return
    scene = drawn(scene)
    if kind == "object":
        yield from _stand(scene, known(name, scene.objects), (at[0], at[1]))
    elif kind == "person":
        yield from _put(("people", known(name, scene.people)), at, yaw)
    elif kind == "decor":
        yield from _put(("decor", known(name, scene.decor)), at, yaw)
    elif kind == "furniture":
        placed = scene.furniture[known(name, scene.furniture)]
        yield from _put(("furniture", name), at, yaw)
        if name in domain.places:  # the robot's place in front of it comes along
            turn = math.radians((placed.yaw if yaw is None else yaw) - placed.yaw)
            x, y, heading = domain.places[name].pose
            moved = turned(x - placed.at[0], y - placed.at[1], turn, (at[0], at[1]))
            heading = math.remainder(heading + turn, 2 * math.pi) if turn else heading
            yield Changed("domain", ("places", name, "pose"), metres(*moved, heading))
    else:
        raise SaysoError("kind: furniture, decor, person, object or place is expected")


def _put(location: tuple[str, str], at: list[float], yaw: float | None) -> Iterator[Changed]:
    yield Changed("scene", (*location, "at"), at)
    if yaw is not None:
        yield Changed("scene", (*location, "yaw"), yaw)


def _stand(scene: Scene, name: str, point: tuple[float, float]) -> Iterator[Changed]:
    """A thing stands on the furniture under that point; seen from in front, the furniture's left is on the right."""
    under = next((area for area in surfaces(scene) if area.distance(*point) == 0), None)
    if under is None:
        raise SaysoError(f"nothing there on which '{name}' could stand: drop it on a table or a shelf")
    if scene.objects[name].on != under.name:
        yield Changed("scene", ("objects", name, "on"), under.name)
    yield Changed("scene", ("objects", name, "at"), seen_from_front(scene, under.name, point))


def _set(domain: Domain, asked: Asked) -> Iterator[Changed]:
    """Give a field of a place, a thing or a person another value."""
    kind, name, field = asked.get("kind"), name_of(asked, "id"), asked.get("field")
    fields = _FIELDS.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str) or fields is None or not isinstance(field, str) or field not in fields:
        raise SaysoError(f"a {str(kind)[:20]} has no field {str(field)[:20]!r} that can be edited here")
    section = _KINDS[kind]
    known(name, getattr(domain, section))
    value = fields[field](asked.get("value"), field)
    yield Changed("domain", (section, name, *(("attributes", "color") if field == "color" else (field,))), value)


def _remove(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Take a thing, a person, furniture, decor, a doorway or an intent out of the home."""
    kind = asked.get("kind")
    if kind == "door":
        scene = drawn(scene)
        index, number = door_of(scene, asked.get("id"))
        left = [metres(*opening) for each, opening in enumerate(scene.walls[index].openings) if each != number]
        yield Changed("scene", ("walls", index, "openings"), left)
        return
    name = name_of(asked, "id")
    if kind == "decor":
        yield Changed("scene", ("decor", known(name, drawn(scene).decor)), remove=True)
        return
    sections = {
        "object": ("objects", "objects"),
        "person": ("people", "people"),
        "furniture": ("places", "furniture"),
        "intent": ("intents", ""),
    }
    if not isinstance(kind, str) or kind not in sections:
        raise SaysoError(f"kind: {', '.join(sections)}, decor or door is expected")
    of_domain, of_scene = sections[kind]
    entries = (
        {each: place for each, place in domain.places.items() if place.kind == "furniture"}
        if kind == "furniture"
        else getattr(domain, of_domain)
    )
    yield Changed("domain", (of_domain, known(name, entries)), remove=True)
    if scene is not None and of_scene and name in getattr(scene, of_scene):
        yield Changed("scene", (of_scene, name), remove=True)


def _intent(domain: Domain, asked: Asked) -> Iterator[Changed]:
    """Sentences that lead to an action. A new intent takes the roles of an intent that leads there already."""
    name, examples = name_of(asked, "id"), texts_of(asked.get("examples"), "examples")
    if not examples:
        raise SaysoError("examples: at least one sentence is expected; five are enough to be understood")
    if asked.get("action") is None:
        yield Changed("domain", ("intents", known(name, domain.intents), "examples"), examples)
        return
    action = name_of(asked, "action")
    if name in domain.intents:
        raise SaysoError(f"the intent '{name}' is there already: choose another id")
    model = next((each for each in domain.intents.values() if each.actions.get(action)), None)
    if model is None:
        raise SaysoError(f"no intent leads to '{action}'; {choices(action, actions_said(domain))}")
    roles = model.model_dump(mode="json", exclude_unset=True).get("roles", {})
    yield Changed("domain", ("intents", name), {"actions": {action: 1}, **({"roles": roles} if roles else {}), "examples": examples})


def actions_said(domain: Domain) -> list[str]:
    """The actions that some sentence leads to."""
    return sorted({action for intent in domain.intents.values() for action, p in intent.actions.items() if p})
