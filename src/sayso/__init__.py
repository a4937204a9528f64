"""Sayso: spoken commands for robots, understood with honest doubt. No ROS in this package; see `sayso_nodes` for that."""

__version__ = "0.1.0"
