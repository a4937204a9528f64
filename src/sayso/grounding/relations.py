"""P(a speaker says that one thing is left of, behind, on … another), from where both are. Matrices: row the thing, column the landmark."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from sayso.grounding.layout import Layout
from sayso.representation import RelationName
from sayso.types import FloatArray

BESIDE = 0.35  # m between the edges of two things that are next to each other, with even odds; small things only
BESIDE_SIZES = 1.0  # the same without depth, in mean sizes of the two
CONE = 1.7  # how far aside a thing may be, per distance, to be behind or in front of another
ASIDE = 0.25  # of the smaller width: a thing is left of another from there on, with even odds
BETWEEN = 0.35  # of the distance of two landmarks: how far off their line a thing between them is, with even odds


def degrees(name: RelationName, seen: Layout) -> FloatArray:
    """(n, n) P(the relation holds); 0 on the diagonal. Between has two landmarks: see `between`."""
    with np.errstate(over="ignore"):
        found = _OF.get(name, _beside)(seen)
    np.fill_diagonal(found, 0.0)
    return np.clip(found, 0.0, 1.0)


def between(seen: Layout) -> FloatArray:
    """(n, n, n) P(a thing is between two landmarks): near the line that connects them, and not beyond its ends."""
    where = np.stack((seen.right, seen.forward if seen.metric else seen.up), axis=1)
    line = where[None, :, :] - where[:, None, :]  # (a, b): from a to b
    length = np.maximum(np.linalg.norm(line, axis=2), 1e-9)
    offset = where[:, None, :] - where[None, :, :]  # (thing, a)
    along = np.einsum("tak,abk->tab", offset, line) / length**2
    aside = np.abs(offset[:, :, None, 0] * line[None, :, :, 1] - offset[:, :, None, 1] * line[None, :, :, 0]) / length**2
    ends = expit((along - 0.05) / 0.04) * expit((0.95 - along) / 0.04)
    found: FloatArray = ends * expit((BETWEEN - aside) / 0.06)
    things = np.arange(len(where))
    found[things, things, :] = found[things, :, things] = found[:, things, things] = 0.0
    return found


def gaps(seen: Layout) -> FloatArray:
    """(n, n) distance between the edges of two things, in the layout's unit; 0 if they touch."""
    right = np.abs(np.subtract.outer(seen.right, seen.right)) - np.add.outer(seen.width, seen.width) / 2.0
    up = np.abs(np.subtract.outer(seen.up, seen.up)) - np.add.outer(seen.height, seen.height) / 2.0
    apart = np.maximum(right, 0.0) ** 2 + np.maximum(up, 0.0) ** 2
    if seen.metric:  # the point is on the front; how deep a thing is, is taken to be how wide it is
        forward = np.abs(np.subtract.outer(seen.forward, seen.forward)) - np.minimum.outer(seen.width, seen.width)
        apart += np.maximum(forward, 0.0) ** 2
    return np.asarray(np.sqrt(apart))


def _doubt(seen: Layout) -> FloatArray:
    """(n, n) deviation of a difference of two places, as the scale of a logistic distribution."""
    return np.asarray(np.hypot.outer(seen.noise, seen.noise) * np.sqrt(3.0) / np.pi)


def _left(seen: Layout) -> FloatArray:
    apart = np.subtract.outer(seen.right, seen.right)
    return np.asarray(expit((-apart - ASIDE * np.minimum.outer(seen.width, seen.width)) / _doubt(seen)))


def _nearer(seen: Layout) -> FloatArray:
    """In front of: nearer to the camera, and not far aside for that."""
    ahead = -np.subtract.outer(seen.forward, seen.forward)
    aside = np.abs(np.subtract.outer(seen.right, seen.right)) - np.add.outer(seen.width, seen.width) / 2.0
    doubt = _doubt(seen)
    return np.asarray(expit((ahead - 2.0 * doubt) / doubt) * expit((CONE * np.maximum(ahead, 0.0) - aside) / (2.0 * doubt)))


def _beside(seen: Layout) -> FloatArray:
    reach = np.full((len(seen.right),) * 2, BESIDE) if seen.metric else BESIDE_SIZES * np.add.outer(seen.size, seen.size) / 2.0
    return np.asarray(expit((reach - gaps(seen)) / (0.12 * reach)) * (1.0 - np.maximum(_on(seen), _on(seen).T)))


def _across(seen: Layout) -> FloatArray:
    """P(the middle of the thing is within the landmark's left and right edge)."""
    left, _, right, _ = seen.boxes.T
    middle, soft = ((left + right) / 2.0)[:, None], 0.05 * (right - left)[None, :] + 1.0
    return np.asarray(expit((middle - left[None, :]) / soft) * expit((right[None, :] - middle) / soft))


def _above(seen: Layout) -> FloatArray:
    """The middle is higher than the landmark's, and straight over it."""
    higher = np.subtract.outer(seen.up, seen.up)
    least = np.minimum.outer(seen.height, seen.height)
    return np.asarray(expit((higher - 0.25 * least) / (0.5 * _doubt(seen) + 0.05 * least)) * np.maximum(_across(seen), _across(seen).T))


def _on(seen: Layout) -> FloatArray:
    """The thing's foot is seen within the landmark or at its top edge, its middle is higher, and both are equally far away."""
    _, top, _, bottom = seen.boxes.T
    foot, tall = bottom[:, None], (bottom - top)
    soft = 0.06 * np.minimum.outer(tall, tall) + 1.0
    rests = expit((foot - top[None, :] + soft) / soft) * expit((bottom[None, :] - foot) / soft)
    rises = expit((foot - tall[:, None] / 2.0 - bottom[None, :] + tall[None, :] / 2.0) / -soft)  # the middle of the box is higher
    smaller = expit((1.6 * seen.width[None, :] - seen.width[:, None]) / (0.2 * seen.width[None, :]))
    rises = np.maximum(rises, expit((0.5 - np.divide.outer(seen.size, seen.size)) / 0.06))  # a cup at the front of a table
    return np.asarray(rests * rises * smaller * _across(seen) * _equally_far(seen))


def _equally_far(seen: Layout) -> FloatArray:
    """P(the depths of two things overlap). Pictures without depth do not tell: 1."""
    if not seen.metric:
        return np.ones((len(seen.right),) * 2)
    apart = np.abs(np.subtract.outer(seen.forward, seen.forward))
    reach = np.add.outer(seen.width, seen.width) / 2.0
    return np.asarray(expit((reach + 0.03 - apart) / 0.02))


def _inside(seen: Layout) -> FloatArray:
    """Most of the thing's box lies in the landmark's, which is larger, and not behind it."""
    left, top, right, bottom = seen.boxes.T
    wide = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    high = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top)
    share = np.maximum(wide, 0.0) * np.maximum(high, 0.0) / np.maximum((right - left) * (bottom - top), 1e-9)[:, None]
    larger = expit((1.0 - np.divide.outer(seen.size, seen.size)) / 0.08)
    return np.asarray(expit((share - 0.55) / 0.07) * larger * _equally_far(seen))


_OF: dict[RelationName, Callable[[Layout], FloatArray]] = {
    "left_of": _left,
    "right_of": lambda seen: _left(seen).T.copy(),
    "in_front_of": _nearer,
    "behind": lambda seen: _nearer(seen).T.copy(),
    "on": _on,
    "in": _inside,
    "under": lambda seen: _above(seen).T.copy(),
    "above": lambda seen: np.maximum(_above(seen), _on(seen)),
    "with": lambda seen: np.maximum(_inside(seen).T, _on(seen).T),  # "the table with the cup", "the box with the lid"
    "from": lambda seen: np.maximum(_on(seen), _inside(seen)),
    "at": lambda seen: np.maximum(_beside(seen), _on(seen)),
}
