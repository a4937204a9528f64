"""Runs recorded bags through the stages again, to see what today's version makes of yesterday's commands."""

from sayso.replay.play import replay_bag
from sayso.replay.segmentation import slices
from sayso.replay.types import ReplayConfig, ReplayResult, Slice, UtteranceRecord, joined

__all__ = ["ReplayConfig", "ReplayResult", "Slice", "UtteranceRecord", "joined", "replay_bag", "slices"]
