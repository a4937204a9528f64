"""The embedded simulation: an apartment with loose objects, people, and one robot with a camera, a person tracker and a gripper."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from math import atan2, cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.scene.scene import Point3, Scene
from sayso.sim.camera import Camera
from sayso.sim.drive import Drive
from sayso.sim.engine import mujoco
from sayso.sim.gripper import Gripper
from sayso.sim.mjcf import TIMESTEP
from sayso.sim.operating import Operation
from sayso.sim.overview import Overview, draw_overview
from sayso.sim.people import Walkers
from sayso.sim.robot_body import CAMERA
from sayso.sim.tracker import PersonTracker
from sayso.sim.truth import IN_BASKET, IN_GRIPPER, WorldTruth, resting_place
from sayso.sim.world import Odometry, World
from sayso.types import FloatArray, Image, People

CONTROL_STEPS = 5  # physics steps between two commands to the motors
STILL = 1e-3  # m/s and rad/s: what is slower does not move
SETTLING = 0.6  # s until all objects are at rest


class Simulation:
    """The world and its robot. Time passes only in `step`; `seed` determines all chance. For one thread; `close` frees OpenGL.

    Raises:
        SimulationError: by the `render…` methods, if OpenGL is unavailable.
    """

    def __init__(self, scene: Scene, seed: int = 0) -> None:
        self.scene = scene
        self.world = World(scene)
        self._gripper = Gripper(self.world, np.random.default_rng(seed))
        self.people = Walkers(self.world, seed)
        self._tracker = PersonTracker(self.world, seed)
        self._drive = Drive()
        self._wheels = [self.model.actuator(f"wheel/{side}").id for side in ("left", "right")]
        self._camera: Camera | None = None
        mujoco.mj_step(self.model, self.data, round(SETTLING / TIMESTEP))
        self.data.time = 0.0
        self.refresh()
        self._start = copy(self.data)

    @property
    def model(self) -> Any:
        """MuJoCo's model."""
        return self.world.model

    @property
    def data(self) -> Any:
        """MuJoCo's state."""
        return self.world.data

    def reset(self, seed: int = 0) -> None:
        """Restore the state of a new simulation with that seed."""
        self._gripper.reset(np.random.default_rng(seed))
        self._drive = Drive()
        self.people, self._tracker = Walkers(self.world, seed), PersonTracker(self.world, seed)
        mujoco.mj_copyData(self.data, self.model, self._start)
        self.refresh()

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return float(self.data.time)

    @property
    def odometry(self) -> Odometry:
        """Pose in the map frame and velocity, exact: in this simulation the frames odom and map coincide."""
        return self.world.odometry

    @property
    def holding(self) -> str:
        """The id of the object in the gripper, empty for none."""
        return self._gripper.holding

    def drive(self, v: float, w: float) -> None:
        """Set the velocity, m/s forward and rad/s to the left; the base follows within its acceleration limits."""
        self._drive.want(v, w)

    def step(self, seconds: float) -> None:
        """Let time pass, rounded to control periods of 0.02 s, at least one."""
        period = CONTROL_STEPS * TIMESTEP
        for _ in range(max(1, round(seconds / period))):
            self.data.ctrl[self._wheels] = self._drive.wheels(period)
            self._gripper.advance(period)
            for person in self.people.advance(period):
                self._gripper.carry_along(person)
            mujoco.mj_step(self.model, self.data, CONTROL_STEPS)
        mujoco.mj_forward(self.model, self.data)  # positions of this moment, not of the previous step

    @property
    def moves(self) -> bool:
        """Whether anything moves, or is about to: the robot, its arm, a thing, a door, or a person."""
        fastest = float(np.abs(self.data.qvel).max(initial=0.0))
        return fastest > STILL or self._gripper.busy or any(self.people.walking(name) for name in self.scene.people)

    def stand_still(self, seconds: float) -> None:
        """Let time pass in which nothing moves."""
        self.data.time += seconds

    def render(self) -> Image:
        """Render the robot's camera: colour, depth, intrinsics, and the pose of its optical frame in the map."""
        rgb, depth = self._sight().picture(self.data)
        return Image(rgb, self.time, depth, CAMERA.intrinsics, self.camera_pose())

    def render_segmentation(self) -> NDArray[np.int16]:
        """(H, W) object at each pixel of the camera: its index in `tuple(scene.objects)`, −1 for everything else."""
        owner = np.full(self.model.ngeom + 1, -1, np.int16)  # the last is for "no geom", −1
        for index, (name, body) in enumerate(self.world.bodies.items()):
            first, count = int(self.model.body_geomadr[body]), int(self.model.body_geomnum[body])
            owner[first : first + count] = index
            owner[self.model.geom(f"{name}/shadow").id] = -1
        segmentation: NDArray[np.int16] = owner[self._sight().geoms(self.data)]
        return segmentation

    def render_overview(self, width: int = 1400, height: int = 950) -> Overview:
        """Render the apartment from above, without a ceiling."""
        return draw_overview(self.model, self.data, self.scene, width, height)

    def camera_pose(self) -> FloatArray:
        """(4, 4) map ← optical frame: x right, y down, z forward (REP 103)."""
        camera = self.model.camera("camera").id
        pose = np.eye(4)
        pose[:3, :3] = self.data.cam_xmat[camera].reshape(3, 3) * (1.0, -1.0, -1.0)  # MuJoCo's y is up and its z backward
        pose[:3, 3] = self.data.cam_xpos[camera]
        return pose

    def grip(self, command: str, target: Point3) -> tuple[bool, str]:
        """Carry out a srv/Grip request: grasp the object at the target, set it down there, or hand it to the person there.

        Args:
            command: "grasp", "release" or "hand_over".
            target: m, map frame.

        Returns:
            Whether it succeeded, and the result or the reason in one line.
        """
        return self._gripper.grip(command, target)

    def request(self, command: str, target: Point3) -> Operation:
        """Begin a srv/Grip request of any kind: the same as `grip`, and "open", "close", "switch_on", "switch_off".

        Args:
            command: what to do.
            target: m, map frame: of a door, its handle while it is closed; of an appliance, its switch.

        Returns:
            The result, once `done`: doors take time to move.
        """
        return self._gripper.request(command, target)

    def people_seen(self) -> People:
        """The people whom the robot's tracker sees now."""
        return self._tracker(self.time)

    def truth(self) -> WorldTruth:
        """Where everything is now."""
        x, y, yaw, *_ = self.odometry
        names = tuple(self.scene.objects)
        positions = np.array([self.middle(name) for name in names])
        at = tuple(map(self._location, names))
        return WorldTruth(self.time, x, y, yaw, names, at, positions, self._gripper.facts(), self.people.places())

    def middle(self, object_id: str) -> FloatArray:
        """(3,) m, the middle of the object's hull."""
        return self.world.middle(object_id)

    @property
    def contents(self) -> Mapping[str, float]:
        """Vessel → ml in it now."""
        return self._gripper.contents

    def put(self, object_id: str, foot: Point3, yaw: float = 0.0) -> None:
        """Stand an object upright somewhere, at rest and released: for arranging the world, not for robots."""
        self.put_all({object_id: (foot, yaw)})

    def put_all(self, poses: Mapping[str, tuple[Point3, float]]) -> None:
        """Stand objects upright, each with its foot (m) at a point of the map and a yaw (rad)."""
        for object_id, (foot, yaw) in poses.items():
            self._gripper.let_go(object_id)
            self.world.pose(object_id, foot, yaw)
        self.refresh()

    def put_robot(self, x: float, y: float, yaw: float) -> None:
        """Stand the robot somewhere, at rest, with the things it carries: for arranging the world, not for robots."""
        before_x, before_y, before_yaw, *_ = self.odometry
        self.world.pose("robot", (x, y, 0.0), yaw)
        for carried in filter(None, (self.holding, *self._gripper.basket.contents)):
            foot, rotation = self.world.foot(carried)
            turn = yaw - before_yaw
            dx, dy = foot[0] - before_x, foot[1] - before_y
            moved = x + cos(turn) * dx - sin(turn) * dy, y + sin(turn) * dx + cos(turn) * dy, float(foot[2])
            self.world.pose(carried, moved, atan2(rotation[1, 0], rotation[0, 0]) + turn)
        self.refresh()

    def refresh(self) -> None:
        """Update derived quantities after positions were set directly."""
        self.world.refresh()

    def close(self) -> None:
        """Free the OpenGL resources."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None

    def _sight(self) -> Camera:
        if self._camera is None:
            self._camera = Camera(self.model, "camera", CAMERA.width, CAMERA.height, shadows=False)
        return self._camera

    def _location(self, object_id: str) -> str:
        if object_id == self.holding:
            return IN_GRIPPER
        if object_id in self._gripper.basket.contents:
            return IN_BASKET
        if object_id in self._gripper.given:
            return self._gripper.given[object_id]
        return resting_place(self.world.lowest(object_id), self.world.surfaces)
