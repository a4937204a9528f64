"""Random arrangements of the apartment's things, seen by the simulated robot's camera, with ground truth for every pixel."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sayso.scene import load_scene
from sayso.sim.arrange import Arranger
from sayso.sim.simulation import Simulation
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Picture

THINGS = (3, 10)  # number on the surface that the robot looks at
LOOKS_AROUND = 0.15  # share of the pictures taken in another direction
RECOLORED = 0.5  # share of the recolourable things that get another colour
SHADE = 0.025  # standard deviation of red, green and blue, so that no two reds are equal
CARRIES = 0.08  # share of the pictures with something in front of the robot's chest
CARRIED_AT = (0.3, -0.2, 0.95)  # m in front, to the left, above the floor
HIGHER, TILTED = 0.12, math.radians(7)  # the largest change of the camera's mount, m and rad


class Scenes:
    """Pictures of random arrangements; the same seed and number give the same picture."""

    def __init__(self, book: PhraseBook) -> None:
        self.book = book
        self.scene = load_scene()

    @property
    def digest(self) -> str:
        """A hash of the scene's content."""
        return hashlib.sha256(self.scene.model_dump_json().encode()).hexdigest()

    def pictures(self, seed: int, first: int, count: int) -> Iterator[Picture]:
        """Pictures `first` to `count` − 1 of that seed."""
        if first >= count:
            return
        studio = _Studio(self.book, Simulation(self.scene))
        try:
            for number in range(first, count):
                yield studio.picture(np.random.default_rng((seed, number)))
        finally:
            studio.simulation.close()


class _Studio:
    """The simulation with random colours, camera mounts and views."""

    def __init__(self, book: PhraseBook, simulation: Simulation) -> None:
        self.book = book
        self.simulation = simulation
        self.arranger = Arranger(simulation)
        model, objects = simulation.model, simulation.scene.objects
        self.camera = model.camera("camera").id
        self.mount = model.cam_pos[self.camera].copy(), model.cam_quat[self.camera].copy()
        self.colors = model.geom_rgba.copy()
        self.main = {name: self._geoms_painted("main", name) for name in objects}
        # Index in the scene (−1: none) → 1 + index in the domain, 0 for things that are not in the domain.
        self.owner = np.array([1 + book.object_ids.index(name) if name in book.object_ids else 0 for name in objects] + [0], np.uint8)

    def picture(self, rng: np.random.Generator) -> Picture:
        """One arrangement, one light, one view."""
        colors = self._paint(rng)
        arrangement = self.arranger.scatter(rng, *THINGS)
        x, y, yaw = arrangement.robot
        if rng.random() < LOOKS_AROUND:
            yaw = float(rng.uniform(-math.pi, math.pi))
        self._mount(rng)
        self.simulation.put_robot(x, y, yaw)
        if rng.random() < CARRIES:
            self._carry(rng, (x, y, yaw))
        image, owner = self.simulation.render(), self.owner[self.simulation.render_segmentation()]
        assert image.depth is not None
        return Picture(image.rgb, owner, colors, image.depth, np.array(image.intrinsics), image.pose)

    def _geoms_painted(self, color: str, name: str) -> list[int]:
        scene = self.simulation.scene
        parts = scene.shapes[scene.objects[name].shape].parts
        return [self.simulation.model.geom(f"{name}/{index}").id for index, part in enumerate(parts) if part.color == color]

    def _paint(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Give some things another colour, and all of them another shade; returns (K,) the colour of each object of the domain."""
        scene, model = self.simulation.scene, self.simulation.model
        chosen = {}
        for name, geoms in self.main.items():
            paint = self.colors[geoms, :3]
            if name in self.book.object_ids:
                others = self.book.other_colors(name)
                recolored = bool(others) and rng.random() < RECOLORED
                chosen[name] = others[rng.integers(len(others))] if recolored else self.book.own_color(name)
                paint = np.array(scene.rgb(chosen[name])) if recolored else paint
            model.geom_rgba[geoms, :3] = np.clip(paint + rng.normal(0.0, SHADE, 3), 0.0, 1.0)
        return np.array([self.book.colors.index(chosen.get(name, self.book.own_color(name))) for name in self.book.object_ids], np.uint8)

    def _mount(self, rng: np.random.Generator) -> None:
        """Move the camera a little up or down and tilt it."""
        position, (w, x, y, z) = self.mount
        half = float(rng.uniform(-TILTED, TILTED)) / 2
        c, s = math.cos(half), math.sin(half)
        self.simulation.model.cam_pos[self.camera] = position + np.array([0.0, 0.0, rng.uniform(-HIGHER, HIGHER)])
        # The mount's quaternion times a rotation about the camera's own x axis.
        self.simulation.model.cam_quat[self.camera] = [w * c - x * s, w * s + x * c, y * c + z * s, z * c - y * s]

    def _carry(self, rng: np.random.Generator, robot: tuple[float, float, float]) -> None:
        """Hold a random thing in front of the robot."""
        x, y, yaw = robot
        forward, left, height = CARRIED_AT
        foot = x + forward * math.cos(yaw) - left * math.sin(yaw), y + forward * math.sin(yaw) + left * math.cos(yaw), height
        self.simulation.put(str(rng.choice(list(self.main))), foot, yaw)
