"""Triangles of shapes that are not primitives: profiles turned around an axis."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from sayso.scene.scene import Part

AROUND = 28  # faces around a lathe
WIRE = 10  # faces around the wire of a ring

Triangles = tuple[NDArray[np.float64], NDArray[np.int32]]  # (V, 3) points in m, (F, 3) indices, counter-clockwise from outside


def mesh_of(part: Part) -> Triangles | None:
    """The triangles of a lathe or a ring, standing upright; None for primitives of the simulator."""
    if part.lathe is not None:
        return _revolved(np.array(part.lathe), closed=False)
    if part.ring is not None:
        radius, wire = part.ring
        angles = np.arange(WIRE) * 2 * pi / WIRE
        return _revolved(np.stack([radius + wire * np.cos(angles), wire * np.sin(angles)], axis=1), closed=True)
    return None


def _revolved(profile: NDArray[np.float64], closed: bool) -> Triangles:
    """The surface that a profile of (r, z) sweeps around z; outside is on the right, going along the profile."""
    rings: list[tuple[float, float, float]] = []
    rows: list[int] = []
    for r, z in profile:
        rows.append(len(rings))
        count = 1 if r < 1e-9 else AROUND  # on the axis one point is enough
        rings += [(r * cos(2 * pi * step / AROUND), r * sin(2 * pi * step / AROUND), z) for step in range(count)]
    faces: list[tuple[int, int, int]] = []
    pairs = list(zip(range(len(profile)), range(1, len(profile)), strict=False)) + ([(len(profile) - 1, 0)] if closed else [])
    for lower, upper in pairs:
        for step in range(AROUND):
            corners = [_corner(profile, rows, row, step + turn) for row, turn in ((lower, 0), (lower, 1), (upper, 1), (upper, 0))]
            faces += [face for face in ((corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])) if len(set(face)) == 3]
    return np.array(rings), np.array(faces, dtype=np.int32)


def _corner(profile: NDArray[np.float64], rows: list[int], row: int, step: int) -> int:
    return rows[row] + (0 if profile[row][0] < 1e-9 else step % AROUND)
