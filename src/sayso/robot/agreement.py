"""Checks that a domain file and a scene file describe the same home, and that the robot can reach everything in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from sayso.domain import Domain
from sayso.robot.cleaning import ENOUGH, wiped_patches, wiping_stands
from sayso.robot.geometry import Pose
from sayso.robot.map import RobotMap
from sayso.robot.operating import spots_aside
from sayso.robot.path import PathPlanner
from sayso.robot.skill import SkillFailed
from sayso.robot.stand import NEAREST, REACH
from sayso.scene.layout import hand_of, shelves, start_pose, surfaces
from sayso.scene.scene import Scene
from sayso.types import FloatArray

ARM = 0.75  # m from a place's pose: things within this distance can be grasped without driving
ASIDE = math.radians(45)  # the largest bearing of a surface, seen from its place's pose
EXACT = 0.05  # m: the robot must be able to stand this close to a place's pose


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference between the files, or something that the robot cannot reach."""

    file: Literal["scene", "domain"]  # where it is best corrected
    location: tuple[str, ...]  # of the field in that file
    message: str  # one line

    def __str__(self) -> str:
        return self.message


def disagreements(scene: Scene, domain: Domain) -> Iterator[Disagreement]:
    """Each difference between the files, and each thing that the robot cannot reach."""
    names = list(_names(scene, domain))
    yield from names
    if names:
        return
    home = RobotMap.from_scene(scene, domain)
    yield from _places(scene, domain, home)
    yield from _operated(scene, domain, home)
    yield from _objects(scene, domain)
    yield from _people(scene, home)


def _names(scene: Scene, domain: Domain) -> Iterator[Disagreement]:
    rooms = {name for name, place in domain.places.items() if place.kind == "room"}
    furniture = {name for name, place in domain.places.items() if place.kind == "furniture"}
    bearing = {surface.name for surface in surfaces(scene)}
    pairs = (
        ("room", "rooms", set(scene.rooms), "places", rooms),
        ("furniture", "furniture", set(scene.furniture), "places", furniture),
        ("object", "objects", set(scene.objects), "objects", set(domain.objects)),
        ("person", "people", set(scene.people), "people", set(domain.people)),
        ("surface", "furniture", bearing, "places", {name for name, place in domain.places.items() if place.surface}),
    )
    for what, of_scene, in_scene, of_domain, in_domain in pairs:
        for name in sorted(in_scene - in_domain):
            yield Disagreement("scene", (of_scene, name), f"{what} '{name}' is in the scene and not in the domain")
        for name in sorted(in_domain - in_scene):
            yield Disagreement("domain", (of_domain, name), f"{what} '{name}' is in the domain and not in the scene")
    stores = {name for name, place in domain.places.items() if place.stores}
    for name in sorted(stores - {shelf.name for shelf in shelves(scene)}):  # a shelf behind a door that the robot leaves alone is no harm
        yield Disagreement("domain", ("places", name, "stores"), f"'{name}' has no shelf behind its door in the scene")


def _places(scene: Scene, domain: Domain, home: RobotMap) -> Iterator[Disagreement]:
    plan = PathPlanner(home)
    for name, place in domain.places.items():
        wrong = partial(_of, "domain", "places", "place", name)
        x, y, yaw = place.pose
        if home.room_at((x, y)) != domain.room_of(name):
            yield wrong(f"its pose is in '{home.room_at((x, y))}', not in '{domain.room_of(name)}'")
            continue
        try:
            path = plan(scene.robot.at, (x, y))
        except SkillFailed as blocked:
            yield wrong(str(blocked))
            continue
        if math.dist(path[-1], (x, y)) > EXACT:
            yield wrong(f"the robot does not fit at its pose, only {math.dist(path[-1], (x, y)):.2f} m beside it")
        at = Pose(x, y, yaw)
        bearings = [abs(at.bearing((surface.x, surface.y))) for surface in home.surfaces_of(name)]
        if bearings and min(bearings) > ASIDE:
            yield wrong("the robot does not face it at its pose")


def _operated(scene: Scene, domain: Domain, home: RobotMap) -> Iterator[Disagreement]:
    """Check that what opens, switches or is wiped in the domain is so in the scene, and that the robot can get to it."""
    costs = PathPlanner(home).costs(scene.robot.at)
    free = costs < math.inf
    x, y = home.centres
    for name, place in domain.places.items():
        fitting, button = home.fitting(name), home.switches.get(name)
        wrong = ""
        if place.opens and fitting is None:
            wrong = "opens, and its shape in the scene has no door and no drawer"
        elif place.opens and fitting and not (spots_aside(home, fitting) & free).any():
            wrong = "there is no free floor from which the robot can open it"
        if wrong:
            yield Disagreement("domain", ("places", name, "opens"), f"place '{name}': {wrong}")
        wrong = "" if button or not place.switches else "switches, and its shape in the scene has no switch"
        if place.switches and button:
            away = np.hypot(x - button[0], y - button[1])
            within = free & (away >= NEAREST) & (away <= REACH)
            wrong = "" if within.any() else "there is no free floor within reach of its switch"
        if wrong:
            yield Disagreement("domain", ("places", name, "switches"), f"place '{name}': {wrong}")
        wrong = _wiped(home, costs, name) if place.wipes else ""
        if wrong:
            yield Disagreement("domain", ("places", name, "wipes"), f"place '{name}': {wrong}")


def _wiped(home: RobotMap, costs: FloatArray, place_id: str) -> str:
    """Why it cannot be wiped whole, empty if it can."""
    patches = wiped_patches(home.surfaces_of(place_id))
    if not patches:
        return "is wiped, and its shape in the scene has no areas"
    share = sum(len(stand.patches) for stand in wiping_stands(home, costs, patches)) / len(patches)
    return "" if share >= ENOUGH else f"is wiped, and the arm reaches only {share:.0%} of its top"


def _objects(scene: Scene, domain: Domain) -> Iterator[Disagreement]:
    for name, thing in scene.objects.items():
        wrong = partial(_of, "scene", "objects", "object", name)
        x, y, *_ = start_pose(scene, name)
        at = Pose(*domain.places[thing.on].pose)
        if at.distance((x, y)) > ARM or abs(at.bearing((x, y))) > ASIDE:
            yield wrong(f"it is {at.distance((x, y)):.2f} m from the pose of '{thing.on}', out of the arm's reach or to the side")
        if domain.objects[name].pours and not thing.holds:
            yield Disagreement("domain", ("objects", name, "pours"), f"object '{name}': pours, and it holds nothing in the scene")
        if domain.objects[name].fills and not thing.capacity:
            yield Disagreement("domain", ("objects", name, "fills"), f"object '{name}': can be filled, and it has no capacity in the scene")
        if thing.on not in domain.objects[name].usual:
            yield wrong(f"it is on '{thing.on}', where the domain does not expect it")


def _people(scene: Scene, home: RobotMap) -> Iterator[Disagreement]:
    """Check that the robot can reach each person's hand from free floor."""
    costs = PathPlanner(home).costs(scene.robot.at)
    x, y = home.centres
    for name in scene.people:
        hand = hand_of(scene, name)
        away = ((x - hand[0]) ** 2 + (y - hand[1]) ** 2) ** 0.5
        near = np.argwhere((away >= NEAREST) & (away <= REACH) & (costs < math.inf))
        if all(home.separated(home.centre((int(row), int(column))), hand[:2]) for row, column in near):
            yield _of("scene", "people", "person", name, f"the robot cannot get to the hand at ({hand[0]:.1f}, {hand[1]:.1f})")


def _of(file: Literal["scene", "domain"], section: str, what: str, name: str, wrong: str) -> Disagreement:
    """Something wrong with an entry of a file."""
    return Disagreement(file, (section, name), f"{what} '{name}': {wrong}")
