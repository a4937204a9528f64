"""Worlds for Gazebo, made from the same scenes as the embedded simulation, and proof that both are the same."""

from sayso.gazebo.sdf import write_world
from sayso.gazebo.urdf import robot_urdf

__all__ = ["robot_urdf", "write_world"]
