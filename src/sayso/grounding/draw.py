"""Draws the attention over the camera image, with phrase and confidence, for the console's report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.domain.wording import listed
from sayso.grounding.heat import heat_of, heat_strip, smooth
from sayso.grounding.named_boxes import DOUBTFUL, FAINT, FOUND, INK, MISSED, PANEL, WIDTH, LabelledBox, draw_box
from sayso.types import FloatArray, Grounding, Image

Color = tuple[int, int, int]


def draw_grounding(image: Image, grounding: Grounding, threshold: float | None = None) -> NDArray[np.uint8]:
    """The image with the attention over it, a ring at the grounded pixel or boxes of those that fit alike, a caption, and each word's heat.

    Args:
        image: the grounded image.
        grounding: of that image.
        threshold: confidence threshold to mark on the bar, if given.

    Returns:
        (H, 960, 3) of H = 960 · height / width + 84, and more if there are words.
    """
    height, width = image.rgb.shape[:2]
    drawn_height = round(WIDTH * height / width)
    camera = Picture.fromarray(np.ascontiguousarray(image.rgb[..., :3])).resize((WIDTH, drawn_height), Picture.Resampling.BICUBIC)
    glowing = Picture.fromarray(_heated(np.asarray(camera), smooth(grounding.attention, drawn_height, WIDTH)))
    if grounding.ambiguous:
        for name, thing in zip(grounding.options, grounding.candidates, strict=False):
            draw_box(
                ImageDraw.Draw(glowing), LabelledBox(thing, f"{name} {thing.probability:.2f}", sure=False), WIDTH / width, drawn_height
            )
    elif grounding.found:
        u, v = ((np.array(grounding.pixel) + 0.5) * WIDTH / width).tolist()
        _ring(glowing, u, v)
    strip = heat_strip(image, [(part.word, part.attention) for part in grounding.words])
    page = Picture.new("RGB", (WIDTH, drawn_height + 84 + (strip.height if strip else 0)), PANEL)
    page.paste(glowing, (0, 0))
    if strip:
        page.paste(strip, (0, drawn_height + 84))
    _caption(ImageDraw.Draw(page), grounding, threshold, drawn_height)
    return np.asarray(page)


def described(grounding: Grounding) -> str:
    """What the picture shows, in words: the phrase, whether it was found, and the confidence; or the things among which to ask."""
    if grounding.ambiguous:
        return f"“{grounding.phrase}” may be {listed(list(grounding.options), 'or')}"
    return f"“{grounding.phrase}” {'found' if grounding.found else 'not found'}, confidence {grounding.confidence:.2f}"


def _heated(rgb: NDArray[np.uint8], strength: FloatArray) -> NDArray[np.uint8]:
    """The image with a heat map: grey and dark without attention, glowing with it."""
    amount = np.sqrt(strength)[..., None]
    grey = rgb.mean(axis=-1, keepdims=True)
    quiet = 0.75 * (0.4 * grey + 0.6 * rgb)
    heat = heat_of(amount[..., 0])
    # At the centre of attention the object keeps its own colours, so that a blue cup does not look red; the heat is a rim.
    opacity = 0.75 * np.clip(amount / 0.3, 0.0, 1.0) * (1.0 - 0.9 * np.clip((amount - 0.3) / 0.4, 0.0, 1.0))
    lit = (1.0 - amount) * quiet + amount * rgb
    blended: NDArray[np.uint8] = np.clip((1.0 - opacity) * lit + opacity * heat, 0, 255).astype(np.uint8)
    return blended


def _ring(picture: Picture.Image, u: float, v: float) -> None:
    """Draw a ring at four times the size and downscale it, because Pillow does not antialias circles."""
    radius, fine = 30, 4
    side = 2 * radius + 12
    mark = Picture.new("L", (side * fine, side * fine))
    pen = ImageDraw.Draw(mark)
    centre = side * fine / 2
    box = (centre - radius * fine, centre - radius * fine, centre + radius * fine, centre + radius * fine)
    pen.ellipse(box, outline=255, width=3 * fine)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        start, end = (radius - 8) * fine, (radius + 5) * fine
        pen.line((centre + dx * start, centre + dy * start, centre + dx * end, centre + dy * end), fill=255, width=3 * fine)
    mark = mark.resize((side, side), Picture.Resampling.LANCZOS)
    corner = (round(u - side / 2), round(v - side / 2))
    picture.paste(Picture.new("RGB", (side, side), (0, 0, 0)), (corner[0] + 2, corner[1] + 2), mark.point(lambda value: value // 2))
    picture.paste(Picture.new("RGB", (side, side), INK), corner, mark)


def _caption(pen: ImageDraw.ImageDraw, grounding: Grounding, threshold: float | None, top: int) -> None:
    large, small = ImageFont.load_default(26), ImageFont.load_default(17)
    color = DOUBTFUL if grounding.ambiguous else FOUND if grounding.found else MISSED
    verdict = f"{'found' if grounding.found else 'not found'}  {100 * grounding.confidence:.0f} %"
    if grounding.ambiguous:
        verdict = f"{len(grounding.options)} things fit"
    verdict_left = WIDTH - 24 - pen.textlength(verdict, font=large)
    pen.text((verdict_left, top + 14), verdict, font=large, fill=color)
    phrase = _shortened(f"“{grounding.phrase}”", pen, large, verdict_left - 48)
    pen.text((24, top + 14), phrase, font=large, fill=INK)
    details = [f"doubt {grounding.entropy:.1f} of {np.log(grounding.attention.size):.1f} nats"]
    if grounding.found and np.isfinite(grounding.point).all():
        details.append("at " + ", ".join(f"{value:.2f}" for value in grounding.point) + " m")
    pen.text((24, top + 50), "   ·   ".join(details), font=small, fill=FAINT)
    _bar(pen, grounding.confidence, threshold, color, top + 58)


def _bar(pen: ImageDraw.ImageDraw, confidence: float, threshold: float | None, color: Color, top: int) -> None:
    left, right = WIDTH - 244, WIDTH - 24
    pen.rounded_rectangle((left, top, right, top + 8), radius=4, fill=(52, 56, 65))
    filled = left + (right - left) * confidence
    if filled > left + 8:
        pen.rounded_rectangle((left, top, filled, top + 8), radius=4, fill=color)
    if threshold is not None:
        mark = left + (right - left) * threshold
        pen.line((mark, top - 4, mark, top + 12), fill=INK, width=2)


def _shortened(text: str, pen: ImageDraw.ImageDraw, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: float) -> str:
    if len(text) < 200 and pen.textlength(text, font=font) <= width:
        return text
    text = text[:200]  # measuring a very long text takes seconds
    while text and pen.textlength(text + "…”", font=font) > width:
        text = text[:-1]
    return text + "…”"
