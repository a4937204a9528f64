"""Culling: leaves out geoms that are outside the view, too small to see, or behind a wall.

MuJoCo draws every geom for every picture. Without a GPU, culling makes a picture several times as fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SMALLEST = 0.6  # pixels: geoms with a smaller radius in the picture are left out
Mask = NDArray[np.bool_]


class Culling:
    """Finds the geoms that one perspective camera of a model may see. When in doubt, a geom is drawn.

    Args:
        geoms: (N,) ids, judged by their bounding spheres.
        walls: ids of upright boxes along x and y, higher than the camera and everything else.
    """

    def __init__(self, model: Any, camera: int, geoms: NDArray[np.int64], walls: NDArray[np.int64], size: tuple[int, int]) -> None:
        self._camera, self._geoms = camera, geoms
        self._height = size[1]
        high = float(np.tan(np.radians(model.cam_fovy[camera]) / 2))
        self._wide, self._high = high * size[0] / size[1], high
        self._radius = model.geom_rbound[geoms]
        self._walls_low = model.geom_pos[walls, :2] - model.geom_size[walls, :2]
        self._walls_high = model.geom_pos[walls, :2] + model.geom_size[walls, :2]

    def visible(self, data: Any) -> Mask:
        """(N,) False for geoms that are certainly not in the picture."""
        at, axes = data.cam_xpos[self._camera], data.cam_xmat[self._camera].reshape(3, 3)
        centres = data.geom_xpos[self._geoms]
        right, up, back = ((centres - at) @ axes).T
        radius = self._radius
        # Distances to the side planes of the view; (1, tan) is each plane's normal before normalisation.
        beside = (np.abs(right) + back * self._wide) / np.hypot(1.0, self._wide)
        above = (np.abs(up) + back * self._high) / np.hypot(1.0, self._high)
        large = radius * self._height / (2 * self._high) > SMALLEST * np.maximum(-back, 1e-3)
        shown: Mask = (beside < radius) & (above < radius) & (back < radius) & large
        shown[shown] = ~self._hidden(at[:2], centres[shown, :2], radius[shown])
        return shown

    def _hidden(self, at: NDArray[np.float64], centres: NDArray[np.float64], radius: NDArray[np.float64]) -> Mask:
        """(M,) whether the whole square around each geom, seen from above, is in the shadow of one wall.

        The shadow of a convex shape is convex, so the square is inside if its four corners are.
        """
        corners = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])
        ends = centres[:, None] + radius[:, None, None] * corners  # (M, 4, 2)
        way = (ends - at)[:, :, None]  # (M, 4, 1, 2)
        way = np.where(np.abs(way) < 1e-9, 1e-9, way)
        first, second = (self._walls_low - at) / way, (self._walls_high - at) / way  # (M, 4, walls, 2)
        enters = np.minimum(first, second).max(axis=3)
        leaves = np.maximum(first, second).min(axis=3)
        blocked = (enters <= leaves) & (leaves >= 0.0) & (leaves <= 1.0)  # left again before the corner
        hidden: Mask = blocked.all(axis=1).any(axis=1)
        return hidden
