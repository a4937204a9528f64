"""Superlatives and ordinals in each possible world: the biggest, the nearest, the second from the left."""

from __future__ import annotations

import numpy as np

from sayso.grounding.layout import SIZE_NOISE, Layout
from sayso.grounding.worlds import Mask, PossibleWorlds
from sayso.types import FloatArray

_BY_SIZE = {"biggest": -1, "largest": -1, "smallest": 1}
_BY_HEIGHT = {"tallest": -1, "shortest": 1}
_BY_SIDE = {"leftmost": 1, "rightmost": -1}
_BY_LEVEL = {"topmost": -1, "lowest": 1}
_BY_DISTANCE = {"nearest": 1, "farthest": -1}
EDGE_NOISE = 1.0  # pixels


def ranked(worlds: PossibleWorlds, seen: Layout, order: str, count: int, among: Mask, origin: FloatArray | None = None) -> Mask | None:
    """The `count` things of that order, of those in the mask; None if a picture does not show such an order ("the newest").

    Args:
        worlds: the worlds.
        seen: where the things are.
        order: "biggest", "nearest", …, "middle", or an ordinal: "2" is the second from the left, "-1" the first from the right.
        count: how many: "the two biggest".
        among: (worlds, things).
        origin: (worlds, things) what distances count from, in the layout's unit; default: the camera.
    """
    keys = _keys(worlds, seen, order, origin)
    if keys is None:
        return None
    place = np.argsort(np.argsort(np.where(among, keys, np.inf), axis=1, kind="stable"), axis=1, kind="stable")
    number = among.sum(axis=1, keepdims=True)
    if order == "middle":  # of an even number, two are in the middle
        return np.asarray(among & (np.abs(2 * place - (number - 1)) <= 1 - number % 2))
    first = int(order) if order.lstrip("-").isdigit() else 1
    start = first - 1 if first > 0 else number + first - (count - 1)
    return np.asarray(among & (place >= start) & (place < start + count))


def _keys(worlds: PossibleWorlds, seen: Layout, order: str, origin: FloatArray | None) -> FloatArray | None:
    """(worlds, things) what the order compares, the smallest first; None if the picture does not tell."""
    left, top, right, bottom = seen.boxes.T
    if order in _BY_SIDE or order == "middle" or order.lstrip("-").isdigit():
        return _BY_SIDE.get(order, 1) * worlds.measured("side", (left + right) / 2.0, 0.05 * (right - left))
    if order in _BY_LEVEL:
        return _BY_LEVEL[order] * worlds.measured("level", seen.up, seen.noise)
    if order in _BY_DISTANCE:
        measured = worlds.measured("distance", seen.distance, seen.noise)
        return _BY_DISTANCE[order] * (measured if origin is None else origin + measured - seen.distance)
    across = np.sqrt(np.maximum(right - left, 1.0) * np.maximum(bottom - top, 1.0))
    if order in _BY_SIZE:
        return _BY_SIZE[order] * worlds.measured("size", np.log(seen.size), np.hypot(SIZE_NOISE, EDGE_NOISE / across))
    if order in _BY_HEIGHT:
        deviation = np.hypot(SIZE_NOISE, EDGE_NOISE / np.maximum(bottom - top, 1.0))
        return _BY_HEIGHT[order] * worlds.measured("height", np.log(seen.height), deviation)
    if order == "longest":
        return -worlds.measured("length", np.log(np.maximum(seen.width, seen.height)), np.hypot(SIZE_NOISE, EDGE_NOISE / across))
    return None
