"""grasp, release and hand_over as motions of an arm and a gripper. It knows no ROS: see Motion for what it needs of yours."""

from __future__ import annotations

from typing import Protocol

from arm_kinematics import ArmDescription, Joints, OutOfReach, Point, approach

THIN = 0.004  # m: less than this between closed fingers is nothing


class MotionFailed(Exception):  # noqa: N818 — an outcome, not an error of the program
    """The arm or the gripper did not do it; the message is one line for a person."""


class Motion(Protocol):
    """What moves the arm. Both raise MotionFailed."""

    async def move(self, joints: Joints) -> None:
        """Go there, and return when the arm is there."""
        ...

    async def close(self, width: float) -> float:
        """Bring the fingers to that distance (m) or to what is between them; the distance they came to."""
        ...


async def grip(arm: ArmDescription, motion: Motion, command: str, target: Point) -> tuple[bool, str]:
    """What srv/Grip asks for: whether it was done, and a line that says why not. `target` is in base_link."""
    do = {"grasp": grasp, "release": release, "hand_over": hand_over}.get(command)
    if do is None:
        return False, f"the gripper cannot '{command}': grasp, release or hand_over"
    try:
        return await do(arm, motion, target)
    except (OutOfReach, MotionFailed) as failed:
        return False, str(failed)


async def grasp(arm: ArmDescription, motion: Motion, target: Point) -> tuple[bool, str]:
    """Take what is at the target, and carry it tucked."""
    before, at, above = approach(arm, target)
    await motion.close(arm.open)
    await motion.move(before)
    await motion.move(at)
    width = await motion.close(arm.closed)
    if width <= arm.closed + THIN:
        await motion.close(arm.open)
        await motion.move(before)
        await motion.move(arm.tucked)
        return False, "there was nothing between the fingers"
    await motion.move(above)
    await motion.move(arm.tucked)
    return True, f"holds something {width * 100:.0f} cm wide"


async def release(arm: ArmDescription, motion: Motion, target: Point) -> tuple[bool, str]:
    """Set down at the target what the hand holds."""
    before, at, above = approach(arm, target)
    await motion.move(above)
    await motion.move(at)
    await motion.close(arm.open)
    await motion.move(before)
    await motion.move(arm.tucked)
    return True, "set it down"


async def hand_over(arm: ArmDescription, motion: Motion, target: Point) -> tuple[bool, str]:
    """Hold it out to the hand at the target, and let go there."""
    before, at, _ = approach(arm, target)
    await motion.move(before)
    await motion.move(at)
    await motion.close(arm.open)
    await motion.move(before)
    await motion.move(arm.tucked)
    return True, "handed it over"
