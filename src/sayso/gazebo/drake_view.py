"""Draws an SDF world with Drake: `python -m sayso.gazebo.drake_view WORLD.sdf OUT.npz "[[x, y, yaw], …]"`. See pictures.py."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray
from pydrake import geometry
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.sensors import CameraInfo

from sayso.gazebo.topics import ROBOT

# Drake ignores these elements, or doesn't need them for a picture.
NOT_SEEN = ("collision", "plugin", "pbr", "light", "scene", "physics", "sensor")
# Optical frame (z forward, x right, y down) in a frame with x forward and z up, REP 103.
OPTICAL = RigidTransform(RotationMatrix(np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])))


def draw(world: Path, places: Sequence[Sequence[float]]) -> dict[str, NDArray[Any]]:
    """Render the world's camera from N poses of the robot (x, y in m, yaw in rad).

    Returns:
        models: (M,) names; labels: (N, H, W) index into models, or more than M for none; depth: (N, H, W) m; rgb: (N, H, W, 3).
    """
    root = ET.parse(world).getroot()  # noqa: S314 - our own file
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    graph.AddRenderer("vtk", geometry.MakeRenderEngineVtk(geometry.RenderEngineVtkParams()))
    color, deep = _optics(root)
    Parser(plant).AddModelsFromString(_plain(root, world.parent), "sdf")
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    at, view = plant.GetMyContextFromRoot(context), graph.GetMyContextFromRoot(context)
    robot = plant.GetBodyByName("base_link", plant.GetModelInstanceByName(ROBOT))
    found: dict[str, list[NDArray[Any]]] = {"labels": [], "depth": [], "rgb": []}
    for x, y, yaw in places:
        plant.SetFloatingBaseBodyPoseInWorldFrame(at, robot, RigidTransform(RollPitchYaw(0.0, 0.0, yaw), np.array([x, y, 0.0])))
        pose = plant.GetFrameByName("camera_link").CalcPoseInWorld(at).multiply(OPTICAL)
        query, fixed = graph.get_query_output_port().Eval(view), graph.world_frame_id()
        found["labels"].append(query.RenderLabelImage(color, fixed, pose).data[..., 0].astype(np.int32))
        found["rgb"].append(query.RenderColorImage(color, fixed, pose).data[..., :3].copy())
        found["depth"].append(query.RenderDepthImage(deep, fixed, pose).data[..., 0].copy())
    bodies = (plant.get_body(BodyIndex(index)) for index in range(plant.num_bodies()))
    models = np.array([plant.GetModelInstanceName(body.model_instance()) for body in bodies])
    return {"models": models, **{name: np.array(pictures) for name, pictures in found.items()}}


def _optics(root: ET.Element) -> tuple[geometry.ColorRenderCamera, geometry.DepthRenderCamera]:
    camera = root.find(".//sensor/camera")
    assert camera is not None  # every world of ours has a robot with one
    width, height = (int(camera.findtext(f"image/{side}") or 0) for side in ("width", "height"))
    near, far = (float(camera.findtext(f"clip/{end}") or 0.0) for end in ("near", "far"))
    focal = width / 2 / math.tan(float(camera.findtext("horizontal_fov") or 1.0) / 2)
    intrinsics = CameraInfo(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)
    core = geometry.RenderCameraCore("vtk", intrinsics, geometry.ClippingRange(near, far), RigidTransform())
    return geometry.ColorRenderCamera(core, False), geometry.DepthRenderCamera(core, geometry.DepthRange(1.1 * near, 0.99 * far))


def _plain(root: ET.Element, folder: Path) -> str:
    """The world's text, with only the elements that a picture needs and with absolute file names.

    Collisions are left out too: Drake 1.51 crashes on about a hundred pieces in one place, where they all are during reading.
    """
    for parent in [*root.iter()]:
        for child in [*parent]:
            if child.tag in NOT_SEEN:
                parent.remove(child)
    for uri in root.iter("uri"):
        uri.text = (folder / (uri.text or "")).resolve().as_uri()
    return ET.tostring(root, encoding="unicode")


if __name__ == "__main__":
    drawn = draw(Path(sys.argv[1]), json.loads(sys.argv[3]))
    np.savez(sys.argv[2], models=drawn["models"], labels=drawn["labels"], depth=drawn["depth"], rgb=drawn["rgb"])
