"""Simulated table tops with phrases whose meaning the simulator's ground truth decides: relations, superlatives, counts, ambiguity.

The truth comes from where the things stand, not from the picture: middles in metres, seen from the camera. A phrase is asked only if
its answer is clear: who is left of something is so by MARGIN, and nobody else is nearly so. Things that are hidden by more than a part
are left away from the scene's phrases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.wording import plural
from sayso.scene import load_scene
from sayso.scene.layout import Rectangle, surfaces_of
from sayso.sim.simulation import Simulation
from sayso.types import FloatArray, Image

TABLES = ("counter", "dining_table", "kitchen_table", "desk", "sideboard")
KINDS: dict[str, dict[str, str]] = {  # kind → object → colour
    "cup": {"red_cup": "red", "blue_cup": "blue", "white_cup": "white"},
    "bottle": {"green_bottle": "green", "water_bottle": "blue", "shampoo": ""},
    "book": {"red_book": "red", "blue_book": "blue", "green_book": "green"},
    "can": {"coke": "red", "beer": "green"},
}
LANDMARKS = {
    "bread": "bread",
    "bowl": "bowl",
    "lemon": "lemon",
    "vase": "vase",
    "ball": "ball",
    "alarm_clock": "alarm clock",
    "cereal": "cereal",
}
MARGIN = 0.06  # m
CLOSE, APART = 0.19, 0.6  # m between middles: next to it, and surely not
VISIBLE = 60  # pixels
SHOWN = 0.6  # of a thing's pixels that nothing hides, judged by its box
AWAY = -40.0
DEPTH = 0.5  # m behind the front edge


@dataclass(frozen=True, slots=True)
class Query:
    """One phrase about one scene."""

    group: str  # relation, superlative, count, absent, clear or ambiguous
    phrase: str
    meant: frozenset[str]  # object ids; for ambiguous: those among which to ask
    number: int = -1  # of "how many …"


@dataclass(frozen=True, slots=True)
class TableTop:
    """A picture with what is in it."""

    image: Image
    masks: dict[str, NDArray[np.bool_]]  # (H, W) pixels of each visible thing
    where: dict[str, FloatArray]  # (3,) right, forward, up in m from the camera, of each thing's middle
    kinds: dict[str, str]
    colors: dict[str, str]
    queries: tuple[Query, ...]


class TableTops:
    """Makes scenes in one simulation of the apartment."""

    def __init__(self) -> None:
        self._simulation = Simulation(load_scene())
        self._surfaces = {name: surfaces_of(self._simulation.scene, name)[0] for name in TABLES}

    def __enter__(self) -> TableTops:
        return self

    def __exit__(self, *_: object) -> None:
        self._simulation.close()

    def scene(self, seed: int) -> TableTop:
        """The scene of that number: one kind once to three times, two or three other things."""
        rng = np.random.default_rng((77, seed))
        kind = list(KINDS)[int(rng.integers(len(KINDS)))]
        members = list(rng.permutation(list(KINDS[kind])))[: int(rng.integers(1, 4))]
        others = list(rng.permutation(list(LANDMARKS)))[: int(rng.integers(2, 4))]
        area = self._surfaces[TABLES[int(rng.integers(len(TABLES)))]]
        self._place([str(name) for name in (*members, *others)], area, rng)
        image, owner = self._simulation.render(), self._simulation.render_segmentation()
        names = list(self._simulation.scene.objects)
        masks = {name: owner == number for number, name in enumerate(names)}
        masks = {name: mask for name, mask in masks.items() if _clearly_visible(mask)}
        hidden = any((owner == number).sum() > 0 and name not in masks for number, name in enumerate(names))
        where = {name: self._seen(name, image.pose) for name in masks}
        kinds = {name: next((kind for kind, of in KINDS.items() if name in of), LANDMARKS.get(name, "")) for name in masks}
        colors = {name: KINDS.get(kinds[name], {}).get(name, "") for name in masks}
        queries = () if hidden else tuple(_queries(kind, where, kinds, colors, rng))
        return TableTop(image, masks, where, kinds, colors, queries)

    def _place(self, names: list[str], area: Rectangle, rng: np.random.Generator) -> None:
        scene = self._simulation.scene
        side = min(area.half[1], 0.5)
        poses = {name: ((AWAY, float(row), 0.0005), 0.0) for row, name in enumerate(scene.objects)}
        taken: list[tuple[float, float, float]] = []
        for name in names:
            radius = scene.hull(name).radius
            for _ in range(60):
                deep = float(rng.uniform(radius, max(min(DEPTH, 2 * area.half[0]) - radius, radius + 0.01)))
                x, y = area.point(area.half[0] - deep, float(rng.uniform(-side, side)))
                if all(math.hypot(x - a, y - b) > radius + r + 0.015 for a, b, r in taken):
                    taken.append((x, y, radius))
                    poses[name] = ((x, y, area.top + 0.0005), float(rng.uniform(-math.pi, math.pi)))
                    break
        self._simulation.put_all(poses)
        x, y = area.point(area.half[0] + float(rng.uniform(0.45, 0.7)), float(rng.uniform(-0.15, 0.15)))
        target = area.point(area.half[0] - 0.2, 0.0)
        self._simulation.put_robot(x, y, math.atan2(target[1] - y, target[0] - x))

    def _seen(self, name: str, pose: FloatArray) -> FloatArray:
        """(3,) right, forward along the floor, up of the thing's middle from the camera."""
        offset = self._simulation.middle(name) - pose[:3, 3]
        ahead = pose[:2, 2] / np.linalg.norm(pose[:2, 2])
        return np.array([offset[0] * ahead[1] - offset[1] * ahead[0], offset[:2] @ ahead, offset[2]])


def _clearly_visible(mask: NDArray[np.bool_]) -> bool:
    if mask.sum() < VISIBLE:
        return False
    rows, cols = np.where(mask)
    inside = rows.min() > 0 and cols.min() > 0 and rows.max() < mask.shape[0] - 1 and cols.max() < mask.shape[1] - 1
    box = (np.ptp(rows) + 1) * (np.ptp(cols) + 1)
    return bool(inside and mask.sum() >= 0.3 * box)


def _queries(
    kind: str, where: dict[str, FloatArray], kinds: dict[str, str], colors: dict[str, str], rng: np.random.Generator
) -> Iterator[Query]:
    members = [name for name in where if kinds[name] == kind]
    marks = [name for name in where if name in LANDMARKS]
    if not members:
        return
    if len(members) > 1:
        yield Query("ambiguous", f"the {kind}", frozenset(members))
        yield Query("count", f"the {('', 'one', 'two', 'three')[len(members)]} {plural(kind)}", frozenset(members))
    else:
        yield Query("clear", f"the {kind}", frozenset(members))
    yield Query("count", f"how many {plural(kind)} are there", frozenset(members), len(members))
    yield from _colored(kind, members, colors)
    yield from _relations(kind, members, marks, where)
    if len(members) > 1:
        yield from _superlatives(kind, members, where)
    missing = [other for other in KINDS if other not in kinds.values()]
    yield Query("absent", f"the {missing[int(rng.integers(len(missing)))]}", frozenset())


def _colored(kind: str, members: list[str], colors: dict[str, str]) -> Iterator[Query]:
    for name in members:
        if colors[name]:
            yield Query("clear", f"the {colors[name]} {kind}", frozenset((name,)))
    if len(members) > 2 and colors[members[0]]:
        yield Query("exclusion", f"all {plural(kind)} but the {colors[members[0]]} one", frozenset(members[1:]))


def _relations(kind: str, members: list[str], marks: list[str], where: dict[str, FloatArray]) -> Iterator[Query]:
    for mark in marks:
        called = LANDMARKS[mark]
        offsets = {name: where[name] - where[mark] for name in members}
        for words, tests in (
            ("left of", [(-d[0] > MARGIN, -d[0] < -MARGIN) for d in offsets.values()]),
            ("right of", [(d[0] > MARGIN, d[0] < -MARGIN) for d in offsets.values()]),
            ("in front of", [(-d[1] > MARGIN + 0.02 and abs(d[0]) < -d[1], d[1] > MARGIN) for d in offsets.values()]),
            ("behind", [(d[1] > MARGIN + 0.02 and abs(d[0]) < d[1], -d[1] > MARGIN) for d in offsets.values()]),
            ("next to", [(math.hypot(*d[:2]) < CLOSE, math.hypot(*d[:2]) > APART) for d in offsets.values()]),
        ):
            if all(yes or no for yes, no in tests) and sum(yes for yes, _ in tests) == 1:
                meant = next(name for name, (yes, _) in zip(members, tests, strict=True) if yes)
                yield Query("relation", f"the {kind} {words} the {called}", frozenset((meant,)))
    for one in marks:
        for other in marks:
            if one < other:
                yield from _between(kind, members, (one, other), where)


def _between(kind: str, members: list[str], marks: tuple[str, str], where: dict[str, FloatArray]) -> Iterator[Query]:
    a, b = (where[mark][:2] for mark in marks)
    line = b - a
    length = float(np.linalg.norm(line))
    tests = []
    for name in members:
        along = float((where[name][:2] - a) @ line) / length**2
        offset = where[name][:2] - a
        aside = abs(float(line[0] * offset[1] - line[1] * offset[0])) / length**2
        tests.append((0.2 < along < 0.8 and aside < 0.2, along < -0.1 or along > 1.1 or aside > 0.55))
    if all(yes or no for yes, no in tests) and sum(yes for yes, _ in tests) == 1:
        meant = next(name for name, (yes, _) in zip(members, tests, strict=True) if yes)
        yield Query("relation", f"the {kind} between the {LANDMARKS[marks[0]]} and the {LANDMARKS[marks[1]]}", frozenset((meant,)))


def _superlatives(kind: str, members: list[str], where: dict[str, FloatArray]) -> Iterator[Query]:
    bearing = sorted(members, key=lambda name: where[name][0] / where[name][1])
    steps = np.diff([where[name][0] / where[name][1] for name in bearing])
    if steps.min() > MARGIN:
        yield Query("superlative", f"the leftmost {kind}", frozenset((bearing[0],)))
        yield Query("superlative", f"the {kind} on the right", frozenset((bearing[-1],)))
        yield Query("superlative", f"the second {kind} from the left", frozenset((bearing[1],)))
        if len(members) == 3:
            yield Query("superlative", f"the middle {kind}", frozenset((bearing[1],)))
            yield Query("superlative", f"the two leftmost {plural(kind)}", frozenset(bearing[:2]))
    far = sorted(members, key=lambda name: float(np.linalg.norm(where[name])))
    apart = np.diff([float(np.linalg.norm(where[name])) for name in far])
    if apart[0] > MARGIN:
        yield Query("superlative", f"the nearest {kind}", frozenset((far[0],)))
    if apart[-1] > MARGIN:
        yield Query("superlative", f"the farthest {kind}", frozenset((far[-1],)))
    if kind == "bottle":
        tall = sorted(members, key={"green_bottle": 0.3, "water_bottle": 0.24, "shampoo": 0.19}.__getitem__)
        yield Query("superlative", "the tallest bottle", frozenset((tall[-1],)))
        yield Query("superlative", "the shortest bottle", frozenset((tall[0],)))
