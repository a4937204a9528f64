"""Meshes for Gazebo have normals: without them, ogre2 shows the meshes unlit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sayso.gazebo.mesh_file import corner_normals, write_mesh
from sayso.scene.mesh import mesh_of
from sayso.scene.scene import Part

PIPE = Part(lathe=((0.0, 0.0), (0.1, 0.0), (0.1, 0.3), (0.0, 0.3)))  # a closed cylinder
WIRE = Part(ring=(0.1, 0.02))


def test_a_round_surface_is_smooth_and_an_edge_is_sharp() -> None:
    points, faces = mesh_of(PIPE)
    normals = corner_normals(points, faces)
    corners = points[faces]
    side = np.abs(normals[..., 2]) < 0.5
    outward = corners[side][:, :2] / 0.1
    assert np.allclose(normals[side][:, :2], outward, atol=0.02)
    top = (normals[..., 2] > 0.5) & (corners[..., 2] > 0.2)
    assert np.allclose(normals[top], (0.0, 0.0, 1.0), atol=1e-6)
    assert top.sum() + side.sum() < normals[..., 0].size  # the bottom remains


def test_a_rings_normals_point_away_from_its_wire() -> None:
    points, faces = mesh_of(WIRE)
    corners = points[faces]
    flat = corners * (1.0, 1.0, 0.0)
    middle = 0.1 * flat / np.linalg.norm(flat, axis=-1, keepdims=True)
    wanted = (corners - middle) / 0.02
    assert (np.sum(corner_normals(points, faces) * wanted, axis=-1) > 0.98).all()


@pytest.mark.parametrize("part", [PIPE, WIRE])
def test_the_file_gives_every_corner_a_point_and_a_unit_normal(part: Part, tmp_path: Path) -> None:
    triangles = mesh_of(part)
    path = write_mesh(triangles, tmp_path)
    assert write_mesh(triangles, tmp_path) == path
    rows = [line.split() for line in path.read_text().splitlines()]
    points = np.array([row[1:] for row in rows if row[0] == "v"], float)
    normals = np.array([row[1:] for row in rows if row[0] == "vn"], float)
    assert np.allclose(points, triangles[0], atol=1e-6)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-3)
    corners = [corner.split("//") for row in rows if row[0] == "f" for corner in row[1:]]
    assert [int(point) - 1 for point, _ in corners] == triangles[1].ravel().tolist()
    assert {int(normal) for _, normal in corners} == set(range(1, len(normals) + 1))
