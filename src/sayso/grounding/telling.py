"""Words that tell the things of a picture apart, for a question: "the left one or the right one"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sayso.types import Candidate, FloatArray

APART = 0.5  # of the mean width or height: two things are told apart by their sides from here on
DEEP = 0.1  # m: two things are told apart by their distance from here on
_ROW = {2: ("left", "right"), 3: ("left", "middle", "right")}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")


def told_apart(things: Sequence[Candidate]) -> tuple[str, ...]:
    """What to call each of several things: by colour if each has another, else by place.

    Args:
        things: of one picture, in any order; the names come in the same order.
    """
    if len(things) < 2:
        return tuple("the only one" for _ in things)
    colors = Counter(thing.color for thing in things)
    if "" not in colors and max(colors.values()) == 1:
        return tuple(f"the {thing.color} one" for thing in things)
    boxes = np.array([thing.box for thing in things], dtype=np.float64)
    across, down = (boxes[:, 0] + boxes[:, 2]) / 2.0, (boxes[:, 1] + boxes[:, 3]) / 2.0
    wide, high = (boxes[:, 2] - boxes[:, 0]).mean(), (boxes[:, 3] - boxes[:, 1]).mean()
    if len(things) == 2 and np.ptp(across) < APART * wide:
        return _of_two(things, down, APART * high)
    names = _ROW.get(len(things)) or tuple(f"{_ORDINALS[min(at, len(_ORDINALS) - 1)]}" for at in range(len(things)))
    suffix = "" if len(things) in _ROW else " from the left"
    placed = np.argsort(np.argsort(across, kind="stable"), kind="stable")
    return tuple(f"the {names[place]} one{suffix}" for place in placed)


def _of_two(things: Sequence[Candidate], down: FloatArray, least: float) -> tuple[str, ...]:
    """Two things one behind or over the other."""
    between = np.subtract(things[0].point, things[1].point)
    if np.isfinite(between).all() and np.linalg.norm(between[:2]) >= DEEP:
        return ("the far one", "the near one") if down[0] < down[1] else ("the near one", "the far one")
    if abs(down[0] - down[1]) >= least:
        return ("the upper one", "the lower one") if down[0] < down[1] else ("the lower one", "the upper one")
    left = (things[0].box[0] + things[0].box[2]) <= (things[1].box[0] + things[1].box[2])
    return ("the left one", "the right one") if left else ("the right one", "the left one")
