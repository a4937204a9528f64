"""Draws candidates over a picture: boxes with probabilities, and beside it the attention of each phrase and word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.grounding.backend import Look
from sayso.grounding.heat import heat_strip
from sayso.grounding.named_boxes import FOUND, INK, MISSED, PANEL, WIDTH, LabelledBox, draw_box
from sayso.types import FloatArray, Image

CAPTION = 64


@dataclass(frozen=True, slots=True)
class Caption:
    """The line under the picture."""

    text: str
    verdict: str
    good: bool  # whether the verdict is a find


def draw_candidates(image: Image, things: Sequence[LabelledBox], looks: Sequence[Look], caption: Caption) -> NDArray[np.uint8]:
    """The picture with boxes, a caption, and a strip with the attention of each look.

    Returns:
        (H, 960, 3).
    """
    height, width = image.rgb.shape[:2]
    high = max(1, round(WIDTH * height / width))
    camera = Picture.fromarray(np.ascontiguousarray(image.rgb[..., :3])).resize((WIDTH, high), Picture.Resampling.BICUBIC)
    strip = heat_strip(image, [each for look in looks for each in _maps(look)])
    page = Picture.new("RGB", (WIDTH, high + CAPTION + (strip.height if strip else 0)), PANEL)
    page.paste(camera, (0, 0))
    pen = ImageDraw.Draw(page)
    for thing in reversed(things):  # the surest on top
        draw_box(pen, thing, WIDTH / width, high)
    _write(pen, caption, high)
    if strip:
        page.paste(strip, (0, high + CAPTION))
    return np.asarray(page)


def _maps(look: Look) -> list[tuple[str, FloatArray]]:
    """The attention of the phrase, then of each of its words."""
    label = f"{look.phrase[:22]}  {look.presence:.2f}" + (" unknown word" if look.unknown else "")
    return [(label, look.attention), *((part.word, part.attention) for part in look.words)]


def _write(pen: ImageDraw.ImageDraw, caption: Caption, top: int) -> None:
    font, small = ImageFont.load_default(22), ImageFont.load_default(17)
    pen.text((16, top + 6), _fitting(pen, caption.text, font), font=font, fill=INK)
    pen.text((16, top + 36), _fitting(pen, caption.verdict, small), font=small, fill=FOUND if caption.good else MISSED)


def _fitting(pen: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    text = text if len(text) < 160 else f"{text[:160]}…"
    while len(text) > 2 and pen.textlength(text, font=font) > WIDTH - 32:
        text = f"{text[:-2]}…"
    return text
