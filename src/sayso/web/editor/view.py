"""The draft as the page shows it. Lengths in metres of the map frame, turns in degrees."""

from __future__ import annotations

import math
from typing import Any

from sayso.scene.layout import size_of, start_pose, walls
from sayso.scene.scene import Room, Scene, Wall
from sayso.web.editor.adding import shapes_of_furniture, shapes_of_things
from sayso.web.editor.building import Span, doors, point_on
from sayso.web.editor.draft import HomeDraft
from sayso.web.editor.edits import actions_said
from sayso.web.home import corners, css

BESIDE = 0.3  # m from the middle of a doorway to a point in the room beside it


def draft_as_data(draft: HomeDraft) -> dict[str, Any]:
    """All that the tab shows."""
    version = draft.now
    domain, own = version.domain, draft.own_intents()
    return {
        "revision": version.number,
        "name": domain.name,
        "files": [path.name for path in draft.files.both()],
        "target": draft.target(),
        "shipped": draft.files.shipped,
        "read_only": draft.read_only,
        "edited": draft.edited,
        "undoable": draft.undoable,
        "places": {
            name: {
                "names": list(place.names), "kind": place.kind, "inside": place.inside, "surface": place.surface,
                "at": list(place.pose[:2]), "yaw": round(math.degrees(place.pose[2]), 1),
            }
            for name, place in domain.places.items()
        },
        "objects": {
            name: {"names": list(thing.names), "category": thing.category, "color": thing.attributes.get("color", ""), "usual": thing.usual}
            for name, thing in domain.objects.items()
        },
        "people": {name: {"names": list(person.names), "usual": person.usual} for name, person in domain.people.items()},
        "intents": {name: {"actions": list(domain.intents[name].actions), "examples": list(domain.intents[name].examples)} for name in own},
        "actions": actions_said(domain),
        "plan": _plan(version.scene) if version.scene else None,
    }  # fmt: skip


def _plan(scene: Scene) -> dict[str, Any]:
    standing = [("furniture", *each) for each in scene.furniture.items()]
    standing += [("decor", *each) for each in scene.decor.items()]
    return {
        "area": list(scene.area),
        "rooms": [{"id": name, "area": list(room.area), "color": css(scene, room.floor.colors[0])} for name, room in scene.rooms.items()],
        "walls": [corners(shape) for shape in walls(scene)],
        "thickness": scene.wall_thickness,
        "doors": {name: _door(scene, wall, opening) for name, (wall, opening) in doors(scene).items()},
        "furniture": {
            name: {"kind": kind, "at": list(placed.at), "yaw": placed.yaw, "size": list(size_of(scene, placed)[:2])}
            for kind, name, placed in standing
        },
        "people": {name: {"at": list(figure.at), "yaw": figure.yaw} for name, figure in scene.people.items()},
        "objects": {
            name: [round(value, 3) for value in start_pose(scene, name)[:2]]
            for name, thing in scene.objects.items()
            if thing.on in scene.furniture
        },
        "shapes": shapes_of_things(scene),
        "furniture_shapes": shapes_of_furniture(scene),
    }  # fmt: skip


def _door(scene: Scene, wall: Wall, opening: Span) -> dict[str, Any]:
    """Its middle, its width, the axis along which its wall runs, and the rooms on both sides."""
    x, y = point_on(wall, sum(opening) / 2)
    along = "x" if wall.start[1] == wall.end[1] else "y"
    sides = [(x, y + BESIDE), (x, y - BESIDE)] if along == "x" else [(x - BESIDE, y), (x + BESIDE, y)]
    rooms = [name for point in sides for name, room in scene.rooms.items() if _within(room, *point)]
    return {"at": [round(x, 3), round(y, 3)], "width": round(opening[1] - opening[0], 3), "along": along, "rooms": rooms}


def _within(room: Room, x: float, y: float) -> bool:
    x0, y0, x1, y1 = room.area
    return x0 <= x <= x1 and y0 <= y <= y1
