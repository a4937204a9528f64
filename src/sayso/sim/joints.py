"""Joints of furniture in MuJoCo: a door on its hinge, a drawer on its slide, and a motor that stands for the hand at the handle."""

from __future__ import annotations

from typing import Any

from sayso.scene.bodies import Body
from sayso.sim.engine import mujoco

MOVING = 2  # collision bit of moving parts: the robot's base is in their way, the furniture around them is not
MASS = 5.0  # kg
INERTIA = 1.0  # kg m²; of a door about its hinge
STIFFNESS = {True: 150.0, False: 300.0}  # of the motor, for a door (N m/rad) and for a drawer (N/m)
FORCE = {True: 12.0, False: 25.0}  # its largest, N m and N: too little to push the robot away


def add_joint(spec: Any, body: Any, furniture: Body) -> Any:
    """The moving body of that furniture, at its hinge, with a joint and a motor named by the furniture's id."""
    joint = furniture.joint
    assert joint is not None  # the caller has checked it
    name = f"{furniture.name}/opens"
    moving = body.add_body(name=name, pos=list(joint.at))
    moving.mass, moving.inertia, moving.ipos, moving.explicitinertial = MASS, [INERTIA] * 3, [0, 0, 0], True
    kind = mujoco.mjtJoint.mjJNT_HINGE if joint.turns else mujoco.mjtJoint.mjJNT_SLIDE
    moving.add_joint(
        name=name,
        type=kind,
        axis=[0, 0, 1] if joint.turns else [1, 0, 0],
        range=sorted((0.0, joint.travel)),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        damping=1.0,
    )
    motor = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_position(kp=STIFFNESS[joint.turns], dampratio=1.0)
    motor.forcerange, motor.forcelimited = [-FORCE[joint.turns], FORCE[joint.turns]], True
    return moving
