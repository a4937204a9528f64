"""The apartment from above, and the mapping between its pixels and the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.scene.scene import Scene
from sayso.sim.camera import Camera
from sayso.types import FloatArray

MARGIN = 0.25  # m around the apartment
STEEP = (-0.17, 0.22, -0.96)  # the sun's direction: steep, so that shadows do not cover the next room


@dataclass(frozen=True, slots=True)
class MapView:
    """The view of a picture from straight above: north up, one scale for both axes."""

    width: int  # pixels
    height: int
    scale: float  # pixels per metre
    middle: tuple[float, float]  # m, the map's point at the centre of the picture

    def pixels(self, points: FloatArray) -> FloatArray:
        """(N, 2) points of the map, m → (N, 2) pixels, u right and v down."""
        offset = (np.asarray(points, dtype=np.float64)[..., :2] - self.middle) * self.scale
        return np.stack([self.width / 2 + offset[..., 0], self.height / 2 - offset[..., 1]], axis=-1)

    def points(self, pixels: FloatArray) -> FloatArray:
        """(N, 2) pixels → (N, 2) points of the map, m."""
        pixel = np.asarray(pixels, dtype=np.float64)
        offset = np.stack([pixel[..., 0] - self.width / 2, self.height / 2 - pixel[..., 1]], axis=-1)
        return offset / self.scale + self.middle


@dataclass(frozen=True, slots=True)
class Overview:
    """The picture from above and its view."""

    rgb: NDArray[np.uint8]  # (H, W, 3)
    view: MapView


def map_view(scene: Scene, width: int, height: int) -> MapView:
    """The view that fits the whole apartment into a picture of that size."""
    x0, y0, x1, y1 = scene.area
    scale = min(width / (x1 - x0 + 2 * MARGIN), height / (y1 - y0 + 2 * MARGIN))
    return MapView(width, height, scale, ((x0 + x1) / 2, (y0 + y1) / 2))


def draw_overview(model: Any, data: Any, scene: Scene, width: int, height: int) -> Overview:
    """Draw the apartment from above, without a ceiling and with the sun's shadows."""
    view = map_view(scene, width, height)
    model.camera("overview").fovy = height / view.scale
    headlight, sun = model.vis.headlight, model.light("sun")
    # From straight above, everything faces the lamp at the camera and looks flat: the sun's light gives it shape.
    settings = (headlight.ambient, headlight.diffuse, headlight.specular, data.light_xdir[sun.id], sun.diffuse)
    before = [setting.copy() for setting in settings]
    for setting, value in zip(settings, (0.5, 0.08, 0.0, STEEP, 0.42), strict=True):
        setting[:] = value
    camera = Camera(model, "overview", width, height)
    try:
        rgb, _ = camera.picture(data)
    finally:
        camera.close()
        for setting, value in zip(settings, before, strict=True):
            setting[:] = value
    return Overview(rgb, view)
