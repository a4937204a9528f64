"""Pictures of the simulated world: colour and depth in one pass, and the geom at each pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import SimulationError
from sayso.sim.culling import Culling
from sayso.sim.engine import mujoco, unavailable

SEEN, HIDDEN = 1, 5  # geom groups
Picture = NDArray[np.uint8]  # (H, W, 3)
Depth = NDArray[np.float32]  # (H, W) m along the optical axis


class Camera:
    """Renders one camera of the model. Use it only in the thread that made it; `close` frees its OpenGL context.

    Raises:
        SimulationError: OpenGL is unavailable or cannot be started.
    """

    def __init__(self, model: Any, name: str, width: int, height: int, shadows: bool = True) -> None:
        if unavailable:
            raise SimulationError(unavailable)
        self._model = model
        self._rect = mujoco.MjrRect(0, 0, width, height)
        # The context clears its whole buffer for every picture, so the buffer is no larger than the picture.
        model.vis.global_.offwidth, model.vis.global_.offheight = width, height
        try:
            self._gl = mujoco.GLContext(width, height)
            self._gl.make_current()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        except Exception as failed:
            raise SimulationError(f"OpenGL cannot be started for the camera's pictures ({failed}): see `sayso doctor`") from failed
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=2 * model.ngeom + 100)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = model.camera(name).id
        camera = self._view.fixedcamid
        self._geoms = np.flatnonzero(np.isin(model.geom_group, (SEEN, HIDDEN)))
        walls = np.array([geom for geom in self._geoms if model.geom(geom).name.startswith("wall/")], dtype=np.int64)
        self._culling = None if model.cam_projection[camera] else Culling(model, camera, self._geoms, walls, (width, height))
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = [1, 1, 0, 0, 0, 0]

    def picture(self, data: Any) -> tuple[Picture, Depth]:
        """Colours, and metres along the optical axis (inf for the sky)."""
        self._draw(data)
        height, width = self._rect.height, self._rect.width
        rgb = np.empty((height, width, 3), np.uint8)
        z = np.empty((height, width), np.float32)
        mujoco.mjr_readPixels(rgb, z, self._rect, self._context)
        near, far = self._model.vis.map.znear, self._model.vis.map.zfar  # m, since the model's extent is 1
        # With mjDEPTH_ZEROFAR, 1 is near, 0 is far, and 1/depth is linear between them (more precise far away).
        with np.errstate(divide="ignore"):
            depth = np.where(z > 0.0, near * far / (near + z.astype(np.float64) * (far - near)), np.inf)
        return np.ascontiguousarray(rgb[::-1]), depth[::-1].astype(np.float32)

    def geoms(self, data: Any) -> NDArray[np.int32]:
        """(H, W) id of the geom at each pixel; −1 for none."""
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        self._draw(data)
        rgb = np.empty((self._rect.height, self._rect.width, 3), np.uint8)
        mujoco.mjr_readPixels(rgb, None, self._rect, self._context)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        code = rgb[::-1].astype(np.int32) @ np.array([1, 256, 65536], np.int32)
        shown = np.full(self._scene.ngeom + 1, -1, np.int32)  # colour 0 is the background
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                shown[geom.segid + 1] = geom.objid
        seen: NDArray[np.int32] = shown[np.where(code < len(shown), code, 0)]
        return seen

    def _draw(self, data: Any) -> None:
        self._gl.make_current()
        seen = self._culling.visible(data) if self._culling else True
        self._model.geom_group[self._geoms] = np.where(seen, SEEN, HIDDEN)
        mujoco.mjv_updateScene(self._model, data, self._option, None, self._view, mujoco.mjtCatBit.mjCAT_ALL, self._scene)
        mujoco.mjr_render(self._rect, self._scene, self._context)

    def close(self) -> None:
        """Free its OpenGL resources."""
        self._gl.make_current()
        self._context.free()
        self._gl.free()
