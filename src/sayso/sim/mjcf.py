"""The MuJoCo model of a scene: floors, walls, furniture, people who can be moved, objects as free bodies, and the robot."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin
from typing import Any

import numpy as np

from sayso.scene.bodies import Body, Form, Piece, loose_bodies, standing_bodies, wall_bodies
from sayso.scene.floor import floor_texture
from sayso.scene.scene import Point3, Scene
from sayso.scene.stains import RADIUS, STAIN, STAIN_HEIGHT, stains
from sayso.sim.engine import mujoco
from sayso.sim.joints import MOVING, add_joint
from sayso.sim.robot_body import add_robot

TIMESTEP = 0.004  # s
VISUAL, COLLISION = 1, 3  # geom groups: shown by the camera, and for contacts only
HOLDERS = ("hand", "robot", "world")  # bodies to which a thing is welded: in the gripper; in the basket; held by a person, who stands still
SHADE = 0.3  # alpha of the shadow under an object
_TYPES: dict[Form, Any] = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}


def build_model(scene: Scene) -> mujoco.MjModel:
    """The compiled model. Bodies are named by the scene's ids; loose objects have a free joint and their foot as origin."""
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # Resting objects sleep and cost nothing: an apartment of still objects runs much faster than real time.
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    _add_looks(spec, scene)
    _add_rooms(spec, scene)
    for standing in standing_bodies(scene):
        _add_standing(spec, standing)
    _add_stains(spec, scene)
    add_robot(spec, scene.robot)
    for loose in loose_bodies(scene):
        _add_loose(spec, loose)
    _add_overview(spec, scene)
    return spec.compile()


def _add_looks(spec: Any, scene: Scene) -> None:
    light = scene.light
    spec.visual.headlight.ambient = [light.ambient] * 3
    spec.visual.headlight.diffuse = [light.lamp] * 3
    spec.visual.headlight.specular = [0.15] * 3
    spec.visual.quality.shadowsize = 4096
    spec.visual.map.shadowclip = 12.0  # m around the sun that the shadow map covers
    spec.visual.quality.offsamples = 0  # without a GPU, smoothing costs more than all the rest
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 18, 10
    spec.visual.map.znear = 0.05
    spec.visual.map.zfar = 20.0
    spec.stat.extent = 1.0  # so that znear and zfar are metres
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.62, 0.78, 0.92],
        rgb2=[0.93, 0.95, 0.96],
        width=256,
        height=1536,
    )
    x0, y0, x1, y1 = scene.area
    spec.worldbody.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        castshadow=True,
        pos=[(x0 + 3 * x1) / 4, (3 * y0 + y1) / 4, 5.0],
        dir=list(light.direction),
        diffuse=[light.sun, light.sun * 0.97, light.sun * 0.9],
        specular=[0.2] * 3,
        ambient=[0.0] * 3,
    )
    for gloss in range(11):
        spec.add_material(name=f"gloss{gloss}", specular=gloss / 10, shininess=0.2 + 0.05 * gloss, rgba=[0.5, 0.5, 0.5, 1])


def _add_rooms(spec: Any, scene: Scene) -> None:
    for room_id, room in scene.rooms.items():
        x0, y0, x1, y1 = room.area
        pixels, side = floor_texture(room.floor, *(scene.rgb(color) for color in room.floor.colors))
        texture = spec.add_texture(name=f"floor/{room_id}", type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3)
        texture.width, texture.height = pixels.shape[1], pixels.shape[0]
        texture.data = pixels.tobytes()
        material = spec.add_material(name=f"floor/{room_id}", texrepeat=[2 / side, 2 / side], texuniform=True, specular=0.1, shininess=0.2)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = f"floor/{room_id}"
        spec.worldbody.add_geom(
            name=f"floor/{room_id}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[(x1 - x0) / 2, (y1 - y0) / 2, 0.05],
            pos=[(x0 + x1) / 2, (y0 + y1) / 2, -0.05],
            material=f"floor/{room_id}",
            group=VISUAL,
            contype=0,
            conaffinity=0,
        )
    # One plane to roll on, without seams between rooms.
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50, 50, 1], rgba=[0, 0, 0, 0], group=COLLISION, friction=[1.0, 0.005, 0.0001]
    )
    for wall in wall_bodies(scene):
        box = wall.pieces[0]
        spec.worldbody.add_geom(
            name=wall.name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[length / 2 for length in box.size],
            pos=[wall.at[0], wall.at[1], box.at[2]],
            material="gloss0",
            rgba=list(box.rgba),
            group=VISUAL,
        )


def _add_standing(spec: Any, standing: Body) -> None:
    # People may walk: a mocap body goes where it is put, and pushes what it meets.
    moved = standing.kind == "person"
    body = spec.worldbody.add_body(name=standing.name, pos=list(standing.at), quat=_upright(standing.yaw), mocap=moved)
    moving = add_joint(spec, body, standing) if standing.joint else None
    for index, piece in enumerate(standing.pieces):
        name = f"{standing.name}/{index}"
        if moving is not None and standing.joint and piece.moves:
            at = piece.at[0] - standing.joint.at[0], piece.at[1] - standing.joint.at[1], piece.at[2] - standing.joint.at[2]
            _add_piece(spec, moving, name, replace(piece, at=at), touches=MOVING)
        else:
            _add_piece(spec, body, name, piece, touches=int(piece.solid))


def _add_stains(spec: Any, scene: Scene) -> None:
    for number, stain in enumerate(stains(scene)):
        spec.worldbody.add_geom(
            name=f"stain/{number}",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[RADIUS, STAIN_HEIGHT / 2, 0],
            pos=[*stain.at[:2], stain.at[2] + STAIN_HEIGHT / 2],
            rgba=list(STAIN),
            group=VISUAL,
            contype=0,
            conaffinity=0,
        )


def _add_loose(spec: Any, loose: Body) -> None:
    body = spec.worldbody.add_body(name=loose.name, pos=list(loose.at), quat=_upright(loose.yaw))
    body.add_freejoint(name=loose.name)
    hull = loose.hull
    assert hull is not None  # every loose body has one
    half = hull.half
    kind, size = mujoco.mjtGeom.mjGEOM_BOX, list(half)
    if hull.cylinder is not None:
        kind, size = mujoco.mjtGeom.mjGEOM_CYLINDER, [half[0], half[2], 0.0]
    elif hull.sphere is not None:
        kind, size = mujoco.mjtGeom.mjGEOM_SPHERE, [half[0], 0.0, 0.0]
    body.add_geom(
        name=f"{loose.name}/hull",
        type=kind,
        size=size,
        pos=[0, 0, half[2]],
        mass=loose.mass,
        group=COLLISION,
        rgba=[1, 1, 1, 0.3],
        condim=4,
        friction=[0.8, 0.01, 0.001],
    )
    # A soft dark edge under the object: without a GPU, real shadows cost more than the whole picture.
    body.add_geom(
        name=f"{loose.name}/shadow",
        type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        size=[1.15 * half[0] + 0.003, 1.15 * half[1] + 0.003, 0.001],
        pos=[0, 0, 0.0005],
        mass=0.0,
        rgba=[0.05, 0.04, 0.03, SHADE],
        group=VISUAL,
        contype=0,
        conaffinity=0,
    )
    for index, piece in enumerate(loose.pieces):
        _add_piece(spec, body, f"{loose.name}/{index}", piece, touches=0)
    for holder in HOLDERS:
        weld = spec.add_equality(name=f"{holder}/{loose.name}", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY)
        weld.name1, weld.name2, weld.active = holder, loose.name, False
        weld.solref = [0.01, 1.0]


def _add_piece(spec: Any, body: Any, name: str, piece: Piece, touches: int) -> None:
    geometry: dict[str, Any] = {"type": _TYPES[piece.form]}
    if piece.triangles is not None:
        points, faces = piece.triangles
        mesh = spec.add_mesh(name=name, uservert=points.ravel(), userface=faces.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # some are open
        geometry["meshname"] = mesh.name
    elif piece.form == "box":
        geometry["size"] = [length / 2 for length in piece.size]
    elif piece.form in {"cylinder", "capsule"}:
        geometry["size"] = [piece.size[0], piece.size[1] / 2, 0]
    else:
        geometry["size"] = [*piece.size, 0, 0][:3]
    material = f"gloss{round(piece.gloss * 10)}"
    if piece.lit is not None:  # a material of its own: it shines while the appliance is on
        material = spec.add_material(name=f"lit/{name}", specular=piece.gloss, rgba=[0.5, 0.5, 0.5, 1]).name
    body.add_geom(
        name=name,
        pos=list(piece.at),
        quat=_turned(piece.turn),
        rgba=list(piece.rgba),
        mass=0.0,
        material=material,
        group=VISUAL,
        contype=touches,
        conaffinity=touches & 1,
        **geometry,
    )


def _add_overview(spec: Any, scene: Scene) -> None:
    x0, y0, x1, y1 = scene.area
    spec.worldbody.add_camera(
        name="overview",
        pos=[(x0 + x1) / 2, (y0 + y1) / 2, 8.0],
        quat=[1, 0, 0, 0],
        fovy=y1 - y0,
        proj=mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC,
    )


def _upright(yaw: float) -> list[float]:
    return [cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)]


def _turned(turn: Point3) -> list[float]:
    """Roll, pitch, yaw in rad about fixed axes → quaternion w, x, y, z."""
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(np.eye(3), turn, strict=True):
        about = np.array([cos(angle / 2), *(sin(angle / 2) * axis)])
        product = np.empty(4)
        mujoco.mju_mulQuat(product, about, quaternion)
        quaternion = product
    return list(quaternion)
