"""Named boxes over a picture, and the colours of all pictures of grounding."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import ImageDraw, ImageFont

from sayso.types import Candidate

WIDTH = 960  # pixels of a drawn picture
PANEL, INK, FAINT = (22, 24, 29), (240, 240, 236), (150, 154, 163)
FOUND, MISSED = (96, 211, 148), (238, 133, 114)
DOUBTFUL = (250, 204, 92)  # boxes of things that may be meant


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """A box to draw."""

    candidate: Candidate
    label: str
    sure: bool


def draw_box(pen: ImageDraw.ImageDraw, thing: LabelledBox, scale: float, high: int) -> None:
    """Draw a box with its label.

    Args:
        pen: of a picture that is WIDTH wide.
        thing: what to draw.
        scale: drawn pixels per pixel of the candidate.
        high: pixels of the picture's height; the label stays above it.
    """
    left, top, right, bottom = (edge * scale for edge in thing.candidate.box)
    color = FOUND if thing.sure else DOUBTFUL
    pen.rectangle((left, top, max(right, left + 1), max(bottom, top + 1)), outline=color, width=3)
    font = ImageFont.load_default(18)
    wide = pen.textlength(thing.label, font=font) + 10
    at = (min(max(left, 0), WIDTH - wide), min(top - 25 if top >= 25 else bottom + 2, high - 24))
    pen.rectangle((*at, at[0] + wide, at[1] + 23), fill=PANEL)
    pen.text((at[0] + 5, at[1] + 1), thing.label, font=font, fill=color)
