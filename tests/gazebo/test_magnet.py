"""The magnet gripper in Gazebo: held objects move up, over and down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sayso.gazebo.magnet import motor_positions, way
from sayso.sim.robot_body import CARRYING, FOLDED, ArmPose

poses = st.builds(ArmPose, st.floats(-3, 3), st.floats(0.0, 1.4), st.floats(0.1, 1.0))


@given(poses, poses)
def test_a_held_object_moves_sideways_only_at_the_height_of_the_higher_end(start: ArmPose, goal: ArmPose) -> None:
    up, over, down = way(start, goal)
    assert (up.yaw, up.stretch) == (start.yaw, start.stretch)
    assert up.lift == over.lift == max(start.lift, goal.lift)
    assert (over.yaw, over.stretch) == (goal.yaw, goal.stretch)
    assert down == goal


def test_motors_count_from_the_folded_arm() -> None:
    assert set(motor_positions(FOLDED).values()) == {0.0}
    assert motor_positions(CARRYING)["lift"] == CARRYING.lift - FOLDED.lift
