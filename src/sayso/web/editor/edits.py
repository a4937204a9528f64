"""What a page may ask to edit, as changes of fields in the domain file and the scene. Everything is named by its id."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.robot.agreement import ARM, ASIDE
from sayso.scene import Scene
from sayso.scene.layout import size_of, start_pose, surfaces, turned
from sayso.web.editor.asked import name_of, number_of, text_of, texts_of, weights_of
from sayso.yaml_source import choices

DIGITS = 3  # of metres
GRID = 8  # points tried for a new thing, from the middle to an edge
WITHIN_ARM = ARM - 0.05  # m from the place's pose
WITHIN = 0.75  # of the way from the middle to the edge
Asked = Mapping[str, Any]
_KINDS = {"place": "places", "object": "objects", "person": "people"}
_FIELDS: Mapping[str, Mapping[str, Callable[[Any, str], Any]]] = {
    "place": {"names": texts_of},
    "object": {"names": texts_of, "category": text_of, "color": text_of, "usual": weights_of, "care": number_of, "size": number_of},
    "person": {"names": texts_of, "usual": weights_of},
}


@dataclass(frozen=True, slots=True)
class Changed:
    """A field that gets another value, or is removed."""

    file: Literal["domain", "scene"]
    location: tuple[str, ...]
    value: Any = None
    remove: bool = False


def changes(domain: Domain, scene: Scene | None, asked: Asked) -> list[Changed]:
    """The changes of an edit.

    Raises:
        SaysoError: there is no such edit, or it names what the home does not have.
    """
    what = asked.get("do")
    known = {
        "move": lambda: _move(domain, scene, asked),
        "set": lambda: _set(domain, asked),
        "add": lambda: _add(domain, scene, asked),
        "remove": lambda: _remove(domain, scene, asked),
        "intent": lambda: _intent(domain, asked),
    }
    if not isinstance(what, str) or what not in known:
        raise SaysoError(f"there is no edit {str(what)[:40]!r}; there are {', '.join(known)}")
    return list(known[what]())


def _move(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Put furniture, a person, a thing or a place to x, y (m), turned to yaw (degrees)."""
    kind, name = asked.get("kind"), name_of(asked, "id")
    at = [round(number_of(asked.get(axis), axis), DIGITS) for axis in ("x", "y")]
    yaw = None if asked.get("yaw") is None else round(number_of(asked["yaw"], "yaw"), 1)
    if kind == "place":
        x, y, before = domain.places[_known(name, domain.places)].pose
        turn = before if yaw is None else round(math.radians(yaw), DIGITS)
        yield Changed("domain", ("places", name, "pose"), [*at, turn])
        return
    if scene is None:
        raise SaysoError("this home has no scene: `sayso new scene` writes a first one")
    if kind == "object":
        yield from _stand(scene, _known(name, scene.objects), (at[0], at[1]))
    elif kind == "person":
        _known(name, scene.people)
        yield from _put(("people", name), at, yaw)
    elif kind == "furniture":
        placed = scene.furniture[_known(name, scene.furniture)]
        yield from _put(("furniture", name), at, yaw)
        if name in domain.places:  # the robot's place in front of it comes along
            turn = math.radians((placed.yaw if yaw is None else yaw) - placed.yaw)
            x, y, heading = domain.places[name].pose
            moved = turned(x - placed.at[0], y - placed.at[1], turn, (at[0], at[1]))
            heading = math.remainder(heading + turn, 2 * math.pi) if turn else heading
            yield Changed("domain", ("places", name, "pose"), [round(each, DIGITS) for each in (*moved, heading)])
    else:
        raise SaysoError("kind: furniture, person, object or place is expected")


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
    yield Changed("scene", ("objects", name, "at"), _seen_from_front(scene, under.name, point))


def _seen_from_front(scene: Scene, furniture: str, point: tuple[float, float]) -> list[float]:
    """A point of the map as the scene gives it for things: [right of the furniture's middle, behind its front edge] in m."""
    placed = scene.furniture[furniture]
    ahead, right = turned(point[0] - placed.at[0], point[1] - placed.at[1], -math.radians(placed.yaw))
    return [round(right, DIGITS), round(size_of(scene, placed)[0] / 2 - ahead, DIGITS)]


def _free_point(scene: Scene, furniture: str, pose: tuple[float, float, float]) -> tuple[float, float]:
    """The point of its surfaces that is farthest from the things there, of those that a robot at this pose reaches."""
    taken = [start_pose(scene, each)[:2] for each, thing in scene.objects.items() if thing.on == furniture]
    steps = [step / GRID for step in range(1 - GRID, GRID)]
    areas = [each for each in surfaces(scene) if each.name == furniture]
    if not areas:
        raise SaysoError(f"nothing can stand on '{furniture}'")
    points = [area.point(x * area.half[0] * WITHIN, y * area.half[1] * WITHIN) for area in areas for x in steps for y in steps]
    ahead = ((point, turned(point[0] - pose[0], point[1] - pose[1], -pose[2])) for point in points)
    reached = [point for point, (x, y) in ahead if math.hypot(x, y) <= WITHIN_ARM and abs(math.atan2(y, x)) <= ASIDE]
    return max(reached or points, key=lambda point: min((math.dist(point, other) for other in taken), default=0.0))


def _set(domain: Domain, asked: Asked) -> Iterator[Changed]:
    """Give a field of a place, a thing or a person another value."""
    kind, name, field = asked.get("kind"), name_of(asked, "id"), asked.get("field")
    fields = _FIELDS.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str) or fields is None or not isinstance(field, str) or field not in fields:
        raise SaysoError(f"a {str(kind)[:20]} has no field {str(field)[:20]!r} that can be edited here")
    section = _KINDS[kind]
    _known(name, getattr(domain, section))
    value = fields[field](asked.get("value"), field)
    yield Changed("domain", (section, name, *(("attributes", "color") if field == "color" else (field,))), value)


def _add(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Add a thing that stands on a piece of furniture."""
    name, on, shape = name_of(asked, "id"), name_of(asked, "on"), asked.get("shape")
    if any(name in each for each in (domain.objects, domain.places, domain.people)):
        raise SaysoError(f"'{name}' is there already: choose another id")
    if on not in domain.places:
        raise SaysoError(f"unknown place '{on}'; {choices(on, domain.places)}")
    thing: dict[str, Any] = {"names": texts_of(asked.get("names"), "names"), "category": text_of(asked.get("category"), "category")}
    if asked.get("color"):
        thing["attributes"] = {"color": text_of(asked["color"], "color")}
    yield Changed("domain", ("objects", name), {**thing, "usual": {on: 1}})
    if scene is None:
        return
    shapes = {each for each, drawn in scene.shapes.items() if drawn.hull is not None and drawn.mass is not None}
    if not isinstance(shape, str) or shape not in shapes:
        raise SaysoError(f"unknown shape '{str(shape)[:40]}'; {choices(str(shape)[:40], shapes)}")
    drawn = {"shape": shape, "on": on, "at": _seen_from_front(scene, on, _free_point(scene, on, domain.places[on].pose))}
    color = thing.get("attributes", {}).get("color")
    yield Changed("scene", ("objects", name), drawn | ({"colors": {"main": color}} if _paints(scene, shape, color) else {}))


def _paints(scene: Scene, shape: str, color: str | None) -> bool:
    return color in scene.palette and "main" in scene.shapes[shape].colors


def _remove(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Take a thing, a person or an intent out of the home."""
    kind, name = asked.get("kind"), name_of(asked, "id")
    sections = {"object": "objects", "person": "people", "intent": "intents"}
    if not isinstance(kind, str) or kind not in sections:
        raise SaysoError("kind: object, person or intent is expected")
    section = sections[kind]
    yield Changed("domain", (section, _known(name, getattr(domain, section))), remove=True)
    if scene is not None and kind != "intent" and name in getattr(scene, section):
        yield Changed("scene", (section, name), remove=True)


def _intent(domain: Domain, asked: Asked) -> Iterator[Changed]:
    """Sentences that lead to an action. A new intent takes the roles of an intent that leads there already."""
    name, examples = name_of(asked, "id"), texts_of(asked.get("examples"), "examples")
    if not examples:
        raise SaysoError("examples: at least one sentence is expected; five are enough to be understood")
    if asked.get("action") is None:
        yield Changed("domain", ("intents", _known(name, domain.intents), "examples"), examples)
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


def _known(name: str, known: Mapping[str, Any]) -> str:
    if name not in known:
        raise SaysoError(f"unknown '{name}'; {choices(name, known)}")
    return name
