"""The embedded simulation: an apartment, loose things in it, people who stand still, and one robot with a camera and a gripper."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from math import atan2, hypot
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sayso.sim.camera import Camera
from sayso.sim.drive import Drive
from sayso.sim.engine import mujoco
from sayso.sim.gripper import Arm, Welds, free_spot, hull_distance, reaching
from sayso.sim.layout import Rectangle, hand_of, surfaces
from sayso.sim.mjcf import TIMESTEP, build_model
from sayso.sim.overview import Overview, draw_overview
from sayso.sim.robot_body import CAMERA, FOLDED
from sayso.sim.scene import Point3, Scene
from sayso.sim.truth import IN_GRIPPER, WorldTruth, resting_place
from sayso.types import FloatArray, Image

GripCommand = Literal["grasp", "release", "hand_over"]
CONTROL_STEPS = 5  # physics steps between two commands to the motors
SETTLING = 0.6  # s until what stands stands still
PERSON_REACH = 0.8  # m: so far from the target a person's hand takes what is handed over
BELOW = 0.3  # m: so far below (or above) the target a surface may be on which to set something down
BESIDE_HAND = 0.13  # m between two things that one person holds

Odometry = tuple[float, float, float, float, float]  # x, y (m), yaw (rad), v (m/s forward), w (rad/s to the left)


class Simulation:
    """The world and its robot. Time passes only in `step`; all chance comes from `seed`. For one thread; `close` frees its pictures.

    Raises:
        SimulationError: by `render` and its like, where there is no OpenGL.
    """

    def __init__(self, scene: Scene, seed: int = 0) -> None:
        self.scene = scene
        self.model = build_model(scene)
        self.data = mujoco.MjData(self.model)
        self.holding = ""  # id of what is in the gripper
        self.rng = np.random.default_rng(seed)
        self.surfaces = surfaces(scene)
        self._given: dict[str, str] = {}  # object → person who holds it
        self._drive = Drive()
        self._arm = Arm(self.model, self.data)
        self._welds = Welds(self.model, self.data, scene.objects)
        self._wheels = [self.model.actuator(f"wheel/{side}").id for side in ("left", "right")]
        self._robot = self.model.body("robot").id
        self._bodies = {name: self.model.body(name).id for name in scene.objects}
        self._camera: Camera | None = None
        self._arm.snap(FOLDED)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_step(self.model, self.data, round(SETTLING / TIMESTEP))
        self.data.time = 0.0
        mujoco.mj_forward(self.model, self.data)
        self._start = copy(self.data)

    def reset(self, seed: int = 0) -> None:
        """Everything as it was when the simulation was made with that seed."""
        for object_id in self.scene.objects:
            self._welds.let_go(object_id)
        mujoco.mj_copyData(self.data, self.model, self._start)
        self.holding = ""
        self._given.clear()
        self.rng = np.random.default_rng(seed)
        self._drive = Drive()
        self._arm.fold()
        self.refresh()

    @property
    def time(self) -> float:
        """s since the start."""
        return float(self.data.time)

    @property
    def odometry(self) -> Odometry:
        """Pose in the map frame and velocity. It is exact: in this simulation the frames odom and map coincide."""
        x, y, _ = self.data.xpos[self._robot]
        axes = self.data.xmat[self._robot].reshape(3, 3)
        velocity = np.empty(6)  # angular, then linear, in the body's own frame
        mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, self._robot, velocity, 1)
        return float(x), float(y), atan2(axes[1, 0], axes[0, 0]), float(velocity[3]), float(velocity[2])

    def drive(self, v: float, w: float) -> None:
        """m/s forward and rad/s to the left, until changed; the base follows within its acceleration limits."""
        self._drive.want(v, w)

    def step(self, seconds: float) -> None:
        """Lets time pass, to the nearest control period (0.02 s), at least one."""
        period = CONTROL_STEPS * TIMESTEP
        for _ in range(max(1, round(seconds / period))):
            self.data.ctrl[self._wheels] = self._drive.wheels(period)
            self._arm.advance(period)
            mujoco.mj_step(self.model, self.data, CONTROL_STEPS)
        mujoco.mj_forward(self.model, self.data)  # positions of this moment, not of the step before

    def render(self) -> Image:
        """What the robot's camera sees now: colour, depth, intrinsics, and the pose of its optical frame in the map."""
        rgb, depth = self._sight().picture(self.data)
        return Image(rgb, self.time, depth, CAMERA.intrinsics, self.camera_pose())

    def render_segmentation(self) -> NDArray[np.int16]:
        """(H, W) which object each pixel of the camera shows: its index in `tuple(scene.objects)`, −1 for everything else."""
        owner = np.full(self.model.ngeom + 1, -1, np.int16)  # the last is for "no geom", −1
        for index, (name, body) in enumerate(self._bodies.items()):
            first, count = int(self.model.body_geomadr[body]), int(self.model.body_geomnum[body])
            owner[first : first + count] = index
            owner[self.model.geom(f"{name}/shadow").id] = -1
        segmentation: NDArray[np.int16] = owner[self._sight().geoms(self.data)]
        return segmentation

    def render_overview(self, width: int = 1400, height: int = 950) -> Overview:
        """The apartment from above, without a ceiling."""
        return draw_overview(self.model, self.data, self.scene, width, height)

    def camera_pose(self) -> FloatArray:
        """(4, 4) map ← optical frame: x right, y down, z forward (REP 103)."""
        camera = self.model.camera("camera").id
        pose = np.eye(4)
        pose[:3, :3] = self.data.cam_xmat[camera].reshape(3, 3) * (1.0, -1.0, -1.0)  # MuJoCo's y is up and its z backward
        pose[:3, 3] = self.data.cam_xpos[camera]
        return pose

    def grip(self, command: str, target: Point3) -> tuple[bool, str]:
        """What srv/Grip asks for: takes what is at the target, sets it down there, or gives it to whoever's hand is there.

        Args:
            command: "grasp", "release" or "hand_over".
            target: m, map frame.

        Returns:
            Whether it was done, and one line that says what was done, or why not.
        """
        if command not in get_args(GripCommand):
            return False, f"'{command}' is no command of the gripper: {', '.join(get_args(GripCommand))}"
        if not np.isfinite(target).all():
            return False, "the target is not a point"
        x, y, *_ = self.odometry
        distance, reach = hypot(target[0] - x, target[1] - y), self.scene.gripper.reach
        if distance > reach:
            return False, f"the target is {distance:.2f} m away, the arm reaches {reach:g} m"
        if command == "grasp":
            return self._grasp(target)
        if not self.holding:
            return False, "the gripper is empty"
        return self._release(target) if command == "release" else self._hand_over(target)

    def truth(self) -> WorldTruth:
        """Where everything is now."""
        x, y, yaw, *_ = self.odometry
        names = tuple(self.scene.objects)
        return WorldTruth(self.time, x, y, yaw, names, tuple(map(self._location, names)), np.array([self.middle(name) for name in names]))

    def middle(self, object_id: str) -> FloatArray:
        """(3,) m, the middle of the object's hull."""
        foot, rotation = self.foot(object_id)
        return foot + rotation[:, 2] * self.scene.hull(object_id).half[2]

    def foot(self, object_id: str) -> tuple[FloatArray, FloatArray]:
        """(3,) m where its foot is, and (3, 3) how it is turned."""
        body = self._bodies[object_id]
        return self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy()

    def put(self, object_id: str, foot: Point3, yaw: float = 0.0) -> None:
        """Stands an object upright somewhere, at rest and held by nobody: for arranging the world, not for robots."""
        self.put_all({object_id: (foot, yaw)})

    def put_all(self, poses: Mapping[str, tuple[Point3, float]]) -> None:
        """Stands objects upright, each with its foot (m) at a point of the map and turned by a yaw (rad)."""
        for object_id, (foot, yaw) in poses.items():
            self._welds.let_go(object_id)
            self._given.pop(object_id, None)
            if self.holding == object_id:
                self.holding = ""
            self._pose_body(object_id, foot, yaw)
        self.refresh()

    def put_robot(self, x: float, y: float, yaw: float) -> None:
        """Stands the robot somewhere, at rest, with what it holds: for arranging the world, not for robots."""
        before_x, before_y, before_yaw, *_ = self.odometry
        self._pose_body("robot", (x, y, 0.0), yaw)
        if self.holding:
            foot, rotation = self.foot(self.holding)
            turn = yaw - before_yaw
            dx, dy = foot[0] - before_x, foot[1] - before_y
            moved = x + np.cos(turn) * dx - np.sin(turn) * dy, y + np.sin(turn) * dx + np.cos(turn) * dy, float(foot[2])
            self._pose_body(self.holding, moved, atan2(rotation[1, 0], rotation[0, 0]) + turn)
        self.refresh()

    def _pose_body(self, name: str, foot: Point3, yaw: float) -> None:
        joint = self.model.joint(name)
        address, speed = int(joint.qposadr[0]), int(joint.dofadr[0])
        self.data.qpos[address : address + 3] = foot
        self.data.qpos[address + 3 : address + 7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
        self.data.qvel[speed : speed + 6] = 0.0

    def refresh(self) -> None:
        """Works out what follows from positions that were changed by hand."""
        mujoco.mj_forward(self.model, self.data)

    def close(self) -> None:
        """Frees what OpenGL holds."""
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
        if object_id in self._given:
            return self._given[object_id]
        foot, rotation = self.foot(object_id)
        half = self.scene.hull(object_id).half
        # The lowest point of its hull under its middle, however it lies.
        middle = foot + rotation[:, 2] * half[2]
        return resting_place((middle[0], middle[1], middle[2] - float(np.abs(rotation[2]) @ np.array(half))), self.surfaces)

    def _fails(self, command: GripCommand) -> bool:
        return bool(self.rng.random() < self.scene.gripper.fails.get(command, 0.0))

    def _grasp(self, target: Point3) -> tuple[bool, str]:
        if self.holding:
            return False, f"the gripper holds {self.holding} already"
        point = np.array(target)
        near = {name: hull_distance(self.scene, name, point, *self.foot(name)) for name in self.scene.objects}
        # Of several hulls that touch the target, the one whose middle is nearest.
        taken = min(near, key=lambda name: (near[name], float(np.linalg.norm(self.middle(name) - point))))
        if near[taken] > self.scene.gripper.radius:
            return False, f"nothing is within {100 * self.scene.gripper.radius:g} cm of the target"
        if self._fails("grasp"):
            return False, "it slipped out of the gripper"
        middle = self.middle(taken)
        self._stretch_to((middle[0], middle[1], middle[2]), self.scene.hull(taken).radius)
        self._welds.let_go(taken)
        self._given.pop(taken, None)
        self._welds.hold("hand", taken)
        self.holding = taken
        self._arm.carry()
        return True, f"took {taken}"

    def _release(self, target: Point3) -> tuple[bool, str]:
        held = self.holding
        radius = self.scene.hull(held).radius
        surface = self._surface_at(target)
        if surface is None:
            return False, "there is nothing at the target to set it down on"
        others = [name for name in self.scene.objects if name != held and name not in self._given]
        taken = [(*self.middle(name)[:2], self.scene.hull(name).radius) for name in others if abs(self.foot(name)[0][2] - surface.top) < BELOW]
        spot = free_spot(target, radius, surface, taken)
        x, y, yaw, *_ = self.odometry
        if spot is None or hypot(spot[0] - x, spot[1] - y) > self.scene.gripper.reach:
            return False, f"there is no room left within reach on {surface.name}"
        if self._fails("release"):
            return False, "it stuck to the gripper"
        self._stretch_to((*spot, surface.top + self.scene.hull(held).half[2]), radius)
        self.put(held, (*spot, surface.top + 0.002), yaw)
        self._arm.fold()
        return True, f"set {held} down on {surface.name}"

    def _hand_over(self, target: Point3) -> tuple[bool, str]:
        held = self.holding
        hands = {person: hand_of(self.scene, person) for person in self.scene.people}
        person = min(hands, key=lambda name: float(np.linalg.norm(np.subtract(hands[name], target))), default="")
        if not person or float(np.linalg.norm(np.subtract(hands[person], target))) > PERSON_REACH:
            return False, f"nobody's hand is within {PERSON_REACH:g} m of the target"
        if self._fails("hand_over"):
            return False, f"{person} did not get hold of it"
        x, y, z = hands[person]
        count = sum(holder == person for holder in self._given.values())
        facing = np.radians(self.scene.people[person].yaw)
        aside = BESIDE_HAND * count  # beside what that hand holds already
        x, y = x - np.sin(facing) * aside, y + np.cos(facing) * aside
        self._stretch_to((x, y, z), self.scene.hull(held).radius)
        self.put(held, (x, y, z), facing)
        self._welds.hold("world", held)
        self._given[held] = person
        self._arm.fold()
        return True, f"gave {held} to {person}"

    def _stretch_to(self, point: Point3, radius: float) -> None:
        x, y, yaw, *_ = self.odometry
        self._arm.snap(reaching((x, y, yaw), point, short_of=radius))
        mujoco.mj_forward(self.model, self.data)

    def _surface_at(self, target: Point3) -> Rectangle | None:
        """The surface at the target, or the floor where the target is low and no furniture stands there."""
        x, y, z = target
        near = [surface for surface in self.surfaces if surface.distance(x, y) <= 0.1 and abs(surface.top - z) <= BELOW]
        if near:
            return min(near, key=lambda surface: (surface.distance(x, y), abs(surface.top - z)))
        if z > BELOW or any(surface.distance(x, y) == 0.0 for surface in self.surfaces):
            return None
        return Rectangle("floor", x, y, 0.0, (0.5, 0.5), 0.0, 0.0)
