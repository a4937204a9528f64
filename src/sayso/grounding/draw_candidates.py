"""Draws candidates over a picture: boxes with probabilities, and beside it the attention of each phrase and word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.grounding.backend import Look
from sayso.grounding.draw import HEAT, smooth
from sayso.grounding.named_boxes import FAINT, FOUND, INK, MISSED, PANEL, WIDTH, LabelledBox, draw_box
from sayso.types import Image

SMALL = 232  # pixels: width of an attention's picture
GAP = 8
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
    strip = [_attention(image, look) for look in looks]
    columns = WIDTH // (SMALL + GAP)
    rows = -(-len(strip) // columns)
    cell = (strip[0].height + GAP) if strip else 0
    page = Picture.new("RGB", (WIDTH, high + CAPTION + rows * cell), PANEL)
    page.paste(camera, (0, 0))
    pen = ImageDraw.Draw(page)
    for thing in reversed(things):  # the surest on top
        draw_box(pen, thing, WIDTH / width, high)
    _write(pen, caption, high)
    for number, small in enumerate(strip):
        page.paste(small, (GAP // 2 + number % columns * (SMALL + GAP), high + CAPTION + number // columns * cell))
    return np.asarray(page)


def _write(pen: ImageDraw.ImageDraw, caption: Caption, top: int) -> None:
    font, small = ImageFont.load_default(22), ImageFont.load_default(17)
    pen.text((16, top + 6), _fitting(pen, caption.text, font), font=font, fill=INK)
    pen.text((16, top + 36), _fitting(pen, caption.verdict, small), font=small, fill=FOUND if caption.good else MISSED)


def _fitting(pen: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    text = text if len(text) < 160 else f"{text[:160]}…"
    while len(text) > 2 and pen.textlength(text, font=font) > WIDTH - 32:
        text = f"{text[:-2]}…"
    return text


def _attention(image: Image, look: Look) -> Picture.Image:
    """The picture in grey with the heat of one look, and its phrase below."""
    height, width = image.rgb.shape[:2]
    high = max(1, min(round(SMALL * height / width), 2 * SMALL))
    grey = Picture.fromarray(np.ascontiguousarray(image.rgb[..., :3])).resize((SMALL, high)).convert("L")
    amount = np.sqrt(smooth(look.attention, high, SMALL))
    heat = np.stack([np.interp(amount, np.linspace(0.0, 1.0, len(HEAT)), HEAT[:, channel]) for channel in range(3)], axis=-1)
    mixed = (1.0 - 0.75 * amount[..., None]) * 0.6 * np.asarray(grey, dtype=np.float64)[..., None] + 0.75 * amount[..., None] * heat
    small = Picture.new("RGB", (SMALL, high + 26), PANEL)
    small.paste(Picture.fromarray(np.clip(mixed, 0, 255).astype(np.uint8)), (0, 0))
    pen = ImageDraw.Draw(small)
    label = f"{look.phrase[:22]}  {look.presence:.2f}" + (" unknown word" if look.unknown else "")
    pen.text((2, high + 3), label, font=ImageFont.load_default(15), fill=FAINT)
    return small
