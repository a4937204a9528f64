"""Thin ROS 2 nodes around `sayso`: parameters, topics, messages ↔ dataclasses; nothing else."""
