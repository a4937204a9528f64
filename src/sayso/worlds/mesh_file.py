"""Triangles as Wavefront OBJ files, with the normals that renderers shade by."""

from __future__ import annotations

import hashlib
from math import cos, radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.sim.mesh import Triangles
from sayso.types import FloatArray
from sayso.worlds.markup import numbers

CREASE = radians(50)  # faces that meet at a larger angle are shaded as an edge, others as one smooth surface


def write_mesh(triangles: Triangles, folder: Path) -> Path:
    """A file named by what is in it: equal meshes are one file.

    Raises:
        OSError: the folder cannot be written.
    """
    points, faces = triangles
    normals = corner_normals(points, faces).reshape(-1, 3).round(4)
    directions, used = np.unique(normals + 0.0, axis=0, return_inverse=True)
    lines = [f"v {numbers(*point)}" for point in points]
    lines += [f"vn {numbers(*direction)}" for direction in directions]
    for face, shading in zip(faces + 1, used.reshape(-1, 3) + 1, strict=True):
        lines.append("f " + " ".join(f"{point}//{normal}" for point, normal in zip(face, shading, strict=True)))
    text = "\n".join(lines) + "\n"
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.obj"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return path


def corner_normals(points: FloatArray, faces: NDArray[np.int32]) -> FloatArray:
    """(V, 3) points in m and (F, 3) indices → (F, 3, 3): for each corner of each face the unit normal there.

    The mean of the faces around the point, weighted by area, of those that are no more than CREASE askew.
    """
    one, two, three = (points[faces[:, corner]] for corner in range(3))
    areas = np.cross(two - one, three - one)  # twice the area, along the normal
    flat = areas / np.maximum(np.linalg.norm(areas, axis=1, keepdims=True), 1e-12)
    around: list[list[int]] = [[] for _ in points]
    for index, face in enumerate(faces):
        for point in face:
            around[point].append(index)
    found = np.empty((len(faces), 3, 3))
    for index, face in enumerate(faces):
        for corner, point in enumerate(face):
            near = np.array(around[point])
            total = areas[near[flat[near] @ flat[index] >= cos(CREASE)]].sum(0) + 1e-12 * flat[index]
            found[index, corner] = total / max(float(np.linalg.norm(total)), 1e-12)
    return found
