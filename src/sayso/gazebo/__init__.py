"""Gazebo worlds from the same scenes as the embedded simulation, and checks that both worlds are the same."""

from sayso.gazebo.sdf import write_world
from sayso.gazebo.urdf import robot_urdf

__all__ = ["robot_urdf", "write_world"]
