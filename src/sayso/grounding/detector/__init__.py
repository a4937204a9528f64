"""Grounding in photographs: a detector of 80 kinds of things, colours from the pixels, and calibrated probabilities."""

from sayso.grounding.detector.backend import Detector

__all__ = ["Detector"]
