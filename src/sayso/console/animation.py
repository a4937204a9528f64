"""A run as an animated GIF: the camera picture with the attention, beside the robot on the floor plan."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.console.floor_plan import color_of, draw_floor_plan, draw_objects
from sayso.console.pictures import attended, new_figure
from sayso.console.stages import call_text
from sayso.dark_page import COLORS, FAINT, INK, PAPER, shortened
from sayso.domain.model import Domain
from sayso.errors import SaysoError
from sayso.evaluation.run import RecordedUtterance, Run
from sayso.scene.scene import Scene
from sayso.types import Grounding

LARGEST = 8_000_000  # bytes of the file
SIZE = (960, 440)
CAMERA, PLAN = (12, 12, 384, 288), (408, 12, 540, 352)  # left, top, width, height
ACCENT = (96, 165, 250)
LOOK = 2.0  # s: how long an attention is shown
FRAME, LOOKED, HOLD = 100, 900, 1800  # ms: ordinary frame, frame in which the thing is found, first and last frame of a sentence


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame and how long it is shown."""

    utterance: RecordedUtterance
    time: float  # s, ROS time
    milliseconds: int


def draw_animation(run: Run, scene: Scene, domain: Domain, file: Path, frames: int = 150) -> None:
    """Draw the whole run in about fifteen seconds; with fewer frames and colours if the file would be too large."""
    for share, colors in ((1.0, 256), (0.7, 192), (0.4, 128), (0.2, 96)):
        data = _encoded(run, scene, domain, round(frames * share), colors)
        if len(data) <= LARGEST:
            break
    file.write_bytes(data)


def _encoded(run: Run, scene: Scene, domain: Domain, frames: int, colors: int) -> bytes:
    stage = _Stage(run, scene, domain)
    moments = list(choose_moments(run, frames))
    if not moments:
        raise SaysoError(f"{run.folder}: nothing was heard in this run: there is nothing to animate")
    drawn = [stage.draw(moment) for moment in moments]
    looks = [picture for picture, moment in zip(drawn, moments, strict=True) if moment.milliseconds == LOOKED]
    palette = _palette(drawn[-1], [*drawn[:: max(len(drawn) // 24, 1)], *looks], colors)
    flat = [picture.quantize(palette=palette, dither=Picture.Dither.NONE) for picture in drawn]
    buffer = io.BytesIO()
    durations = [moment.milliseconds for moment in moments]
    flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=durations, loop=0, optimize=False)
    return buffer.getvalue()


def _palette(whole: Picture.Image, frames: list[Picture.Image], colors: int) -> Picture.Image:
    """One palette for all frames, so that nothing flickers: from the camera's colours in these frames and from one `whole` frame.

    An octree keeps rare colours (a red cup); a median cut spent all colours on walls. Colours with a meaning are kept exactly.
    """
    left, top, width, height = CAMERA
    views = [frame.crop((left, top, left + width, top + height)).reduce(2) for frame in frames]
    sheet = Picture.new("RGB", (SIZE[0], SIZE[1] + height // 2 * (len(views) // 5 + 1)))
    sheet.paste(whole, (0, 0))
    for index, view in enumerate(views):
        sheet.paste(view, (index % 5 * width // 2, SIZE[1] + index // 5 * height // 2))
    meant = (PAPER, INK, FAINT, ACCENT, *COLORS.values())
    common = sheet.quantize(colors - len(meant), method=Picture.Quantize.FASTOCTREE).getpalette() or []
    palette = Picture.new("P", (1, 1))
    palette.putpalette([*common[: 3 * (colors - len(meant))], *(part for color in meant for part in color)])
    return palette


def choose_moments(run: Run, frames: int) -> Iterator[Moment]:
    """Moments spread evenly from the start to the end of each utterance, and every look that found the thing."""
    lengths = [utterance.ended - utterance.transcript.stamp for utterance in run.utterances]
    step = max(sum(lengths) / max(frames, 1), 0.2)
    for utterance in run.utterances:
        heard = utterance.transcript.stamp
        looks = {time for time, grounding in utterance.groundings if grounding.found}
        yield Moment(utterance, heard, HOLD)
        for time in sorted({*np.arange(heard + step, utterance.ended, step).tolist(), *looks}):
            yield Moment(utterance, time, LOOKED if time in looks else FRAME)
        yield Moment(utterance, utterance.ended, HOLD + 700)


class _Stage:
    """Draws moments: the camera on the left, the plan on the right, words below."""

    def __init__(self, run: Run, scene: Scene, domain: Domain) -> None:
        self._run, self._domain = run, domain
        self._stamps = np.array(sorted(run.pictures))
        self._path = run.path
        self._moved = {name for _, name, _, _ in run.moves}
        self._area = scene.area
        self._floor = _floor(run, scene, domain, self._moved)

    def draw(self, moment: Moment) -> Picture.Image:
        page = Picture.new("RGB", SIZE, PAPER)
        page.paste(self._camera(moment), CAMERA[:2])
        page.paste(self._plan(moment), PLAN[:2])
        self._words(ImageDraw.Draw(page), moment)
        return page

    def _camera(self, moment: Moment) -> Picture.Image:
        grounding = _looked(moment)
        if grounding is not None and (drawn := attended(self._run, grounding)) is not None:
            picture = Picture.fromarray(drawn[: drawn.shape[1] * 3 // 4])
        elif len(self._stamps):
            nearest = self._stamps[max(int(np.searchsorted(self._stamps, moment.time, "right")) - 1, 0)]
            picture = Picture.fromarray(np.ascontiguousarray(self._run.pictures[float(nearest)].rgb))
        else:
            picture = Picture.new("RGB", CAMERA[2:])
        return picture.resize(CAMERA[2:], Picture.Resampling.BICUBIC)

    def _plan(self, moment: Moment) -> Picture.Image:
        picture = self._floor.copy()  # drawn at twice the size, for smooth lines
        if not len(self._path):
            return picture.reduce(2)
        pen = ImageDraw.Draw(picture)
        last = max(int(np.searchsorted(self._path[:, 0], moment.time, "right")), 1)
        way = [self._pixel(x, y) for _, x, y, _ in self._path[:last]]
        if len(way) > 1:
            pen.line(way, fill=ACCENT, width=7, joint="curve")
        world = self._run.worlds[last - 1]
        self._robot(pen, world.x, world.y, world.yaw)
        for name in self._moved & world.positions.keys():
            u, v = self._pixel(*world.positions[name][:2])
            pen.ellipse((u - 11, v - 11, u + 11, v + 11), fill=color_of(self._domain, name), outline="black", width=2)
        return picture.reduce(2)

    def _robot(self, pen: ImageDraw.ImageDraw, x: float, y: float, yaw: float) -> None:
        u, v = self._pixel(x, y)
        pen.ellipse((u - 20, v - 20, u + 20, v + 20), fill=(30, 41, 59), outline="white", width=4)
        tip, left, right = ((u + 16 * np.cos(yaw + turn), v - 16 * np.sin(yaw + turn)) for turn in (0.0, 2.5, -2.5))
        pen.polygon([tip, left, right], fill="white")

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        x0, y0, x1, y1 = self._area
        width, height = self._floor.size
        return (x - x0) / (x1 - x0) * width, (y1 - y) / (y1 - y0) * height

    def _words(self, pen: ImageDraw.ImageDraw, moment: Moment) -> None:
        heard = moment.utterance.transcript
        pen.text((12, 376), f"“{heard.text}”" if heard.text else "(not a sentence)", font=font(22, bold=True), fill=INK)
        text, color = _what_happens(moment)
        pen.text((12, 408), shortened(text, pen, font(17), SIZE[0] - 24), font=font(17), fill=color)
        seen = _looked(moment)
        if seen is not None:
            verdict = f"“{seen.phrase}” {'found' if seen.found else 'not here'}, {100 * seen.confidence:.0f} % sure"
            pen.text((12, 308), verdict, font=font(17), fill=COLORS["execute"] if seen.found else FAINT)
        clock = f"{moment.time - moment.utterance.transcript.stamp:.0f} s"
        pen.text((12, 334), clock, font=font(17), fill=FAINT)


def _what_happens(moment: Moment) -> tuple[str, tuple[int, int, int]]:
    """The line below the sentence: the decision, then the skill that runs, then the outcome."""
    utterance = moment.utterance
    if utterance.outcome is not None and moment.time >= utterance.ended:
        return ("done", COLORS["execute"]) if utterance.outcome.succeeded else (f"not done: {utterance.outcome.reason}", COLORS["reject"])
    span = next((span for span in utterance.spans if span.started <= moment.time < span.ended), None)
    if span is not None:
        return call_text(span.call), INK
    if utterance.transcript.rejected:
        return f"ignored: {utterance.transcript.rejected}", COLORS["reject"]
    belief = utterance.actions
    if belief is None:
        return (f"ignored: {utterance.intents.rejected}" if utterance.intents else ""), COLORS["reject"]
    if belief.decision == "execute":
        return ", ".join(map(str, belief.chosen)), COLORS["execute"]
    return f"{belief.decision}: {belief.question or belief.reason}", COLORS[belief.decision]


def _looked(moment: Moment) -> Grounding | None:
    """The last attention, if it is recent enough to show."""
    fresh = [grounding for time, grounding in moment.utterance.groundings if 0.0 <= moment.time - time < LOOK]
    return fresh[-1] if fresh else None


def _floor(run: Run, scene: Scene, domain: Domain, moved: set[str]) -> Picture.Image:
    """The floor plan and the things that do not move, at twice the size."""
    figure, axes = new_figure(scene)
    draw_floor_plan(axes, scene, domain, text=15)
    x0, y0, x1, y1 = scene.area
    axes.set(xlim=(x0, x1), ylim=(y0, y1))
    if run.worlds:
        draw_objects(axes, domain, {name: point for name, point in run.worlds[0].positions.items() if name not in moved})
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110, facecolor="white")
    return Picture.open(buffer).convert("RGB").resize((2 * PLAN[2], 2 * PLAN[3]), Picture.Resampling.LANCZOS)


@lru_cache(maxsize=8)
def font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans, which comes with matplotlib: no font of the system is needed."""
    from matplotlib import get_data_path

    return ImageFont.truetype(str(Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{'-Bold' if bold else ''}.ttf")), size)
