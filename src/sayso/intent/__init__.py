"""Transcript → what was meant: normalised text, clauses in order, a calibrated belief over intents and linked roles for each."""

from sayso.intent.classifier import IntentClassifier

__all__ = ["IntentClassifier"]
