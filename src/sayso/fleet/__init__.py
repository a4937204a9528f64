"""Replays many bags on many machines, and queries their results as one table."""
