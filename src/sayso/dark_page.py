"""What pictures on a dark background share: colours, and text that is cut to a width."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

LONGEST = 120  # characters; measuring a very long text takes seconds
PAPER, INK, FAINT = (22, 24, 29), (240, 240, 236), (150, 154, 163)
# Of the decisions. Distinguishable in greyscale and by colour-blind readers: Okabe and Ito (2008).
COLORS = {
    "execute": (0, 158, 115),
    "confirm": (86, 180, 233),
    "ask": (230, 159, 0),
    "defer": (204, 121, 167),
    "answer": (204, 121, 167),
    "reject": (213, 94, 0),
}


def shortened(text: str, pen: ImageDraw, font: FreeTypeFont | ImageFont, width: float) -> str:
    """The text, or its beginning with "…", in at most that many pixels."""
    if len(text) <= LONGEST and pen.textlength(text, font=font) <= width:
        return text
    text = text[:LONGEST]
    while text and pen.textlength(text + "…", font=font) > width:
        text = text[:-1]
    return text + "…"
