"""Draws a belief as a bar chart: the likely actions with their probabilities, and the decision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sayso.dark_page import COLORS, FAINT, INK, PAPER, shortened
from sayso.types import ActionBelief, ActionCandidate

WIDTH, HEAD, ROW, GAP, FOOT = 640, 74, 46, 30, 14  # pixels
MOST = 6  # candidates per clause
TRACK = (44, 48, 56)


def draw_posterior(belief: ActionBelief) -> NDArray[np.uint8]:
    """Draw the decision and its reason, then one bar per probable action of each clause; a tick on the bar marks the prior.

    Returns:
        (H, 640, 3); H grows with the number of bars.
    """
    clauses = _clauses(belief)
    rows = sum(len(candidates) for candidates in clauses)
    page = Picture.new("RGB", (WIDTH, HEAD + rows * ROW + max(0, len(clauses) - 1) * GAP + FOOT), PAPER)
    pen = ImageDraw.Draw(page)
    color = COLORS[belief.decision]
    pen.text((20, 12), belief.decision, font=ImageFont.load_default(24), fill=color)
    pen.text((20, 44), shortened(belief.reason, pen, ImageFont.load_default(15), WIDTH - 40), font=ImageFont.load_default(15), fill=FAINT)
    top = HEAD
    for number, candidates in enumerate(clauses):
        for candidate in candidates:
            _bar(pen, candidate, top, color if candidate is candidates[0] else (116, 122, 134))
            top += ROW
        if number < len(clauses) - 1:
            pen.text((20, top + 4), "then", font=ImageFont.load_default(15), fill=FAINT)
            top += GAP
    return np.asarray(page)


def _clauses(belief: ActionBelief) -> list[list[ActionCandidate]]:
    """The most probable candidates of each clause, best first: of a clause with several parts, one for each part."""
    found: dict[int, dict[int, list[ActionCandidate]]] = {}
    for candidate in sorted(belief.candidates, key=lambda candidate: (candidate.clause, candidate.part, -candidate.probability)):
        found.setdefault(candidate.clause, {}).setdefault(candidate.part, []).append(candidate)
    clauses = []
    for parts in found.values():
        clauses += [rows[:1] for rows in parts.values()] if len(parts) > 1 else [rows[:MOST] for rows in parts.values()]
    return clauses


def _bar(pen: ImageDraw.ImageDraw, candidate: ActionCandidate, top: int, color: tuple[int, int, int]) -> None:
    left, right = 20, WIDTH - 20
    percentage = f"{100 * candidate.probability:.1f} %"
    font = ImageFont.load_default(16)
    room = right - left - pen.textlength(percentage, font=font) - 20
    pen.text((left, top), shortened(str(candidate.action), pen, font, room), font=font, fill=INK)
    pen.text((right, top), percentage, font=font, fill=INK, anchor="ra")
    low, high = top + 24, top + 34
    pen.rectangle((left, low, right, high), fill=TRACK)
    pen.rectangle((left, low, left + round((right - left) * min(max(candidate.probability, 0.0), 1.0)), high), fill=color)
    mark = left + round((right - left) * min(max(candidate.prior, 0.0), 1.0))
    pen.line((mark, low - 3, mark, high + 3), fill=INK, width=2)
