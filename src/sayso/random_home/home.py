"""A random apartment: written as a scene and a domain file, and kept only if both agree and the robot can reach everything."""

from __future__ import annotations

from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from sayso.domain import Domain, load_domain
from sayso.errors import DomainError, SimulationError
from sayso.random_home.decor import draw_decor, ends_of_the_hallway
from sayso.random_home.furniture import Furnished, Pose
from sayso.random_home.quarter_turn import turned
from sayso.random_home.recipe import Recipe, default_recipe
from sayso.random_home.rooms import NoRoom, draw_floor_plan, front_door
from sayso.random_home.things import draw_objects, draw_people, draw_start
from sayso.robot.agreement import disagreements
from sayso.scene import load_scene
from sayso.scene.scene import Scene

SCENE, DOMAIN = "scene.yaml", "domain.yaml"
DRAWS = 60  # attempts to find an apartment in which the robot can reach everything
INCLUDED = ("palette.yaml", "furniture.yaml", "things.yaml")
SPOTS = 0.75  # m from the ends of the hallway, where the robot stands at the dock and at the front door

Data = dict[str, Any]


def random_home(seed: int, folder: Path, needed: frozenset[str] = frozenset()) -> tuple[Path, Path]:
    """Write the apartment of a seed to a folder; the same seed gives the same apartment.

    Args:
        seed: at least 0.
        folder: created if missing; its `scene.yaml` and `domain.yaml` are overwritten.
        needed: ids of the default home (rooms, furniture, objects) that must be included.

    Returns:
        The scene file and the domain file.

    Raises:
        SimulationError: no draw had room for everything that is needed.
    """
    home, domain, recipe = load_scene(), load_domain(), default_recipe()
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    reason = ""
    for _ in range(DRAWS):
        try:
            scene_data, domain_data = _draw(recipe, home, domain, needed, rng)
        except NoRoom as none:
            reason = str(none)
            continue
        files = _write(folder, seed, scene_data, domain_data)
        try:
            found = tuple(disagreements(load_scene(files[0]), load_domain(files[1])))
            narrow = [each for each in found if each.location[-1] in ("opens", "stores", "switches", "wipes")]
            for _, place, flag in (each.location for each in narrow):
                for each in (flag, "stores") if flag == "opens" else (flag,):  # the robot leaves that door alone, and what is behind it
                    domain_data["places"][place].pop(each, None)
            if narrow:
                files = _write(folder, seed, scene_data, domain_data)
            wrong = next((str(each) for each in found if each not in narrow), "")
        except DomainError as refused:
            wrong = str(refused)
        if not wrong:
            return files
        reason = wrong
    raise SimulationError(f"no apartment was found for the seed {seed} in {DRAWS} draws; the last one failed: {reason}")


def _draw(recipe: Recipe, home: Scene, domain: Domain, needed: frozenset[str], rng: np.random.Generator) -> tuple[Data, Data]:
    plan = draw_floor_plan(recipe, needed, rng)
    furnished = Furnished(plan, home)
    hall_x0, hall_y0, hall_x1, hall_y1 = plan.rooms[plan.hallway]
    middle = (hall_y0 + hall_y1) / 2
    door = sum(front_door(plan.rooms[plan.hallway])) / 2
    furnished.fronts.extend(ends_of_the_hallway(plan.rooms[plan.hallway]))
    for room in plan.rooms:
        pieces = recipe.hallway.furniture if room == plan.hallway else recipe.rooms[room].furniture
        # Large pieces and pieces in the middle first.
        for name, piece in sorted(pieces.items(), key=lambda item: (not item[1].middle, -max(home.furniture[item[0]].size or (1.5,)))):
            if name not in needed and rng.random() >= piece.chance:
                continue
            try:
                furnished.add(name, room, piece, rng)
            except NoRoom:
                if name in needed or piece.chance == 1.0:
                    raise
    poses: dict[str, Pose] = {name: furnished.stand(name) for name in furnished.poses}
    poses |= {"dock": (hall_x0 + SPOTS, middle, 180.0), "front_door": (hall_x1 - SPOTS, middle, 0.0)}
    decor = draw_decor(furnished, rng)
    people = draw_people(domain, furnished, poses, rng)
    things = draw_objects(home, domain, furnished, recipe.objects.chance, needed, rng)
    start = draw_start(furnished, "living_room", rng)
    for room in plan.rooms:
        x, y = draw_start(furnished, room, rng)[0]
        poses[room] = x, y, 0.0
    scene_data: Data = {
        "palette": {"wall": str(rng.choice(list(recipe.wall_colors)))},
        "rooms": {name: {"area": list(area), "floor": home.rooms[name].floor.model_dump(mode="json")} for name, area in plan.rooms.items()},
        "walls": [
            {
                "start": list(wall.start),
                "end": list(wall.end),
                **({"openings": [list(gap) for gap in wall.openings]} if wall.openings else {}),
            }
            for wall in plan.walls
        ],
        "furniture": _furniture(home, {**furnished.poses, "front_door": (hall_x1, door, 180.0)}),
        "decor": decor,
        "objects": {
            name: {**home.objects[name].model_dump(mode="json", exclude_defaults=True), "on": on, "at": list(at), "yaw": yaw}
            for name, (on, at, yaw) in things.items()
        },
        "people": {
            name: {**home.people[name].model_dump(mode="json", exclude_defaults=True), "at": list(at), "yaw": yaw}
            for name, (at, yaw) in people.items()
        },
        "robot": {"at": list(start[0]), "yaw": start[1]},
        "light": {
            **{name: round(float(rng.uniform(*bounds)), 2) for name, bounds in recipe.light},
            "direction": [round(float(rng.uniform(-0.4, 0.4)), 2), round(float(rng.uniform(-0.4, 0.4)), 2), -1.0],
        },
        "gripper": home.gripper.model_dump(mode="json"),
    }
    if rng.random() < 0.5:
        scene_data, poses = turned(scene_data, poses, plan.depth)
    return scene_data, _domain_data(domain, scene_data, poses)


def _furniture(home: Scene, poses: dict[str, Pose]) -> Data:
    """The furniture of the default home, at these poses."""
    return {
        name: {**home.furniture[name].model_dump(mode="json", exclude_defaults=True), "at": [x, y], "yaw": yaw}
        for name, (x, y, yaw) in poses.items()
    }


def _domain_data(domain: Domain, scene: Data, poses: dict[str, Pose]) -> Data:
    """The default home's domain, reduced to this apartment, with its poses; `usual` keeps only the places that exist."""
    places: Data = {}
    for name, place in domain.places.items():
        if name in poses:
            x, y, yaw = poses[name]
            pose = [x, y, round(radians((yaw + 180) % 360 - 180), 3)]
            places[name] = {**place.model_dump(mode="json", exclude_defaults=True), "pose": pose}
    data: Data = {"robot": domain.robot, "speaker": domain.speaker, "scene": SCENE, "places": places}
    for section, entities in (("people", domain.people), ("objects", domain.objects)):
        data[section] = {}
        for name in scene[section]:
            entry = entities[name].model_dump(mode="json", exclude_defaults=True)
            data[section][name] = {**entry, "usual": {place: weight for place, weight in entry["usual"].items() if place in places}}
    return data


def _write(folder: Path, seed: int, scene: Data, domain: Data) -> tuple[Path, Path]:
    name = f"random_{seed}"
    head = f"# A random apartment: `sayso scene random --seed {seed}` makes it again. docs/scenes.md explains the fields.\n"
    files = folder / SCENE, folder / DOMAIN
    include = [f"sayso:scenes/{file}" for file in INCLUDED]
    files[0].write_text(head + _yaml({"include": include, "name": name, **scene}), encoding="utf-8")
    include = ["sayso:skills.yaml", "sayso:intents.yaml"]
    files[1].write_text(head + _yaml({"include": include, "name": name, **domain}), encoding="utf-8")
    return files


def _yaml(data: Data) -> str:
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=140, allow_unicode=True)
