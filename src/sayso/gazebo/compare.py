"""Compares the visible pieces of the MuJoCo model and the written SDF: pose, size and colour."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from sayso.errors import SaysoError
from sayso.gazebo.parts import SHINES, name_in_mujoco
from sayso.gazebo.topics import ROBOT
from sayso.scene.bodies import Form
from sayso.scene.scene import Scene
from sayso.sim.engine import mujoco
from sayso.sim.mjcf import VISUAL, build_model
from sayso.types import FloatArray

CLOSE = 2e-4  # m, rad: the tolerance for two files with seven digits
CLOSE_COLOR = 2e-3
# MuJoCo's soft dark edge under objects, in place of expensive shadows; Gazebo has shadows.
ONLY_IN_MUJOCO = "/shadow"


@dataclass(frozen=True, slots=True, eq=False)
class ShownPiece:
    """One piece as a simulator shows it, in the map frame."""

    form: Form
    size: tuple[float, ...]  # as sim.bodies.Piece; of a mesh: the box around it in the map
    at: FloatArray  # (3,) m; of a mesh: the middle of that box
    rotation: FloatArray  # (3, 3); of a mesh: unity
    rgba: FloatArray  # (4,)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of pieces in either world, and the differences."""

    pieces: int
    differences: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the pieces without a difference."""
        return 1.0 - len(self.differences) / max(self.pieces, 1)


def agreement(scene: Scene, world: Path) -> Agreement:
    """Compare the MuJoCo model of the scene with a written SDF world.

    Raises:
        SaysoError: the world cannot be read.
    """
    ours, theirs = in_mujoco(build_model(scene)), in_sdf(world)
    differences = [f"{name}: only in MuJoCo" for name in sorted(ours.keys() - theirs.keys())]
    differences += [f"{name}: only in the SDF" for name in sorted(theirs.keys() - ours.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        difference = _difference(ours[name], theirs[name])
        if difference:
            differences.append(f"{name}: {difference}")
    return Agreement(len(ours.keys() | theirs.keys()), tuple(differences))


def _difference(one: ShownPiece, other: ShownPiece) -> str:
    if one.form != other.form:
        return f"a {one.form} in MuJoCo, a {other.form} in the SDF"
    for what, first, second, close in (
        ("size", np.array(one.size), np.array(other.size), CLOSE),
        ("position", one.at, other.at, CLOSE),
        ("rotation", one.rotation, other.rotation, CLOSE),
        ("colour", one.rgba, other.rgba, CLOSE_COLOR),
    ):
        if not np.allclose(first, second, rtol=0.0, atol=close):
            return f"{what} {np.round(first, 4).tolist()} in MuJoCo, {np.round(second, 4).tolist()} in the SDF"
    return ""


def in_mujoco(model: Any) -> dict[str, ShownPiece]:
    """The visible pieces of a compiled scene at its start, by name, without floors and the robot's parts."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    robot = _family(model, model.body(ROBOT).id)
    found = {}
    for geom in range(model.ngeom):
        name = model.geom(geom).name
        if (
            model.geom_group[geom] != VISUAL
            or model.geom_bodyid[geom] in robot
            or name.endswith(ONLY_IN_MUJOCO)
            or name.startswith("floor")
        ):
            continue
        if model.geom_rgba[geom, 3] == 0.0:
            continue
        found[_plain(name)] = _seen(model, data, geom)
    return found


def _plain(name: str) -> str:
    return f"{name}/0" if name.startswith(("wall/", "stain/")) else name


def _family(model: Any, body: int) -> set[int]:
    found = {body}
    for child in range(body + 1, model.nbody):  # parents come before children
        if int(model.body_parentid[child]) in found:
            found.add(child)
    return found


def _seen(model: Any, data: Any, geom: int) -> ShownPiece:
    at, rotation = data.geom_xpos[geom].copy(), data.geom_xmat[geom].reshape(3, 3).copy()
    a, b, c = (float(value) for value in model.geom_size[geom])
    rgba = model.geom_rgba[geom].astype(np.float64)
    kind = int(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.mesh(int(model.geom_dataid[geom]))
        points = model.mesh_vert[int(mesh.vertadr[0]) : int(mesh.vertadr[0] + mesh.vertnum[0])] @ rotation.T + at
        return _boxed(points, rgba)
    forms: dict[int, tuple[Form, tuple[float, ...]]] = {
        int(mujoco.mjtGeom.mjGEOM_BOX): ("box", (2 * a, 2 * b, 2 * c)),
        int(mujoco.mjtGeom.mjGEOM_CYLINDER): ("cylinder", (a, 2 * b)),
        int(mujoco.mjtGeom.mjGEOM_CAPSULE): ("capsule", (a, 2 * b)),
        int(mujoco.mjtGeom.mjGEOM_SPHERE): ("sphere", (a,)),
        int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): ("ellipsoid", (a, b, c)),
    }
    return ShownPiece(*forms[kind], at, rotation, rgba)


def in_sdf(path: Path) -> dict[str, ShownPiece]:
    """The visible pieces of an SDF world, by name, without floors and the robot.

    Raises:
        SaysoError: the file or one of its meshes cannot be read.
    """
    try:
        world = ET.parse(path).getroot().find("world")  # noqa: S314 - our own file
        if world is None:
            raise SaysoError(f"{path}: no <world> in it")
        found = {}
        for model in world.findall("model"):
            name = model.get("name", "")
            if name == ROBOT or name.startswith("floor") or name.endswith(SHINES):
                continue
            name = name_in_mujoco(name)
            for link in model.findall("link"):
                frame = _pose(model) @ _pose(link)
                for visual in link.findall("visual"):
                    found[f"{name}/{visual.get('name')}"] = _read(visual, frame @ _pose(visual), path.parent)
    except (OSError, ET.ParseError, ValueError) as error:
        raise SaysoError(f"{path}: {error}") from None
    return found


def _read(visual: ET.Element, frame: FloatArray, folder: Path) -> ShownPiece:
    shape = visual.find("geometry")
    assert shape is not None  # the schema was checked
    geometry = shape[0]
    rgba = np.array([float(value) for value in (visual.findtext("material/diffuse") or "").split()])
    if geometry.tag == "mesh":
        points = _vertices(folder / (geometry.findtext("uri") or ""))
        return _boxed(points @ frame[:3, :3].T + frame[:3, 3], rgba)
    parts = ("size",) if geometry.tag == "box" else ("radii",) if geometry.tag == "ellipsoid" else ("radius", "length")
    size = tuple(float(value) for part in parts for value in (geometry.findtext(part) or "").split())
    return ShownPiece(geometry.tag, size, frame[:3, 3], frame[:3, :3], rgba)  # type: ignore[arg-type]


def _vertices(path: Path) -> FloatArray:
    return np.array([line.split()[1:4] for line in path.read_text(encoding="ascii").splitlines() if line.startswith("v ")], np.float64)


def _boxed(points: FloatArray, rgba: FloatArray) -> ShownPiece:
    low, high = points.min(0), points.max(0)
    return ShownPiece("mesh", tuple((high - low).tolist()), (low + high) / 2, np.eye(3), rgba)


def _pose(element: ET.Element) -> FloatArray:
    """(4, 4) of its <pose>: metres, then roll, pitch, yaw about fixed axes."""
    values = [float(value) for value in (element.findtext("pose") or "0 0 0 0 0 0").split()]
    (cr, cp, cy), (sr, sp, sy) = np.cos(values[3:]), np.sin(values[3:])
    frame = np.eye(4)
    frame[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    frame[:3, 3] = values[:3]
    return frame
