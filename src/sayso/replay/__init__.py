"""Recorded bags, played through the stages again: what would be made of yesterday's commands today."""

from sayso.replay.play import replay_bag
from sayso.replay.segmentation import slices
from sayso.replay.types import ReplayConfig, ReplayResult, Slice, UtteranceRecord, joined

__all__ = ["ReplayConfig", "ReplayResult", "Slice", "UtteranceRecord", "joined", "replay_bag", "slices"]
