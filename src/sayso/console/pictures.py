"""Pictures of a run: the robot's path on the floor plan, and camera pictures with the attention."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sayso.console.floor_plan import FAINT, INK, color_of, draw_floor_plan, draw_objects
from sayso.domain.model import Domain
from sayso.evaluation.run import Run
from sayso.grounding.draw import draw_grounding
from sayso.scene.scene import Scene
from sayso.types import FloatArray, Grounding

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = "viridis"  # colour map of time: even in lightness, so readable in grey and with any colour vision
ARROWS = 2.0  # m between the arrows along the path
STEP = 0.02  # m: points nearer than this to the last one drawn are left out


def draw_path(run: Run, scene: Scene, domain: Domain, file: Path) -> None:
    """Draw the robot's path on the floor plan, coloured by time, with the start, the end, and where things were taken and given."""
    figure, axes = new_figure(scene)
    draw_floor_plan(axes, scene, domain)
    if run.worlds:
        draw_objects(axes, domain, run.worlds[0].positions)
        _draw_way(figure, axes, run.path)
        _mark_moves(axes, run, domain)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4, frameon=False, fontsize=9, labelcolor=INK, handletextpad=0.4)
    figure.savefig(file, dpi=150, facecolor="white", bbox_inches="tight", pad_inches=0.1)


def draw_frames(run: Run, folder: Path) -> dict[float, Path]:
    """Draw a picture per grounding; the files by the time of the grounding. Groundings without a camera picture in the bag are left out."""
    from PIL import Image as Picture

    folder.mkdir(parents=True, exist_ok=True)
    files: dict[float, Path] = {}
    for time, grounding in (item for utterance in run.utterances for item in utterance.groundings):
        drawn = attended(run, grounding)
        if drawn is None:
            continue
        name = f"{len(files) + 1:02d}-{grounding.object_id or 'phrase'}-{'found' if grounding.found else 'not-found'}.jpg"
        Picture.fromarray(drawn).save(folder / name, quality=88)
        files[time] = folder / name
    return files


def attended(run: Run, grounding: Grounding) -> NDArray[np.uint8] | None:
    """The camera picture with the attention of a grounding; None if it is not in the bag."""
    stamp = min(run.pictures, key=lambda stamp: abs(stamp - grounding.stamp), default=None)
    if stamp is None or abs(stamp - grounding.stamp) > 1e-3:
        return None
    return draw_grounding(run.pictures[stamp], grounding)


def new_figure(scene: Scene, width: float = 10.0) -> tuple[Figure, Axes]:
    """A figure with the home's proportions, `width` inches wide, independent of display and matplotlib settings."""
    from matplotlib import rcdefaults
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rcdefaults()  # DejaVu Sans, which comes with matplotlib
    x0, y0, x1, y1 = scene.area
    figure = Figure(figsize=(width, width * (y1 - y0) / (x1 - x0)))
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.0, 0.0, 1.0, 1.0))


def _draw_way(figure: Figure, axes: Axes, path: FloatArray) -> None:
    from matplotlib.collections import LineCollection

    way = thinned(path)
    start, end = path[0], path[-1]
    if len(way) > 1:
        segments = list(np.stack([way[:-1, 1:3], way[1:, 1:3]], axis=1))
        axes.add_collection(LineCollection(segments, colors="white", linewidths=5.5, capstyle="round", zorder=6))
        colored = LineCollection(segments, cmap=COLORS, linewidths=3, capstyle="round", zorder=7)
        colored.set_array(way[:-1, 0] - start[0])
        axes.add_collection(colored)
        bar = figure.colorbar(colored, ax=axes, shrink=0.5, aspect=30, pad=0.01)
        bar.set_label("time (s)", color=FAINT, fontsize=9)
        bar.ax.tick_params(labelsize=8, colors=FAINT)
        bar.outline.set_visible(False)  # type: ignore[operator]
        _draw_headings(axes, way)
    axes.plot(*start[1:3], "o", color="white", markeredgecolor=INK, markeredgewidth=2, markersize=13, zorder=8, label="start")
    _mark(axes, end[1:3], marker=_arrow(end[3]), color=INK, markersize=17, markeredgecolor="white", zorder=9, label="robot at the end")


def _draw_headings(axes: Axes, way: FloatArray) -> None:
    """Arrows along the path: outward and return path often overlap."""
    steps = np.diff(way[:, 1:3], axis=0)
    travelled = np.cumsum(np.hypot(*steps.T))
    for mark in np.arange(ARROWS / 2, travelled[-1], ARROWS):
        index = int(np.searchsorted(travelled, mark))
        dx, dy = steps[index]
        _mark(axes, way[index + 1, 1:3], marker=_arrow(np.arctan2(dy, dx)), color="white", markersize=6.5, markeredgecolor=INK, zorder=7.5)


def _arrow(yaw: float) -> Any:
    """A marker that points along `yaw` (rad): a kite, as on charts."""
    from matplotlib.markers import MarkerStyle
    from matplotlib.path import Path as Outline
    from matplotlib.transforms import Affine2D

    kite = Outline([(1.0, 0.0), (-0.8, 0.7), (-0.4, 0.0), (-0.8, -0.7), (1.0, 0.0)], closed=True)
    return MarkerStyle(kite, transform=Affine2D().rotate(yaw))


def _mark(axes: Axes, point: FloatArray | tuple[float, float], **style: Any) -> None:
    axes.plot([point[0]], [point[1]], linestyle="none", **style)


def thinned(path: FloatArray) -> FloatArray:
    """(N, 4) → the rows at least STEP from the last row kept, and the last row."""
    kept = [0]
    for index in range(1, len(path)):
        if np.hypot(*(path[index, 1:3] - path[kept[-1], 1:3])) >= STEP:
            kept.append(index)
    return path[[*kept, len(path) - 1]]


def _mark_moves(axes: Axes, run: Run, domain: Domain) -> None:
    """Mark where things were taken and where they were put."""
    began = run.worlds[0].stamp
    before = run.worlds[0]
    for world, name, _, place in run.moves:
        taken = place == "gripper"
        x, y, _ = before.positions[name] if taken else world.positions[name]
        verb = "taken" if taken else f"given to {place}" if place in domain.people else f"at {place}"
        text = f"{name.replace('_', ' ')} {verb}, {world.stamp - began:.0f} s"
        look = {"marker": "*", "markersize": 17} if taken else {"marker": "D", "markersize": 10}
        _mark(axes, (x, y), color=color_of(domain, name), markeredgecolor="black", zorder=10, label=text, **look)
        before = world
