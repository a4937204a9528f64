"""The recipe of random apartments: config/scenes/random.yaml as checked, immutable objects."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from sayso.paths import config_dir
from sayso.scene.scene import Probability
from sayso.yaml_source import StrictModel, read_yaml

Range = tuple[float, float]


class PieceRecipe(StrictModel):
    """One piece of furniture, named by its id in the default home."""

    chance: Probability = 1.0
    middle: bool = False  # in the middle of the room, not against a wall
    chairs: int = 0


class RoomRecipe(StrictModel):
    """One room, named by its id in the default home."""

    width: Range  # m
    chance: Probability = 1.0
    furniture: dict[str, PieceRecipe]


class HallwayRecipe(StrictModel):
    """The room that connects all others."""

    name: str
    width: Range  # m
    furniture: dict[str, PieceRecipe]


class Passage(StrictModel):
    """An opening between two rooms side by side."""

    chance: Probability
    width: Range  # m


class Often(StrictModel):
    """How often optional features appear."""

    chance: Probability


class LightRecipe(StrictModel):
    """The ranges of brightness."""

    ambient: Range
    lamp: Range
    sun: Range


class Recipe(StrictModel):
    """All of random.yaml."""

    rooms: dict[str, RoomRecipe]
    hallway: HallwayRecipe
    depth: Range
    door: Range
    passage: Passage
    objects: Often
    light: LightRecipe
    wall_colors: tuple[str, ...] = Field(min_length=1)


@lru_cache(maxsize=1)
def default_recipe() -> Recipe:
    """The recipe in config/scenes/random.yaml.

    Raises:
        DomainError: the file is invalid; names file and line.
    """
    return read_yaml(config_dir() / "scenes" / "random.yaml", "what random apartments are made of").checked(Recipe)
