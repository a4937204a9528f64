"""Where what a person wears on the upper body is in the box of that person."""

from __future__ import annotations

STANDS = 1.6  # times as high as wide: the box of a whole person; a lower one shows the upper half
# Shares of the box: from top to bottom, and of the width. Chosen on the tuning photographs.
OF_WHOLE, OF_HALF, WIDE = (0.15, 0.5), (0.4, 0.95), 0.8


def upper_body(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The part of a person's box: left, top, right, bottom, in the unit of the box."""
    left, top, right, bottom = box
    high, wide = bottom - top, right - left
    first, last = OF_WHOLE if high > STANDS * wide else OF_HALF
    aside = (1.0 - WIDE) / 2 * wide
    return left + aside, top + first * high, right - aside, top + last * high
