"""Calibration of the action selection, on interactions with simulated people."""
