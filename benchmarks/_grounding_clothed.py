"""Photographs: the colour of what people wear on the upper body, named from the pixels of the detector's boxes, against names by eye."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from _meaning_share import Share
from sayso.console.bench import Row
from sayso.grounding.detector import Detector
from sayso.grounding.detector.nouns import PERSON
from sayso.grounding.things import overlap
from sayso.training.data.photographs import photographs
from sayso.yaml_source import read_plain

NAMED = Path(__file__).with_name("_grounding_clothes.yaml")
HIT = 0.5  # IoU with the marked box


def clothes_rows(backend: Detector, limit: int) -> Iterator[Row]:
    """People that were named, found by the detector; what is said of them, and how often it is right."""
    listed, people = read_plain(NAMED), 0
    told = list[tuple[str, list[str], list[str]]]()  # the colour that is said, those that fit, and the doubtful ones
    for photo in photographs("coco128", "val2017", limit):
        if photo.name not in listed:
            continue
        (look,) = backend.look(photo.image, [PERSON])
        for number, seen in listed[photo.name].items():
            people += 1
            box = photo.things[int(number)].box
            found = max(look.candidates, key=lambda each, box=box: overlap(each.box, box), default=None)  # type: ignore[misc]
            if found is not None and overlap(found.box, box) >= HIT:
                told.append((found.color, seen["colors"], seen.get("doubtful", [])))
    said = [each for each in told if each[0]]
    yield Share(len(told), people).row("clothes: the person has a box", "higher")
    yield Share(len(said), len(told)).row("clothes: a colour is named", "higher")
    yield Share(sum(color in fits for color, fits, _ in said), len(said)).row("clothes: the named colour is right", "higher")
    wrong = sum(color not in (*fits, *doubtful) for color, fits, doubtful in said)
    yield Share(wrong, len(said)).row("clothes: the named colour is wrong without doubt", "lower")
