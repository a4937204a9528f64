"""Attention as heat: how strong it is at each pixel, and a strip of small pictures, one for each phrase or word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.grounding.named_boxes import FAINT, PANEL, WIDTH
from sayso.types import FloatArray, Image

# Dark plum, magenta, orange, pale yellow (like matplotlib's "inferno"): distinguishable in greyscale and by colour-blind readers.
HEAT = np.array([[20, 11, 52], [87, 16, 110], [187, 55, 84], [249, 142, 9], [252, 255, 164]], dtype=np.float64)
SMALL = 232  # pixels: width of a small picture
GAP = 8


def smooth(attention: FloatArray, height: int, width: int) -> FloatArray:
    """(rows, cols) → (height, width) in [0, 1], 1 at the peak. Nearly uniform attention is not amplified and stays dark."""
    rows, cols = attention.shape
    visible_peak = max(float(attention.max()), 20.0 / (rows * cols))
    relative = Picture.fromarray((attention / visible_peak).astype(np.float32))
    grown = np.asarray(relative.resize((width, height), Picture.Resampling.BICUBIC), dtype=np.float64)
    return np.clip(grown, 0.0, 1.0)


def heat_of(strength: FloatArray) -> FloatArray:
    """(H, W) in [0, 1] → (H, W, 3) colours in [0, 255]."""
    positions = np.linspace(0.0, 1.0, len(HEAT))
    return np.stack([np.interp(strength, positions, HEAT[:, channel]) for channel in range(3)], axis=-1)


def heat_strip(image: Image, maps: Sequence[tuple[str, FloatArray]]) -> Picture.Image | None:
    """Small grey pictures with the heat of each map and its name, in rows of WIDTH pixels; None without maps."""
    small = [_small(image, label, attention) for label, attention in maps]
    if not small:
        return None
    columns, cell = WIDTH // (SMALL + GAP), small[0].height + GAP
    page = Picture.new("RGB", (WIDTH, -(-len(small) // columns) * cell), PANEL)
    for number, each in enumerate(small):
        page.paste(each, (GAP // 2 + number % columns * (SMALL + GAP), number // columns * cell))
    return page


def _small(image: Image, label: str, attention: FloatArray) -> Picture.Image:
    height, width = image.rgb.shape[:2]
    high = max(1, min(round(SMALL * height / width), 2 * SMALL))
    grey = Picture.fromarray(np.ascontiguousarray(image.rgb[..., :3])).resize((SMALL, high)).convert("L")
    amount = np.sqrt(smooth(attention, high, SMALL))
    opacity, dim = 0.75 * amount[..., None], 0.6 * np.asarray(grey, dtype=np.float64)[..., None]
    mixed = (1.0 - opacity) * dim + opacity * heat_of(amount)
    small = Picture.new("RGB", (SMALL, high + 26), PANEL)
    small.paste(Picture.fromarray(np.clip(mixed, 0, 255).astype(np.uint8)), (0, 0))
    ImageDraw.Draw(small).text((2, high + 3), label, font=ImageFont.load_default(15), fill=FAINT)
    return small
