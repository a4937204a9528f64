"""grasp, release and hand_over as motions of an arm and a gripper, without ROS. `Motion` is the interface to your arm."""

from __future__ import annotations

from typing import Protocol

from arm_kinematics import ArmDescription, Joints, OutOfReach, Point, approach

THIN = 0.004  # m: a smaller gap between closed fingers counts as empty


class MotionFailed(Exception):  # noqa: N818 — an outcome, not an error of the program
    """The arm or the gripper failed; the message is one line for a person."""


class Motion(Protocol):
    """The interface to the arm. Both methods raise MotionFailed."""

    async def move(self, joints: Joints) -> None:
        """Move the arm, and return when it has arrived."""
        ...

    async def close(self, width: float) -> float:
        """Close the fingers to that distance (m) or onto the thing between them; returns the distance reached."""
        ...


async def grip(arm: ArmDescription, motion: Motion, command: str, target: Point) -> tuple[bool, str]:
    """Execute a request of srv/Grip; returns success and a message. `target` is in base_link."""
    do = {"grasp": grasp, "release": release, "hand_over": hand_over}.get(command)
    if do is None:
        return False, f"the gripper cannot '{command}': grasp, release or hand_over"
    try:
        return await do(arm, motion, target)
    except (OutOfReach, MotionFailed) as failed:
        return False, str(failed)


async def grasp(arm: ArmDescription, motion: Motion, target: Point) -> tuple[bool, str]:
    """Take the thing at the target, and tuck the arm."""
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
    """Put the held thing down at the target."""
    before, at, above = approach(arm, target)
    await motion.move(above)
    await motion.move(at)
    await motion.close(arm.open)
    await motion.move(before)
    await motion.move(arm.tucked)
    return True, "set it down"


async def hand_over(arm: ArmDescription, motion: Motion, target: Point) -> tuple[bool, str]:
    """Hold the thing out to the hand at the target, and let go."""
    before, at, _ = approach(arm, target)
    await motion.move(before)
    await motion.move(at)
    await motion.close(arm.open)
    await motion.move(before)
    await motion.move(arm.tucked)
    return True, "handed it over"
