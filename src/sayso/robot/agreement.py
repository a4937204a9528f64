"""Checks that a domain file and a scene file describe the same home, and that the robot can reach everything in it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sayso.domain import Domain
from sayso.robot.geometry import Pose
from sayso.robot.map import RobotMap
from sayso.robot.path import PathPlanner
from sayso.robot.skill import SkillFailed
from sayso.robot.stand import NEAREST, REACH
from sayso.scene.layout import hand_of, start_pose, surfaces
from sayso.scene.scene import Scene

ARM = 0.75  # m from a place's pose: things within this distance can be grasped without driving
ASIDE = math.radians(45)  # the largest bearing of a surface, seen from its place's pose
EXACT = 0.05  # m: the robot must be able to stand this close to a place's pose


def disagreements(scene: Scene, domain: Domain) -> Iterator[str]:
    """One line for each difference between the files, and for each thing that the robot cannot reach."""
    names = list(_names(scene, domain))
    yield from names
    if names:
        return
    home = RobotMap.from_scene(scene, domain)
    yield from _places(scene, domain, home)
    yield from _objects(scene, domain)
    yield from _people(scene, home)


def _names(scene: Scene, domain: Domain) -> Iterator[str]:
    rooms = {name for name, place in domain.places.items() if place.kind == "room"}
    furniture = {name for name, place in domain.places.items() if place.kind == "furniture"}
    bearing = {surface.name for surface in surfaces(scene)}
    pairs = (
        ("room", set(scene.rooms), rooms),
        ("furniture", set(scene.furniture), furniture),
        ("object", set(scene.objects), set(domain.objects)),
        ("person", set(scene.people), set(domain.people)),
        ("surface", bearing, {name for name, place in domain.places.items() if place.surface}),
    )
    for what, in_scene, in_domain in pairs:
        for name in sorted(in_scene - in_domain):
            yield f"{what} '{name}' is in the scene and not in the domain"
        for name in sorted(in_domain - in_scene):
            yield f"{what} '{name}' is in the domain and not in the scene"


def _places(scene: Scene, domain: Domain, home: RobotMap) -> Iterator[str]:
    plan = PathPlanner(home)
    for name, place in domain.places.items():
        x, y, yaw = place.pose
        if home.room_at((x, y)) != domain.room_of(name):
            yield f"place '{name}': its pose is in '{home.room_at((x, y))}', not in '{domain.room_of(name)}'"
            continue
        try:
            path = plan(scene.robot.at, (x, y))
        except SkillFailed as blocked:
            yield f"place '{name}': {blocked}"
            continue
        if math.dist(path[-1], (x, y)) > EXACT:
            yield f"place '{name}': the robot does not fit at its pose, only {math.dist(path[-1], (x, y)):.2f} m beside it"
        at = Pose(x, y, yaw)
        bearings = [abs(at.bearing((surface.x, surface.y))) for surface in home.surfaces_of(name)]
        if bearings and min(bearings) > ASIDE:
            yield f"place '{name}': the robot does not face it at its pose"


def _objects(scene: Scene, domain: Domain) -> Iterator[str]:
    for name, thing in scene.objects.items():
        x, y, *_ = start_pose(scene, name)
        at = Pose(*domain.places[thing.on].pose)
        if at.distance((x, y)) > ARM or abs(at.bearing((x, y))) > ASIDE:
            yield f"object '{name}': it is {at.distance((x, y)):.2f} m from the pose of '{thing.on}', out of the arm's reach or to the side"
        if thing.on not in domain.objects[name].usual:
            yield f"object '{name}': it is on '{thing.on}', where the domain does not expect it"


def _people(scene: Scene, home: RobotMap) -> Iterator[str]:
    """Check that the robot can reach each person's hand from free floor."""
    costs = PathPlanner(home).costs(scene.robot.at)
    x, y = home.centres
    for name in scene.people:
        hand = hand_of(scene, name)
        away = ((x - hand[0]) ** 2 + (y - hand[1]) ** 2) ** 0.5
        near = np.argwhere((away >= NEAREST) & (away <= REACH) & (costs < math.inf))
        if all(home.separated(home.centre((int(row), int(column))), hand[:2]) for row, column in near):
            yield f"person '{name}': the robot cannot get to the hand at ({hand[0]:.1f}, {hand[1]:.1f})"
