"""The bodies of a scene in MuJoCo: reads and sets their poses."""

from __future__ import annotations

from math import atan2, cos, sin

import numpy as np

from sayso.scene.layout import hand_of, shelves, stands
from sayso.scene.scene import Point3, Scene
from sayso.sim.engine import mujoco
from sayso.sim.mjcf import build_model
from sayso.types import FloatArray

Odometry = tuple[float, float, float, float, float]  # x, y (m), yaw (rad), v (m/s forward), w (rad/s to the left)


class World:
    """A scene's model and state."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.model = build_model(scene)
        self.data = mujoco.MjData(self.model)
        self.shelves = shelves(scene)
        self.surfaces = stands(scene)
        self.bodies = {name: int(self.model.body(name).id) for name in scene.objects}
        self._robot = int(self.model.body("robot").id)
        self._hand = int(self.model.body("hand").id)
        self._people = {name: int(self.model.body(name).mocapid[0]) for name in scene.people}

    @property
    def odometry(self) -> Odometry:
        """Pose in the map frame and velocity, exact: in this simulation the frames odom and map coincide."""
        x, y, _ = self.data.xpos[self._robot]
        axes = self.data.xmat[self._robot].reshape(3, 3)
        velocity = np.empty(6)  # angular, then linear, in the body's own frame
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, self._robot, velocity, 1)
        return float(x), float(y), atan2(axes[1, 0], axes[0, 0]), float(velocity[3]), float(velocity[2])

    @property
    def at(self) -> tuple[float, float, float]:
        """Where the robot is: x, y (m), yaw (rad)."""
        x, y, yaw, *_ = self.odometry
        return x, y, yaw

    @property
    def fingers(self) -> FloatArray:
        """(3,) m, the end of the arm."""
        return np.array(self.data.xpos[self._hand])

    def middle(self, object_id: str) -> FloatArray:
        """(3,) m, the middle of the object's hull."""
        foot, rotation = self.foot(object_id)
        return foot + rotation[:, 2] * self.scene.hull(object_id).half[2]

    def foot(self, object_id: str) -> tuple[FloatArray, FloatArray]:
        """The object's foot (3,), m, and its rotation (3, 3)."""
        body = self.bodies[object_id]
        return self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy()

    def lowest(self, object_id: str) -> Point3:
        """The point under the middle of the object's hull at the height of its lowest point, m, in any orientation."""
        x, y, z = self.middle(object_id)
        _, rotation = self.foot(object_id)
        return x, y, z - float(np.abs(rotation[2]) @ np.array(self.scene.hull(object_id).half))

    def pose(self, name: str, foot: Point3, yaw: float) -> None:
        """Stand a body with a free joint upright and at rest, its foot (m) at a point of the map, with a yaw (rad)."""
        joint = self.model.joint(name)
        address, speed = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.data.qpos[address : address + 3] = foot
        self.data.qpos[address + 3 : address + 7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
        self.data.qvel[speed : speed + 6] = 0.0

    def person(self, person_id: str) -> tuple[float, float, float]:
        """Where the person stands, and faces: x, y (m), yaw (rad)."""
        number = self._people[person_id]
        (x, y, _), (w, _, _, z) = self.data.mocap_pos[number], self.data.mocap_quat[number]
        return float(x), float(y), 2.0 * atan2(z, w)

    def put_person(self, person_id: str, x: float, y: float, yaw: float) -> None:
        """Let the person stand there (m), facing `yaw` (rad)."""
        number = self._people[person_id]
        self.data.mocap_pos[number, :2] = x, y
        self.data.mocap_quat[number] = cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)

    def hand(self, person_id: str) -> Point3:
        """The palm of the person's open hand, m."""
        return hand_of(self.scene, person_id, self.person(person_id))

    def refresh(self) -> None:
        """Update derived quantities after positions were set directly."""
        mujoco.mj_forward(self.model, self.data)
