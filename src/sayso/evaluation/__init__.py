"""Executes commands in simulation and judges them by the ground truth."""
