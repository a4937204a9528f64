"""Floor textures: small pictures that repeat without a seam."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sayso.scene.scene import Floor, Rgb

PIXELS = 256  # along each side of the picture
ROWS = 16  # planks across a picture


def floor_texture(floor: Floor, first: Rgb, second: Rgb) -> tuple[NDArray[np.uint8], float]:
    """The picture (PIXELS, PIXELS, 3) of a floor, and the length of its sides in m."""
    rng = np.random.default_rng(7)  # the same floor every time
    light, dark = 255 * np.array(first), 255 * np.array(second)
    mix: NDArray[np.float64] = np.zeros((PIXELS, PIXELS))
    side = 2 * floor.tile
    if floor.pattern == "planks":
        mix = _planks(rng)
    elif floor.pattern == "tiles":
        mix = _tiles(rng)
    elif floor.pattern == "carpet":
        mix = np.clip(rng.normal(0.5, 0.28, (PIXELS, PIXELS)), 0, 1)
    picture = light + mix[..., None] * (dark - light)
    return np.clip(picture, 0, 255).astype(np.uint8), side


def _planks(rng: np.random.Generator) -> NDArray[np.float64]:
    """Boards of two lengths per picture, each row shifted, with a little grain and a dark joint."""
    mix = np.empty((PIXELS, PIXELS))
    height, length = PIXELS // ROWS, PIXELS // 2
    along = np.arange(PIXELS)
    for row in range(ROWS):
        shift = int(rng.integers(length))
        boards = rng.uniform(0.0, 0.9, 2)
        grain = np.cumsum(rng.normal(0, 0.05, (height, 1)), axis=0) + rng.normal(0, 0.05, (height, PIXELS))
        mix[row * height : (row + 1) * height] = boards[((along + shift) // length) % 2] + grain
        mix[row * height : (row + 1) * height, (along + shift) % length == 0] = 1.7
        mix[row * height] = 1.7
    return mix


def _tiles(rng: np.random.Generator) -> NDArray[np.float64]:
    """Two by two tiles with a joint between them."""
    mix = np.kron(rng.uniform(0.0, 0.35, (2, 2)), np.ones((PIXELS // 2, PIXELS // 2))) + rng.normal(0, 0.03, (PIXELS, PIXELS))
    joint = np.arange(PIXELS) % (PIXELS // 2) < 3
    mix[joint] = 1.3
    mix[:, joint] = 1.3
    return mix
