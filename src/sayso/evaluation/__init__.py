"""Whole executions, judged: a spoken sentence carried out in simulation, and what the ground truth says of it."""
