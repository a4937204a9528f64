"""Writes triangles as Wavefront OBJ files, with normals for shading."""

from __future__ import annotations

import hashlib
from math import cos, radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.gazebo.markup import numbers
from sayso.scene.mesh import Triangles
from sayso.types import FloatArray

CREASE = radians(50)  # faces that meet at a larger angle form a sharp edge; others are shaded smoothly


def write_mesh(triangles: Triangles, folder: Path) -> Path:
    """Write a file named by its content, so that equal meshes share one file.

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
    """(V, 3) points in m and (F, 3) indices → (F, 3, 3): the unit normal at each corner of each face.

    It is the mean normal of the faces around the point within CREASE of this face, weighted by each face's angle there, so that the way a
    quadrangle is split doesn't matter.
    """
    corners = points[faces]
    flat = _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).astype(np.float64))
    ahead, behind = (_unit(np.roll(corners, turn, axis=1) - corners) for turn in (-1, 1))
    weighed = np.arccos(np.clip(np.sum(ahead * behind, axis=-1), -1.0, 1.0))[..., None] * flat[:, None]  # (F, 3, 3)
    around: list[list[tuple[int, int]]] = [[] for _ in points]
    for index, face in enumerate(faces):
        for corner, point in enumerate(face):
            around[point].append((index, corner))
    found = np.empty((len(faces), 3, 3))
    for touching in around:
        if touching:
            face, corner = np.array(touching).T
            alike = flat[face] @ flat[face].T >= cos(CREASE)  # of each two faces
            np.fill_diagonal(alike, val=True)
            found[face, corner] = _unit(alike @ weighed[face, corner])
    return found


def _unit(vectors: FloatArray) -> FloatArray:
    """(..., 3) → the same directions, of length 1; 0 stays 0."""
    unit: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return unit
