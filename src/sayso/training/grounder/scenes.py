"""Random arrangements of a home's things, seen by the simulated robot's camera, with ground truth for every pixel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.colors import lab, named
from sayso.random_home import random_home
from sayso.scene import load_scene
from sayso.scene.scene import Scene
from sayso.sim.arrange import Arranger
from sayso.sim.simulation import Simulation
from sayso.training.grounder.config import GrounderConfig
from sayso.training.grounder.phrases import PhraseBook
from sayso.training.grounder.pictures import Picture

THINGS = (3, 10)  # number on the surface that the robot looks at
LOOKS_AROUND = 0.15  # share of the pictures taken in another direction
RECOLORED = 0.5  # share of the recolourable things that get another colour
SHADED = 0.4  # share of these, in the training pictures, that get a shade: "navy"
SHADE = 0.025  # standard deviation of red, green and blue, so that no two reds are equal
CARRIES = 0.08  # share of the pictures with something in front of the robot's chest
CARRIED_AT = (0.3, -0.2, 0.95)  # m in front, to the left, above the floor
SAME = 15.0  # ΔE: what is nearer to a colour that is held out is not in a training picture
INSTEAD = "#8a95b8"  # of what has such a colour: a sofa
STEP = (0.15, 0.1, math.radians(12))  # m aside, m forward or back, and rad: how far other views of an arrangement are taken
HIGHER, TILTED = 0.12, math.radians(7)  # the largest change of the camera's mount, m and rad


class Scenes:
    """Pictures of random arrangements in the default apartment and in random homes; the same split and number give the same picture."""

    def __init__(self, book: PhraseBook, config: GrounderConfig, folder: Path, apartment: Path | None = None) -> None:
        """`folder` keeps the files of the random homes; `apartment` is another scene instead of the default one."""
        self.book = book
        self.apartment = apartment
        self.config = config
        self.folder = folder

    def pictures(self, split: str, first: int, held_out: bool = False) -> Iterator[Picture]:
        """Pictures of that split from number `first` on.

        Args:
            split: "train", "tune" or "test".
            first: how many there are already.
            held_out: paint the things in the colours that no training picture has.
        """
        for studio, seeds in self._studios(split, first, held_out):
            yield from (studio.picture(np.random.default_rng(seed)) for seed in seeds)

    def views(self, split: str, count: int) -> Iterator[list[Picture]]:
        """The arrangements of that split, each from several places; the first view is the picture of that number."""
        for studio, seeds in self._studios(split, 0, held_out=False):
            yield from (studio.views(np.random.default_rng(seed), count) for seed in seeds)

    def _studios(self, split: str, first: int, held_out: bool) -> Iterator[tuple[_Studio, list[tuple[int, int]]]]:
        """The apartment and each random home, with the seeds of its pictures."""
        number = 0
        for home in range(-1, self.config.homes[split]):  # −1: the default apartment
            count = self.config.apartment[split] if home < 0 else self.config.pictures_per_home[split]
            if first < number + count:
                studio = _Studio(self.book, Simulation(self._scene(split, home)), held_out, SHADED if split == "train" else 0.0)
                try:
                    yield studio, [(self.config.seeds[split], each) for each in range(max(first, number), number + count)]
                finally:
                    studio.simulation.close()
            number += count

    def _scene(self, split: str, home: int) -> Scene:
        scene = self._home(split, home)
        return without_colors(scene, self.book.held_out.colors) if split == "train" else scene

    def _home(self, split: str, home: int) -> Scene:
        if home < 0:
            return load_scene(self.apartment)
        seed = self.config.seeds[split] + home
        folder = self.folder / f"home-{seed}"
        if not (folder / "scene.yaml").exists():
            random_home(seed, folder)
        return load_scene(folder / "scene.yaml")


def without_colors(scene: Scene, colors: tuple[str, ...]) -> Scene:
    """The scene in which nothing has one of these colours, neither furniture nor clothes."""
    hidden = lab(np.array([np.array(scene.rgb(color)) * 255 for color in colors]))
    looks = lab(np.array([np.array(scene.rgb(name)) * 255 for name in scene.palette]))
    near = np.linalg.norm(looks[:, None] - hidden, axis=-1).min(axis=1) < SAME
    palette = {name: INSTEAD if like else code for (name, code), like in zip(scene.palette.items(), near, strict=True)}
    return scene.model_copy(update={"palette": palette})


class _Studio:
    """The simulation with random colours, camera mounts and views."""

    def __init__(self, book: PhraseBook, simulation: Simulation, held_out: bool, shaded: float) -> None:
        self.book = book
        self.held_out = held_out
        self.shaded = shaded
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
        return self.views(rng, 1)[0]

    def views(self, rng: np.random.Generator, count: int) -> list[Picture]:
        """One arrangement in one light, seen while the robot turns and moves a little."""
        colors = self._paint(rng)
        arrangement = self.arranger.scatter(rng, *THINGS)
        x, y, yaw = arrangement.robot
        if rng.random() < LOOKS_AROUND:
            yaw = float(rng.uniform(-math.pi, math.pi))
        self._mount(rng)
        self.simulation.put_robot(x, y, yaw)
        if rng.random() < CARRIES:
            self._carry(rng, (x, y, yaw))
        pictures = [self._seen(colors)]
        while len(pictures) < count:
            aside, back, turned = (float(rng.uniform(-most, most)) for most in STEP)
            c, s = math.cos(yaw), math.sin(yaw)
            self.simulation.put_robot(x + back * c - aside * s, y + back * s + aside * c, yaw + turned)
            pictures.append(self._seen(colors))
        return pictures

    def _seen(self, colors: NDArray[np.uint8]) -> Picture:
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
                others = self.book.held_out_colors(name) if self.held_out else self.book.other_colors(name)
                recolored = bool(others) and rng.random() < (1.0 if self.held_out else RECOLORED)
                chosen[name] = others[rng.integers(len(others))] if recolored else self.book.own_color(name)
                paint = np.array(scene.rgb(chosen[name])) if recolored else paint
                if recolored and self.shaded and rng.random() < self.shaded:
                    chosen[name] = str(rng.choice(self.book.words.shades))
                    paint = named()[chosen[name]] / 255.0
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
