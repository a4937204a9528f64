"""Make benchmarks/meaning/gpsr_home.yaml from the lists of names of the RoboCup@Home grammars (GPSRCmdGen, MIT).

Usage: python benchmarks/_meaning_gpsr_home.py FOLDER > benchmarks/meaning/gpsr_home.yaml
FOLDER holds Locations.xml, Objects.xml and Names.xml.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

HEADING = """\
# A home with the rooms, things and people of the RoboCup@Home grammars (kyordhel/GPSRCmdGen, MIT, copyright Mauricio Matamoros).
# Made by benchmarks/_meaning_gpsr_home.py; colours, sizes and poses are ours.
include: ["sayso:skills.yaml", "sayso:intents.yaml"]
name: gpsr home
robot: the robot
speaker: operator
"""
SINGULAR = {"containers": "container", "drinks": "drink", "fruits": "fruit", "snacks": "snack"}
STORAGE = ("microwave", "fridge", "oven")  # of the extended grammar, which lists no place for them
OTHER_PLACE = {
    "side table": "desk",
    "end table": "couch",
    "storage table": "cupboard",
    "counter": "storage table",
    "cupboard": "counter",
    "bookcase": "end table",
}
COLOURS = {
    "blue": ("cloth", "scrubby", "pringles"),
    "yellow": ("sponge", "cereal", "noodles"),
    "black": ("tray", "chocolate drink", "bag"),
    "white": ("cascade pod", "dish", "bowl"),
    "red": ("coke", "apple", "paprika", "cup", "crackers"),
    "orange": ("orange juice", "orange", "sausages"),
    "gray": ("fork", "knife", "spoon", "basket"),
}
SIZES = {
    "small": ("cascade pod", "scrubby", "sponge", "fork", "knife", "spoon", "apple", "orange", "paprika", "cup"),
    "large": ("tray", "basket", "bag", "cereal", "orange juice", "dish"),
}


def main() -> None:
    """Print the home."""
    folder = Path(sys.argv[1])
    locations, objects, people = (_root(folder / name) for name in ("Locations.xml", "Objects.xml", "Names.xml"))
    print(HEADING)
    print("\n".join(["places:", *_places(locations), "", "people:", *_people(people, locations), "", "objects:", *_objects(objects)]))


def _root(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()  # noqa: S314 - a published data set


def _id(name: str) -> str:
    return name.replace(" ", "_")


def _places(rooms: ElementTree.Element) -> Iterator[str]:
    for number, room in enumerate(rooms):
        name = str(room.get("name"))
        x = 5.0 * number
        yield f"  {_id(name)}: {{names: [{name}], kind: room, pose: [{x}, 0.0, 0.0]}}"
        held = [(str(each.get("name")), each.get("isPlacement") == "true") for each in room]
        held += [(each, True) for each in STORAGE if name == "kitchen"]
        for index, (place, surface) in enumerate(held):
            kind = "kind: spot, " if place in ("entrance", "exit") else ""
            on_it = ", surface: true" if surface else ""
            pose = f"[{x - 1.5 + index % 4}, {1.5 if index < 4 else -1.5}, 1.571]"
            yield f"  {_id(place)}: {{names: [{place}], {kind}inside: {_id(name)}, pose: {pose}{on_it}}}"


def _people(names: ElementTree.Element, rooms: ElementTree.Element) -> Iterator[str]:
    places = [_id(str(room.get("name"))) for room in rooms]
    yield "  operator: {names: [you], usual: {living_room: 1}}"
    for number, name in enumerate(sorted({str(each.text).lower() for each in names})):
        yield f"  {name}: {{names: [{name}], usual: {{{places[number % len(places)]}: 2, {places[(number + 2) % len(places)]}: 1}}}}"


def _objects(categories: ElementTree.Element) -> Iterator[str]:
    for category in categories:
        place, kind = str(category.get("defaultLocation")), str(category.get("name"))
        for each in category:
            name = str(each.get("name"))
            colour = next((word for word, things in COLOURS.items() if name in things), "green")
            size = next((word for word, things in SIZES.items() if name in things), "medium")
            attributes = f"attributes: {{color: {colour}, size: {size}}}"
            usual = f"usual: {{{_id(place)}: 3, {_id(OTHER_PLACE[place])}: 1}}"
            yield f"  {_id(name)}: {{names: [{name}], category: {SINGULAR.get(kind, kind)}, {attributes}, {usual}}}"


if __name__ == "__main__":
    main()
