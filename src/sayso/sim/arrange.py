"""Arrangements of loose objects, robot and light: chosen ones to carry out commands in, and random ones to train the grounder on.

Nothing falls: random arrangements are for pictures only. `Simulation.render_segmentation` gives the exact pixels of each object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, pi

import numpy as np

from sayso.errors import SimulationError
from sayso.scene.layout import Rectangle, obstacles, stands_of, surfaces_of
from sayso.sim.gripper import free_spot
from sayso.sim.robot_body import RADIUS
from sayso.sim.simulation import Simulation

AWAY = -40.0  # m: unused objects stand in a row this far outside
DEEP = 0.5  # m behind a surface's front edge, at most, to put objects
ATTEMPTS = 200  # to find a spot where the robot can stand

Pose2 = tuple[float, float, float]  # x, y (m), yaw (rad)
Standing = tuple[tuple[float, float, float], float]  # foot (m), yaw (rad)


def stand_on(simulation: Simulation, furniture: Mapping[str, str], rng: np.random.Generator) -> None:
    """Stand objects on furniture, within reach from its front and apart from what stands there.

    Args:
        simulation: its other objects stay.
        furniture: object → id of the furniture.
        rng: chooses the spots.

    Raises:
        SimulationError: there is no room.
    """
    scene = simulation.scene
    truth = simulation.truth()
    taken: dict[str, list[tuple[float, float, float]]] = {place: [] for place in (*scene.furniture, *truth.locations)}
    for name, place, (x, y, _) in zip(truth.objects, truth.locations, truth.positions, strict=True):
        if name not in furniture:
            taken[place].append((float(x), float(y), scene.hull(name).radius))
    poses: dict[str, Standing] = {}
    for name, place in furniture.items():
        radius, areas = scene.hull(name).radius, stands_of(scene, place)
        for _ in range(ATTEMPTS):
            area = areas[int(rng.integers(len(areas)))]
            deep = min(radius + float(rng.uniform(0.02, 0.12)), area.half[0])
            x, y = area.point(area.half[0] - deep, float(rng.uniform(-0.8, 0.8)) * area.half[1])
            spot = free_spot((x, y, area.top), radius, area, taken[place])
            if spot is not None:
                break
        else:
            raise SimulationError(f"there is no room for {name} on {place}")
        taken[place].append((*spot, radius))
        poses[name] = (*spot, area.top + 0.0005), float(rng.uniform(-pi, pi))
    simulation.put_all(poses)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The result of an arrangement: which object is where."""

    place: str  # the surface that the robot looks at
    robot: Pose2
    on_place: tuple[str, ...]  # objects that stand there
    elsewhere: tuple[str, ...]  # objects on other surfaces; all others are away


class Arranger:
    """Rearranges the world of one simulation repeatedly, and can restore it."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        scene, model = simulation.scene, simulation.model
        self._obstacles = tuple(block for block in obstacles(scene) if block.bottom < 1.3)
        self._surfaces = {name: surfaces_of(scene, name) for name in scene.furniture if surfaces_of(scene, name)}
        self._state = simulation.data.qpos.copy()
        self._colors = model.geom_rgba.copy()
        self._lights = model.light_diffuse.copy(), model.light_dir.copy()
        self._headlight = model.vis.headlight.ambient.copy(), model.vis.headlight.diffuse.copy()
        # Everything but the loose objects may be recoloured a little, like the wood of another home.
        moving = [model.body(name).id for name in (*scene.objects, *scene.people, "robot")]
        self._background = np.flatnonzero(~np.isin(model.body_rootid[model.geom_bodyid], moving))

    def scatter(self, rng: np.random.Generator, fewest: int = 2, most: int = 8) -> Arrangement:
        """Put random objects on a random surface, some on others, the robot in front of it, in random light."""
        places, objects = tuple(self._surfaces), tuple(self._simulation.scene.objects)
        place = places[int(rng.integers(len(places)))]
        robot = self._standing_before(place, rng)
        names = [objects[index] for index in rng.permutation(len(objects))]
        count = int(rng.integers(fewest, most + 1))
        poses: dict[str, Standing] = {name: ((AWAY, float(row), 0.0005), 0.0) for row, name in enumerate(names)}
        taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in places}
        here = [name for name in names[:count] if self._strew(place, name, rng, poses, taken[place])]
        others = [places[index] for index in rng.integers(len(places), size=len(names) - count)]
        # Half of the rest lies on other surfaces, some of which are in view in the background.
        elsewhere = [
            name
            for name, other in zip(names[count:], others, strict=True)
            if other != place and rng.random() < 0.5 and self._strew(other, name, rng, poses, taken[other])
        ]
        self._relight(rng)
        self._simulation.put_all(poses)
        self._simulation.put_robot(*robot)
        return Arrangement(place, robot, tuple(here), tuple(elsewhere))

    def restore(self) -> None:
        """Restore the positions and the light from when this arranger was made."""
        model, simulation = self._simulation.model, self._simulation
        simulation.data.qpos[:] = self._state
        model.geom_rgba[:] = self._colors
        model.light_diffuse[:], model.light_dir[:] = self._lights
        model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = self._headlight
        simulation.refresh()

    def _strew(
        self, place: str, name: str, rng: np.random.Generator, poses: dict[str, Standing], taken: list[tuple[float, float, float]]
    ) -> bool:
        """Find room for the object on that surface and enter it into `poses` and `taken`; returns whether there was room."""
        areas = self._surfaces[place]
        area = areas[int(rng.integers(len(areas)))]
        radius = self._simulation.scene.hull(name).radius
        x, y = area.point(
            area.half[0] - float(rng.uniform(0.0, min(2 * area.half[0], DEEP))), float(rng.uniform(-area.half[1], area.half[1]))
        )
        spot = free_spot((x, y, area.top), radius, area, taken)
        if spot is None:
            return False
        poses[name] = (*spot, area.top + 0.0005), float(rng.uniform(-pi, pi))
        taken.append((*spot, radius))
        return True

    def _standing_before(self, place: str, rng: np.random.Generator) -> Pose2:
        """A free pose in front of the surface, in its room, looking roughly at it; mostly close by."""
        area = self._surfaces[place][0]
        for attempt in range(ATTEMPTS):
            away = 0.34 + float(rng.exponential(0.35)) * (1.0 - attempt / ATTEMPTS)
            x, y = area.point(area.half[0] + away, float(rng.uniform(-0.9, 0.9)) * area.half[1])
            if not self._is_free(x, y, area):
                continue
            near = area.point(area.half[0] - 0.2, float(rng.uniform(-0.6, 0.6)) * area.half[1])
            yaw = atan2(near[1] - y, near[0] - x) + float(rng.normal(0.0, 0.18))
            return x, y, atan2(np.sin(yaw), np.cos(yaw))
        x, y = area.point(area.half[0] + 0.4, 0.0)
        return x, y, atan2(area.y - y, area.x - x)

    def _is_free(self, x: float, y: float, area: Rectangle) -> bool:
        """Whether the robot fits there and is in the surface's room."""
        in_room = any(
            x0 < x < x1 and y0 < y < y1 and x0 < area.x < x1 and y0 < area.y < y1
            for x0, y0, x1, y1 in (room.area for room in self._simulation.scene.rooms.values())
        )
        return in_room and all(block.distance(x, y) > RADIUS + 0.02 for block in self._obstacles)

    def _relight(self, rng: np.random.Generator) -> None:
        """Random light, from dim evening to bright day and from warm to cold, and random shades of furniture and walls."""
        model = self._simulation.model
        tint = 1.0 + float(rng.uniform(-0.08, 0.08)) * np.array([1.0, 0.0, -1.0])
        model.vis.headlight.ambient[:] = self._headlight[0] * float(rng.uniform(0.7, 1.3)) * tint
        model.vis.headlight.diffuse[:] = self._headlight[1] * float(rng.uniform(0.6, 1.5))
        model.light_diffuse[:] = self._lights[0] * float(rng.uniform(0.3, 1.4)) * tint
        direction = self._lights[1] + rng.normal(0.0, 0.3, self._lights[1].shape) * (1.0, 1.0, 0.0)
        model.light_dir[:] = direction / np.linalg.norm(direction, axis=1, keepdims=True)
        shades = 1.0 + rng.normal(0.0, 0.12, (len(self._background), 1)) + rng.normal(0.0, 0.05, (len(self._background), 3))
        model.geom_rgba[self._background, :3] = np.clip(self._colors[self._background, :3] * shades, 0.0, 1.0)
