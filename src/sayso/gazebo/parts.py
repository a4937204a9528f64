"""The parts of furniture that move in Gazebo: doors and drawers; what shines, and stains, which wait under the floor unless they are seen.

Gazebo changes colours by services that `ros_gz_bridge` lacks. So a part that appears and disappears is raised and lowered by a motor.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, cos, pi, sin

import numpy as np

from sayso.scene.bodies import Body, standing_bodies
from sayso.scene.scene import Scene
from sayso.scene.stains import stains
from sayso.sim.appliances import Operated
from sayso.types import FloatArray

OPENS, SHINES, STAIN = "/opens", "/shines", "/stain"
UNDER = 3.0  # m that a part is lower while it is not seen
Send = Callable[[str, float], None]  # a part's name, and its position: rad or m from where it is at the start


def part_names(scene: Scene) -> tuple[str, ...]:
    """All parts of a scene: "fridge/opens", "lamp/shines", "desk/stain0"."""
    standing = standing_bodies(scene)
    opens = [f"{body.name}{OPENS}" for body in standing if body.joint]
    shine = [f"{body.name}{SHINES}" for body in standing if any(piece.lit for piece in body.pieces)]
    return (*opens, *shine, *stain_names(scene))


def stain_names(scene: Scene) -> tuple[str, ...]:
    """The parts that are stains, in the order of the scene's stains."""
    return tuple(f"{stain.furniture}{STAIN}{number}" for number, stain in enumerate(stains(scene)))


def name_in_mujoco(model: str) -> str:
    """What the embedded simulation calls the pieces of a model: "fridge" for "fridge/opens", "stain/0" for "desk/stain0"."""
    furniture, stain, number = model.removesuffix(OPENS).partition(STAIN)
    return f"stain/{number}" if stain else furniture


class OperatedInGazebo(Operated):
    """What Gazebo tells of the parts. Before it tells anything, all is closed and off."""

    def __init__(self, scene: Scene, send: Send) -> None:
        super().__init__(scene)
        self._send = send
        self._bodies = {body.name: body for body in standing_bodies(scene)}
        self._poses: dict[str, FloatArray] = {}

    def hear(self, part: str, pose: FloatArray) -> bool:
        """Update the pose (4, 4) of a part. False if it is no pose (NaN): the last one stays."""
        if not np.isfinite(pose).all():
            return False
        self._poses[part] = pose
        return True

    def share(self, name: str) -> float:
        """From the pose of the door or the drawer."""
        pose = self._poses.get(f"{name}{OPENS}")
        return 0.0 if pose is None else _share(self._bodies[name], pose)

    def pull(self, name: str, share: float) -> None:
        """With the joint's motor."""
        self._send(f"{name}{OPENS}", share * self.fittings[name].travel)

    def is_on(self, name: str) -> bool:
        """Whether what shines is raised."""
        pose = self._poses.get(f"{name}{SHINES}")
        return pose is not None and float(pose[2, 3]) > self._bodies[name].at[2] - UNDER / 2

    def switch(self, name: str, *, on: bool) -> None:
        """Raise what shines, or lower it."""
        self._send(f"{name}{SHINES}", UNDER if on else 0.0)

    def reset(self) -> None:
        """No pose is known."""
        self._poses.clear()


class StainsInGazebo:
    """Stains that are lowered when they are wiped."""

    def __init__(self, scene: Scene, send: Send) -> None:
        self._names, self._send = stain_names(scene), send

    def show(self, number: int, *, there: bool) -> None:
        """Raise it, or lower it."""
        self._send(self._names[number], 0.0 if there else -UNDER)


def _share(body: Body, pose: FloatArray) -> float:
    """How far the moving part of that furniture is open."""
    joint = body.joint
    assert joint is not None  # only furniture that opens has such a part
    if joint.turns:
        return ((atan2(float(pose[1, 0]), float(pose[0, 0])) - body.yaw + pi) % (2 * pi) - pi) / joint.travel
    dx, dy = float(pose[0, 3]) - body.at[0], float(pose[1, 3]) - body.at[1]
    return (dx * cos(body.yaw) + dy * sin(body.yaw)) / joint.travel
