"""The MuJoCo model of a scene: floors, walls, furniture, people as fixed bodies, objects as free ones, and the robot."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import numpy as np

from sayso.sim.engine import mujoco
from sayso.sim.floor import floor_texture
from sayso.sim.layout import start_pose, stretch, walls
from sayso.sim.mesh import mesh_of
from sayso.sim.robot_body import add_robot
from sayso.sim.scene import Figure, Loose, Part, Placed, Point3, Scene, Shape

TIMESTEP = 0.004  # s
SEEN, FELT = 1, 3  # geom groups: what the camera shows, and what only touches
SHADE = 0.3  # alpha of the shadow under a thing
UNIFORM = (1.0, 1.0, 1.0)


def build_model(scene: Scene) -> mujoco.MjModel:
    """The compiled model. Bodies are named by the scene's ids; loose objects have a free joint and their foot as origin."""
    spec = mujoco.MjSpec()
    spec.modelname = scene.name
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # What rests sleeps, and costs nothing: an apartment of still objects runs much faster than real time.
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    _add_looks(spec, scene)
    _add_rooms(spec, scene)
    standing: list[tuple[str, Placed | Figure]] = [*scene.furniture.items(), *scene.decor.items(), *scene.people.items()]
    for name, placed in standing:
        _add_placed(spec, scene, name, placed)
    add_robot(spec, scene.robot)
    for object_id, thing in scene.objects.items():
        _add_object(spec, scene, object_id, thing)
    _add_overview(spec, scene)
    return spec.compile()


def _add_looks(spec: Any, scene: Scene) -> None:
    light = scene.light
    spec.visual.headlight.ambient = [light.ambient] * 3
    spec.visual.headlight.diffuse = [light.lamp] * 3
    spec.visual.headlight.specular = [0.15] * 3
    spec.visual.quality.shadowsize = 4096
    spec.visual.map.shadowclip = 12.0  # m around the sun that the shadow map covers
    spec.visual.quality.offsamples = 0  # smoothing costs more than all the rest without a GPU
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
            group=SEEN,
            contype=0,
            conaffinity=0,
        )
    # One plane to roll on: no seams between rooms.
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[50, 50, 1], rgba=[0, 0, 0, 0], group=FELT, friction=[1.0, 0.005, 0.0001]
    )
    for index, wall in enumerate(walls(scene)):
        spec.worldbody.add_geom(
            name=f"wall/{index}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[*wall.half, wall.top / 2],
            pos=[wall.x, wall.y, wall.top / 2],
            material="gloss0",
            rgba=[*scene.rgb("wall"), 1.0],
            group=SEEN,
        )


def _add_placed(spec: Any, scene: Scene, name: str, placed: Placed | Figure) -> None:
    yaw = radians(placed.yaw)
    height = placed.z if isinstance(placed, Placed) else 0.0
    body = spec.worldbody.add_body(name=name, pos=[*placed.at, height], quat=_upright(yaw))
    shape = scene.shapes[placed.shape]
    for index, part in enumerate(shape.parts):
        _add_part(spec, body, f"{name}/{index}", part, (placed, shape), scene, stretch(scene, placed), part.solid and part.lathe is None)


def _add_object(spec: Any, scene: Scene, object_id: str, thing: Loose) -> None:
    x, y, z, yaw = start_pose(scene, object_id)
    body = spec.worldbody.add_body(name=object_id, pos=[x, y, z], quat=_upright(yaw))
    body.add_freejoint(name=object_id)
    shape, hull = scene.shapes[thing.shape], scene.hull(object_id)
    half = hull.half
    kind, size = mujoco.mjtGeom.mjGEOM_BOX, list(half)
    if hull.cylinder is not None:
        kind, size = mujoco.mjtGeom.mjGEOM_CYLINDER, [half[0], half[2], 0.0]
    elif hull.sphere is not None:
        kind, size = mujoco.mjtGeom.mjGEOM_SPHERE, [half[0], 0.0, 0.0]
    body.add_geom(
        name=f"{object_id}/hull",
        type=kind,
        size=size,
        pos=[0, 0, half[2]],
        mass=shape.mass,
        group=FELT,
        rgba=[1, 1, 1, 0.3],
        condim=4,
        friction=[0.8, 0.01, 0.001],
    )
    # A soft dark edge under it: real shadows cost more than the whole picture without a GPU.
    body.add_geom(
        name=f"{object_id}/shadow",
        type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        size=[1.15 * half[0] + 0.003, 1.15 * half[1] + 0.003, 0.001],
        pos=[0, 0, 0.0005],
        mass=0.0,
        rgba=[0.05, 0.04, 0.03, SHADE],
        group=SEEN,
        contype=0,
        conaffinity=0,
    )
    for index, part in enumerate(shape.parts):
        _add_part(spec, body, f"{object_id}/{index}", part, (thing, shape), scene, UNIFORM, solid=False)
    for holder in ("hand", "world"):  # the gripper holds it; a person holds it, who stands still
        weld = spec.add_equality(name=f"{holder}/{object_id}", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY)
        weld.name1, weld.name2, weld.active = holder, object_id, False
        weld.solref = [0.01, 1.0]


def _add_part(
    spec: Any, body: Any, name: str, part: Part, given: tuple[Placed | Loose | Figure, Shape], scene: Scene, scale: Point3, solid: bool
) -> None:
    rgba = [*scene.rgb(part.color, *(entry.colors for entry in given)), part.alpha]
    sx, sy, sz = scale
    across = (sx * sy) ** 0.5
    own = scale if part.turn == (0.0, 0.0, 0.0) else UNIFORM  # a turned part only moves
    geometry: dict[str, Any]
    triangles = mesh_of(part)
    if triangles is not None:
        points, faces = triangles
        mesh = spec.add_mesh(name=name, uservert=(points * own).ravel(), userface=faces.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # some are open
        geometry = {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": mesh.name}
    elif part.box is not None:
        geometry = {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [length / 2 * factor for length, factor in zip(part.box, own, strict=True)]}
    elif part.ellipsoid is not None:
        radii = [radius * factor for radius, factor in zip(part.ellipsoid, own, strict=True)]
        geometry = {"type": mujoco.mjtGeom.mjGEOM_ELLIPSOID, "size": radii}
    elif part.cylinder is not None:
        geometry = {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": [part.cylinder[0] * across, part.cylinder[1] / 2 * own[2], 0]}
    elif part.capsule is not None:
        geometry = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "size": [part.capsule[0] * across, part.capsule[1] / 2 * own[2], 0]}
    else:
        geometry = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [(part.sphere or 0.0) * across, 0, 0]}
    body.add_geom(
        name=name,
        pos=[part.at[0] * sx, part.at[1] * sy, part.at[2] * sz],
        quat=_turned(part.turn),
        rgba=rgba,
        mass=0.0,
        material=f"gloss{round(part.gloss * 10)}",
        group=SEEN,
        contype=int(solid),
        conaffinity=int(solid),
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
    """Roll, pitch, yaw in degrees about fixed axes → quaternion w, x, y, z."""
    quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in zip(np.eye(3), turn, strict=True):
        about = np.array([cos(radians(angle) / 2), *(sin(radians(angle) / 2) * axis)])
        product = np.empty(4)
        mujoco.mju_mulQuat(product, about, quaternion)
        quaternion = product
    return list(quaternion)
